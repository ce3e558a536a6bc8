"""What is said of a J that is not shown in numbers: norms, the worst, a sample, the limits."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

from vjp_cli.lazy import numpy
from vjp_cli.numbers.dtypes import format_of
from vjp_cli.render.jacobian_entries import SEVERITIES, Entries, vjp_errors
from vjp_cli.render.numbers import short
from vjp_cli.render.tables import Axis, Cell, Table, compared, product
from vjp_cli.report import OUTSIDE, Number, Report, Truth, Verdict

WORST = 10
_WORST_LINES = 5
_SAMPLES = 6
_COLUMNS = ("torch", "symbolic", "difference", "verdict")


def norms_line(entries: Entries) -> str:
    """Frobenius, the largest entry with its place, and the largest sums of columns and rows."""
    sizes = numpy.abs(entries.values)
    finite = numpy.isfinite(sizes)
    if not finite.any():
        return ""
    sizes = numpy.where(finite, sizes, 0.0)
    largest, place = float(sizes.max()), int(sizes.argmax())
    with numpy.errstate(all="ignore"):
        # scaled, since squares overflow before the norm does
        frobenius = largest * sqrt(float(((sizes / (largest or 1.0)) ** 2).sum()))
        by_row = numpy.bincount(entries.row, sizes, minlength=1).max()
        by_column = numpy.bincount(entries.column, sizes, minlength=1).max()
    of = "" if finite.all() else " of the finite entries"
    return (
        f"norms{of}: Frobenius {short(frobenius)}, largest |entry| {short(largest)} at "
        f"{entries.name(place)}, 1-norm (columns) {short(float(by_column))}, inf-norm (rows) "
        f"{short(float(by_row))}"
    )


def worst_lines(entries: Entries) -> list[str]:
    """The rows and the columns with the largest relative errors; none where nothing differs."""
    found = []
    for what, names, place in (
        ("rows", entries.rows, entries.row),
        ("columns", entries.columns, entries.column),
    ):
        errors = numpy.zeros(len(names))
        numpy.maximum.at(errors, place, entries.errors)
        order = numpy.argsort(-errors, kind="stable")[:_WORST_LINES]
        told = [f"{names[k]} {short(float(errors[k]))}" for k in order.tolist() if errors[k] > 0]
        if told and len(names) > 1:
            found.append(f"worst {what}, by relative error: {', '.join(told)}")
    return found


def worst_table(entries: Entries) -> Table | None:
    """The entries that are furthest from the truth; None where every one is the rounded truth."""
    places = _worst(entries.errors, entries.severities)
    return _table("worst of J", entries, places) if places else None


def sample_table(entries: Entries) -> Table:
    """Entries from the first to the last, evenly spaced."""
    count = min(_SAMPLES, len(entries.row))
    last = max(len(entries.row) - 1, 0)
    places = sorted({k * last // max(count - 1, 1) for k in range(count)})
    return _table("sample of J", entries, places)


def worst_vjp_table(report: Report, name: str) -> Table | None:
    """The same for vᵀJ."""
    judged = report.judged_vjp
    if report.vjp is None or judged is None:
        return None
    errors = vjp_errors(report, name)
    verdicts = judged.verdicts[name].values
    places = _worst(errors, numpy.array([SEVERITIES[v] for v in verdicts], dtype=int))
    if not places:
        return None
    axis = Axis(name, report.inputs[name].shape)
    numbers = report.vjp[name].values
    exact = report.symbolic.vjp[name].values if report.symbolic.vjp else (None,) * len(numbers)
    truths = judged.truth[name].values
    cells = [_cells(numbers[k], exact[k], verdicts[k], truths[k]) for k in places]
    names = [axis[k] for k in places]
    return _drawn(f"worst of {product(report)}", names, cells)


def sight_lines(report: Report, name: str) -> list[str]:
    """What was not compared, and the smallest error that would have been seen."""
    form = format_of(report.problem.dtype)
    least = f"in an entry an error above {form.tolerated:.1e} of it"
    if report.judged_jacobian is None:
        whole = f"J by {name} was not compared, {product(report)} was: {least} is seen there"
        return [f"{whole}, and errors in J that cancel in it are not"] if report.judged_vjp else []
    structure = report.structure.get(name)
    sparse = any(check.name == OUTSIDE and check.compared for check in report.checks)
    if structure is None or not sparse:
        return [f"every entry was compared: {least} is seen"]
    zeros = structure.shape[0] * structure.shape[1] - structure.nonzeros
    return [
        f"compared one by one: the {structure.nonzeros:,} entries that can be non-zero; {least} is "
        "seen",
        f"not one by one: {zeros:,} structural zeros, in products and in {product(report)} of a "
        f"random v; a number above {sqrt(form.unit):.1e} of the sum of its column is seen",
    ]


def _worst(errors: Any, severities: Any) -> list[int]:
    """The places to list, by verdict and then by error; what was not checked has nothing to say."""
    told = (errors > 0) | ((severities > 0) & (severities != Verdict.UNCHECKED.severity))
    places = numpy.flatnonzero(told)
    order = numpy.lexsort((places, -errors[places], -severities[places]))
    found: list[int] = places[order[:WORST]].tolist()
    return found


def _table(title: str, entries: Entries, places: Sequence[int]) -> Table:
    cells = [
        _cells(entries.number(k), entries.truth(k), entries.verdict(k), entries.known_truth(k))
        for k in places
    ]
    return _drawn(title, [entries.name(k) for k in places], cells)


def _cells(
    torch: Number | None, exact: Number | None, verdict: Verdict, truth: Truth
) -> tuple[Cell, ...]:
    return (*compared(torch, exact, verdict, truth), Cell(verdict.value))


def _drawn(title: str, names: Sequence[str], cells: Sequence[tuple[Cell, ...]]) -> Table:
    # where all are ok, a column that says so is only in the way
    told = any(verdict.value != Verdict.OK for *_, verdict in cells)
    columns = _COLUMNS if told else _COLUMNS[:-1]
    return Table(title, names, columns, lambda row, column: cells[row][column])
