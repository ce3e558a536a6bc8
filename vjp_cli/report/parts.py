"""The parts of a report, each for one section of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vjp_cli.report.reproduction import Point
from vjp_cli.report.values import Array, Number, Truth, Verdict


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


# The name of the check that J has no number where its pattern has none.
OUTSIDE = "nothing outside the pattern of J"
# The words for the places of the entries of a J.
PATTERNS = (
    "zero",
    "dense",
    "diagonal",
    "tridiagonal",
    "permutation",
    "block diagonal",
    "lower triangular",
    "upper triangular",
    "dense rows and columns",
    "banded",
    "selection",
    "multidiagonal",
    "sparse",
)


def in_words(pattern: str, description: str) -> str:
    """What a J of this pattern does: ``is banded, offsets 0 to 2``, ``has 2 dense rows; …``."""
    if pattern == "dense rows and columns":
        return f"has {description}"
    article = "a " if pattern in ("permutation", "selection") else ""
    return f"is {article}{', '.join(filter(None, [pattern, description]))}"


@dataclass(frozen=True)
class Structure:
    """Which entries of one input's Jacobian can be non-zero.

    Attributes:
        shape: (number of outputs, number of elements of the input).
        nonzeros: the number of entries that can be non-zero.
        pattern: a word for the pattern, one of ``PATTERNS``.
        description: what there is to add to that word (``offsets 0 to 2``); else "".
        positions: the flat positions (row · columns + column) of those entries, ascending.
        colours: how many products with J compute all of it: a VJP takes the rows that share no
            column together, a JVP such columns; None when not computed.
    """

    shape: tuple[int, int]
    nonzeros: int
    pattern: str
    positions: frozenset[int] = frozenset()
    colours: int | None = None
    description: str = ""

    @property
    def words(self) -> str:
        """What J does, as a part of a sentence."""
        return in_words(self.pattern, self.description)


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
        point: where the check found what it says, if not at the inputs of the report.
    """

    name: str
    verdict: Verdict
    compared: int = 0
    max_ulp: float | None = None
    max_ratio: float | None = None
    reason: str = ""
    order: int = 1
    point: Point | None = None


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
