"""The value objects of a report: everything else in the program is built around them.

A report holds numbers and words, no torch tensor, no SymPy object and no layout: renderers read it,
nothing in it knows how it will be shown. All arrays are ``Array`` objects, flat in row-major order.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import prod
from typing import Any, Generic, TypeVar

T = TypeVar("T")
U = TypeVar("U")

SCHEMA = "vjp.report/1"


class Verdict(StrEnum):
    """The judgement of one entry of J or of vᵀJ (the README's table says when each applies)."""

    WRONG = "wrong"
    NAN = "nan"
    SATURATED = "saturated"
    MISSING = "missing"
    IMPRECISE = "imprecise"
    UNCHECKED = "unchecked"
    UNDEFINED = "undefined"
    KINK = "kink"
    POLE = "pole"
    BY_DESIGN = "by-design"
    OK = "ok"

    @property
    def severity(self) -> int:
        """0 for ``ok``; the larger, the worse. A report's verdict is that of its worst entry."""
        return len(Verdict) - 1 - list(Verdict).index(self)


def worst(verdicts: "list[Verdict] | tuple[Verdict, ...] | set[Verdict]") -> Verdict:
    """The most severe of ``verdicts``; ``ok`` for none."""
    return max(verdicts, key=lambda verdict: verdict.severity, default=Verdict.OK)


@dataclass(frozen=True)
class Array(Generic[T]):
    """``values`` in row-major order under a ``shape``; a scalar has the shape ``()``."""

    shape: tuple[int, ...]
    values: tuple[T, ...]

    def __post_init__(self) -> None:
        if prod(self.shape) != len(self.values):
            raise ValueError(f"{len(self.values)} values do not fill the shape {self.shape}")

    def map(self, function: Callable[[T], U]) -> "Array[U]":
        """The array of ``function(value)``, with the same shape."""
        return Array(self.shape, tuple(function(value) for value in self.values))

    def nested(self) -> Any:
        """The values as nested lists; the bare value for a scalar."""
        return _nest(self.shape, self.values)


def _nest(shape: tuple[int, ...], values: tuple[Any, ...]) -> Any:
    if not shape:
        return values[0]
    size = prod(shape[1:])
    return [_nest(shape[1:], values[k * size : (k + 1) * size]) for k in range(shape[0])]


Number = float | complex


class TruthKind(StrEnum):
    """What is known of an exact derivative."""

    VALUE = "value"
    SLOPES = "slopes"
    REMOVABLE = "removable"
    UNDEFINED = "undefined"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Truth:
    """The exact derivative at the dtype-rounded inputs, or the slopes where there is none.

    Attributes:
        kind: which of the fields below hold.
        value: 30 certain digits (``"0"``, ``"inf"``, ``"-inf"`` included), for ``value`` and for
            ``removable`` (the function has a removable hole here).
        left: the slope from the left, in the same notation or ``"undefined"``.
        right: the slope from the right.
    """

    kind: TruthKind
    value: str = ""
    left: str = ""
    right: str = ""


@dataclass(frozen=True)
class Problem:
    """What was asked, as understood.

    Attributes:
        against: the function that the truth is taken from.
        arguments: the plain Python values that the function was called with.
        output_index: which of several outputs is y.
        weights: of order 2, the v of the gradient that stands in the place of y; else None.
    """

    expression: str | None
    function: str | None
    dtype: str
    device: str
    layout: str
    wrt: tuple[str, ...]
    against: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    output_index: int | None = None
    weights: Array[Number] | None = None


@dataclass(frozen=True)
class Output:
    """The value of the expression."""

    name: str
    value: Array[Number]


@dataclass(frozen=True)
class FormulaGroup:
    """One SymPy formula for many entries, for example ``∂y[i]/∂x[i] = 4*x[i] + 8``.

    Attributes:
        where: the left-hand side in ASCII: ``dy[i]/dx[i]``, or ``y[i]`` for the output.
        count: how many entries the formula covers.
        formula: the formula in ASCII with bracketed indices.
        latex: the same for LaTeX.
        definitions: what the intermediate names in the formula stand for, as ``name = formula``.
    """

    where: str
    count: int
    formula: str
    latex: str
    definitions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Symbolic:
    """The independent SymPy derivation, for people: formulas, and vᵀJ from the exact side."""

    output: tuple[FormulaGroup, ...] = ()
    jacobian: Mapping[str, tuple[FormulaGroup, ...]] = field(default_factory=dict)
    vjp: Mapping[str, Array[Number | None]] | None = None


@dataclass(frozen=True)
class Structure:
    """Which entries of one input's Jacobian can be non-zero.

    Attributes:
        shape: (number of outputs, number of elements of the input).
        nonzeros: the number of entries that can be non-zero.
        pattern: a word for the pattern: ``diagonal``, ``dense``, ``banded``, ``sparse``, ``zero``.
        positions: the flat positions (row · columns + column) of those entries, ascending.
        colours: groups of rows that one VJP can compute together; None when not computed.
    """

    shape: tuple[int, int]
    nonzeros: int
    pattern: str
    positions: frozenset[int] = frozenset()
    colours: int | None = None


@dataclass(frozen=True)
class CheckResult:
    """One line of the checks: what was compared, by what, with which outcome.

    A check that did not run is there too: ``unchecked`` with its reason.

    Attributes:
        compared: the number of entries that were compared.
        max_ulp: the largest distance in units in the last place, for information.
        max_ratio: the largest error divided by its bound, for information.
        reason: required unless the verdict is ``ok``.
        order: of the derivative that it speaks of: a gradient is right or wrong whatever a second
            one is, so only the first order counts in the report's verdict.
    """

    name: str
    verdict: Verdict
    compared: int = 0
    max_ulp: float | None = None
    max_ratio: float | None = None
    reason: str = ""
    order: int = 1


@dataclass(frozen=True)
class Finding:
    """One entry that is not ``ok`` (or a group of them alike), and why.

    Attributes:
        where: ``vjp.x[1]`` or ``jacobian.x[0,1]``.
        torch: torch's number; None when torch gave none.
        truth: the truth where it is one number, else "".
        count: how many entries of the same kind this finding stands for.
    """

    where: str
    verdict: Verdict
    torch: Number | None
    truth: str = ""
    left: str = ""
    right: str = ""
    cause: str = ""
    remedy: str = ""
    count: int = 1


@dataclass(frozen=True)
class Judged:
    """The verdict and the truth of every entry of an array, for each input by name."""

    verdicts: Mapping[str, Array[Verdict]]
    truth: Mapping[str, Array[Truth]]


@dataclass(frozen=True)
class Report:
    """The whole answer to one problem.

    Attributes:
        jacobian: for each input of ``wrt`` an array of shape y.shape + x.shape, always in numerator
            layout; None when it was not built.
        vjp: for each input of ``wrt`` an array of its shape; None without v. An entry is None where
            torch gives no number.
        notes: sentences that the reader must see (no v, what could have hidden an error).
        environment: versions, seed, number of threads.
    """

    problem: Problem
    inputs: Mapping[str, Array[Number]]
    output: Output
    v: Array[Number] | None
    jacobian: Mapping[str, Array[Number | None]] | None
    vjp: Mapping[str, Array[Number | None]] | None
    symbolic: Symbolic
    structure: Mapping[str, Structure]
    judged_jacobian: Judged | None
    judged_vjp: Judged | None
    checks: tuple[CheckResult, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    environment: Mapping[str, str | int | float]
    verdict: Verdict
    exit_code: int

    @property
    def ok(self) -> bool:
        """Whether the exit code is 0."""
        return self.exit_code == 0
