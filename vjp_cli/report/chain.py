"""The chain rule of one problem, step by step from the output back."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from vjp_cli.report.parts import FormulaGroup
from vjp_cli.report.values import Array, Number


@dataclass(frozen=True)
class Mark:
    """A NaN, an infinity or a false zero that first enters at a step.

    Attributes:
        kind: ``nan``, ``inf`` or ``zero``.
    """

    kind: str
    words: str


@dataclass(frozen=True)
class Term:
    """One term of the sum of what arrives at a predecessor, and the operation it comes from."""

    via: str
    value: Array[Number]


@dataclass(frozen=True)
class LocalJacobian:
    """∂step/∂predecessor, all other predecessors held fixed.

    Attributes:
        shape: (elements of the step, elements of the predecessor).
        jacobian: torch's, of the step's shape + the predecessor's; None when it is too large or the
            backward raises.
        truth: the exact one; None at a tie, and as a whole where the tracer has no such step.
        agrees: whether the two agree to three quarters of the digits; None without a truth.
        formulas: of the entries.
        handed: the cotangent that this step hands on to the predecessor: its term of the sum there.
        terms: what ``handed`` is the sum of, where the predecessor enters the step several times.
    """

    shape: tuple[int, int]
    jacobian: Array[Number] | None = None
    truth: Array[Number | None] | None = None
    agrees: bool | None = None
    formulas: tuple[FormulaGroup, ...] = ()
    handed: Array[Number] | None = None
    terms: tuple[Term, ...] = ()


@dataclass(frozen=True)
class ChainStep:
    """One value on the way from the inputs to the output.

    Attributes:
        source: the part of the expression, or the line, that makes it; "" for an input.
        cotangent: ∂(Σ v_i·y_i)/∂step by torch; None without v, or where nothing arrives.
        product: the product of the local Jacobians so far, ∂y/∂step, of y's shape + its own.
        local: by the names of its direct predecessors.
    """

    name: str
    source: str
    value: Array[Number]
    cotangent: Array[Number] | None = None
    product: Array[Number] | None = None
    local: Mapping[str, LocalJacobian] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True)
class Identity:
    """∂z/∂x = ∂z/∂y·∂y/∂x, with the numbers of both sides.

    Attributes:
        name: of the input.
        where: the left side, ``∂z/∂x``.
        paths: the right side: a product of local Jacobians for each path; the terms of the last
            step by its consumers where there are too many paths.
        product: what the right side is; jacobian: J as torch computes it in one go; truth: the
            exact one. Each of the shape y.shape + x.shape, None where it is not there.
        agrees: whether product and J agree up to rounding; None where one is not there.
    """

    name: str
    where: str
    paths: tuple[str, ...]
    product: Array[Number] | None = None
    jacobian: Array[Number | None] | None = None
    truth: Array[Number | None] | None = None
    agrees: bool | None = None


@dataclass(frozen=True)
class Chain:
    """The steps in backward order, inputs last.

    Attributes:
        notes: what is not there, and why.
    """

    output: str
    steps: tuple[ChainStep, ...]
    identity: tuple[Identity, ...] = ()
    notes: tuple[str, ...] = ()
