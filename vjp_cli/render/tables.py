"""The tables that a report shows to people: titled grids of raw cells, named on both axes.

Every text format draws these; nothing here knows a width, a colour or a character set.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import overload

from vjp_cli.render.numbers import full, short
from vjp_cli.report import Accumulation, Array, Number, Report, Truth, TruthKind, Verdict
from vjp_cli.settings import Layout

MARKS = {
    Verdict.WRONG: "!",
    Verdict.NAN: "#",
    Verdict.SATURATED: "%",
    Verdict.MISSING: "/",
    Verdict.IMPRECISE: "~",
    Verdict.UNCHECKED: "?",
    Verdict.UNDEFINED: "*",
    Verdict.KINK: "^",
    Verdict.POLE: "&",
    Verdict.BY_DESIGN: "@",
    Verdict.OK: "",
}


@dataclass(frozen=True)
class Cell:
    """One place of a table.

    Attributes:
        value: a number, a word, or None where torch gave no number.
        verdict: the judgement of this entry.
        exact: all digits are shown, because the number beside it differs.
        structural: a zero that no input can change.
        sign: what stands beside the number besides a verdict.
    """

    value: Number | str | None
    verdict: Verdict = Verdict.OK
    exact: bool = False
    structural: bool = False
    sign: str = ""

    @property
    def text(self) -> str:
        """The cell in words and digits, without its mark."""
        if self.structural:
            return "·"
        if self.value is None:
            return "none"
        if isinstance(self.value, str):
            return self.value
        return full(self.value) if self.exact else short(self.value)

    @property
    def mark(self) -> str:
        """The sign that stands beside a number that is not ``ok``."""
        return self.sign or MARKS[self.verdict]


def element(variable: str, indices: Sequence[int]) -> str:
    """``x[0,1]``, or ``x`` for a scalar."""
    return f"{variable}[{','.join(map(str, indices))}]" if indices else variable


class Axis(Sequence[str]):
    """The names of the elements of a variable: ``x[0,1]``, or ``x`` for a scalar."""

    def __init__(self, variable: str, shape: tuple[int, ...]) -> None:
        self.variable = variable
        self.shape = shape

    def __len__(self) -> int:
        return prod(self.shape)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[k] for k in range(len(self))[index]]
        # an index that is too large raises here, which ends an iteration
        index = range(len(self))[index]
        return element(self.variable, self.indices(index))

    def indices(self, position: int) -> tuple[int, ...]:
        """The coordinates of the element at a flat position, which is not looked at."""
        found: list[int] = []
        for size in reversed(self.shape):
            position, remainder = divmod(position, size)
            found.append(remainder)
        return tuple(reversed(found))


@dataclass(frozen=True)
class Table:
    """A titled grid of cells with names on both axes; ``cell(row, column)`` is made when asked."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    cell: Callable[[int, int], Cell]


def tables(report: Report, name: str, *, matrix: bool = True) -> list[Table]:
    """The tables of the input ``name``, side by side: J, v, then vᵀJ with its symbolic twin.

    ``matrix``: whether J is among them, where there is one.
    """
    shown = []
    if report.jacobian is not None and matrix:
        shown.append(jacobian_table(report, name))
    if report.accumulation is not None:
        vs = [pull.v for pull in report.accumulation.pulls]
        return [*shown, _cotangent_table(report, vs), _sum_table(report, report.accumulation, name)]
    if report.v is not None:
        shown.append(_cotangent_table(report, [report.v]))
    if report.vjp is not None:
        shown.append(_vjp_table(report, name))
    return shown


def jacobian_table(report: Report, name: str) -> Table:
    """J by one input; there is a J."""
    assert report.jacobian is not None
    values = report.jacobian[name].values
    outputs = Axis(report.output.name, report.output.value.shape)
    inputs = Axis(name, report.inputs[name].shape)
    verdicts = report.judged_jacobian and report.judged_jacobian.verdicts[name].values
    structure = report.structure.get(name)

    def entry(row: int, column: int) -> Cell:
        position = row * len(inputs) + column
        value, verdict = values[position], verdicts[position] if verdicts else Verdict.OK
        outside = structure is not None and position not in structure.positions
        return Cell(value, verdict, structural=outside and value == 0)

    if transposed(report):
        return Table("Jᵀ", inputs, outputs, lambda row, column: entry(column, row))
    return Table("J", outputs, inputs, entry)


def _cotangent_table(report: Report, vs: Sequence[Array[Number]]) -> Table:
    outputs = Axis(report.output.name, report.output.value.shape)
    names = [f"v {number}" for number in range(1, len(vs) + 1)] if len(vs) > 1 else [""]
    return Table("v", outputs, names, lambda row, column: Cell(vs[column].values[row]))


def _sum_table(report: Report, several: Accumulation, name: str) -> Table:
    """vᵀJ of each v, what ``.grad`` holds in the end, and the exact sum."""
    rows, pulls = Axis(name, report.inputs[name].shape), several.pulls
    total = several.total and several.total[name].values
    exact = several.symbolic and several.symbolic[name].values

    def entry(row: int, column: int) -> Cell:
        if column < len(pulls):
            vjp, judged = pulls[column].vjp, pulls[column].judged
            verdict = judged.verdicts[name].values[row] if judged else Verdict.OK
            return Cell(vjp[name].values[row] if vjp else None, verdict)
        found = total[row] if total else None, exact[row] if exact else None
        return compared(*found, Verdict.OK, Truth(TruthKind.UNKNOWN))[column - len(pulls)]

    names = [f"v {number}" for number in range(1, len(pulls) + 1)]
    return Table(product(report), rows, (*names, ".grad", "symbolic", "difference"), entry)


def _vjp_table(report: Report, name: str) -> Table:
    assert report.vjp is not None
    values = report.vjp[name].values
    exact = report.symbolic.vjp[name].values if report.symbolic.vjp else (None,) * len(values)
    judged = report.judged_vjp

    def entry(row: int, column: int) -> Cell:
        verdict = judged.verdicts[name].values[row] if judged else Verdict.OK
        truth = judged.truth[name].values[row] if judged else Truth(TruthKind.UNKNOWN)
        return compared(values[row], exact[row], verdict, truth)[column]

    rows = Axis(name, report.inputs[name].shape)
    return Table(product(report), rows, ("torch", "symbolic", "difference"), entry)


def compared(
    torch: Number | None, exact: Number | None, verdict: Verdict, truth: Truth
) -> tuple[Cell, Cell, Cell]:
    """The number of torch, the symbolic one and their difference; all digits where they differ."""
    if exact is None:
        return Cell(torch, verdict, exact=True), Cell(_truth_words(truth)), Cell("-")
    if torch is None:
        return Cell(None, verdict), Cell(exact, exact=True), Cell("-")
    same = _same(torch, exact)
    words = Cell(difference(torch, exact))
    return Cell(torch, verdict, exact=not same), Cell(exact, exact=not same), words


def difference(torch: Number, exact: Number) -> Number:
    """``torch - exact``; infinities cancel to nan, and equal ones do not differ."""
    return 0.0 if _same(torch, exact) else torch - exact


def _same(torch: Number, exact: Number) -> bool:
    return torch == exact or (torch != torch and exact != exact)


def _truth_words(truth: Truth) -> str:
    match truth.kind:
        case TruthKind.VALUE | TruthKind.REMOVABLE:
            return _digits(truth.value)
        case TruthKind.SLOPES:
            return f"{_digits(truth.left)} | {_digits(truth.right)}"
        case TruthKind.UNDEFINED:
            return "undefined"
        case TruthKind.UNKNOWN:
            return "unknown"


def _digits(text: str) -> str:
    try:
        return short(float(text))
    except ValueError:
        return text


def transposed(report: Report) -> bool:
    """Whether Jᵀ is shown in place of J."""
    return report.problem.layout == Layout.DENOMINATOR


def product(report: Report) -> str:
    """The name of the VJP in the layout of the report."""
    return "Jᵀv" if transposed(report) else "vᵀJ"
