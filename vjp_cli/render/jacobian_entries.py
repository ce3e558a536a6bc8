"""The entries of one J as arrays: what pictures, norms and lists of a large J are made of."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from vjp_cli.lazy import numpy
from vjp_cli.render.tables import Axis, transposed
from vjp_cli.report import (
    Array,
    Number,
    Report,
    Truth,
    TruthKind,
    Verdict,
    number_of,
    numbers_at,
)

_UNKNOWN = Truth(TruthKind.UNKNOWN)
# looked up for each of many entries
SEVERITIES = {verdict: verdict.severity for verdict in Verdict}
_VERDICTS = sorted(Verdict, key=lambda verdict: verdict.severity)


@dataclass(frozen=True)
class Entries:
    """The entries that are not 0, may be, or are not ``ok``; all others are 0 and ``ok``.

    Of Jᵀ where the report shows that.

    Attributes:
        rows: the names of the rows.
        columns: the names of the columns.
        row: the row of each entry.
        column: its column.
        values: torch's numbers; NaN where it gives none.
        known: whether torch gives a number.
        truths: the exact ones of the whole J; None where nothing was judged.
        places: the flat place of each entry in it.
        severities: of the verdicts.
        outputs_first: whether rows are outputs.
        patterned: whether the pattern is known, so that all other places are structural zeros.
    """

    rows: Axis
    columns: Axis
    row: Any
    column: Any
    values: Any
    known: Any
    truths: Array[Truth] | None
    places: Any
    severities: Any
    outputs_first: bool
    patterned: bool

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return len(self.rows), len(self.columns)

    @cached_property
    def exact(self) -> Any:
        """The truths as numbers; NaN where there is not one."""
        if self.truths is None:
            return numpy.full(len(self.places), numpy.nan)
        return _array(numbers_at(self.truths, self.places.tolist()))

    @cached_property
    def errors(self) -> Any:
        """|torch - truth| / |truth|; -1 where that is not known, inf where the truth is 0 or gone.

        What is equal to the rounded truth has the error 0.
        """
        return _errors(self.values, self.exact, self.known)

    def verdict(self, k: int) -> Verdict:
        """The verdict of the k-th entry."""
        return _VERDICTS[int(self.severities[k])]

    def number(self, k: int) -> Number | None:
        """Torch's number of the k-th entry."""
        found: Number = self.values[k].item()
        return found if self.known[k] else None

    def truth(self, k: int) -> Number | None:
        """The truth of the k-th entry, where it is one number."""
        return number_of(self.known_truth(k))

    def known_truth(self, k: int) -> Truth:
        """What is known of the truth of the k-th entry."""
        return _UNKNOWN if self.truths is None else self.truths.values[int(self.places[k])]

    def name(self, k: int) -> str:
        """``∂y[0]/∂x[1]``."""
        row, column = self.rows[int(self.row[k])], self.columns[int(self.column[k])]
        return f"∂{row}/∂{column}" if self.outputs_first else f"∂{column}/∂{row}"


def entries_of(report: Report, name: str) -> Entries:
    """The entries of the J by one input; there is a J."""
    assert report.jacobian is not None
    outputs = Axis(report.output.name, report.output.value.shape)
    inputs = Axis(name, report.inputs[name].shape)
    structure = report.structure.get(name)
    pattern = structure.positions if structure else frozenset()
    positions, values, known = _numbers(report.jacobian[name], pattern)
    severities = numpy.zeros(len(positions), dtype=int)
    truths = None
    if report.judged_jacobian is not None:
        verdicts = report.judged_jacobian.verdicts[name]
        bad = {k: SEVERITIES[v] for k, v in verdicts.listed() if v is not Verdict.OK}
        new = numpy.setdiff1d(numpy.array(sorted(bad), dtype=int), positions)
        if len(new):
            merged = numpy.append(positions, new)
            order = numpy.argsort(merged)
            positions = merged[order]
            values = numpy.append(values, numpy.zeros(len(new)))[order]
            known = numpy.append(known, numpy.ones(len(new), dtype=bool))[order]
        severities = numpy.array([bad.get(k, 0) for k in positions.tolist()], dtype=int)
        truths = report.judged_jacobian.truth[name]
    row, column = numpy.divmod(positions, max(len(inputs), 1))
    first = not transposed(report)
    if not first:
        row, column, outputs, inputs = column, row, inputs, outputs
    return Entries(
        outputs,
        inputs,
        row,
        column,
        values,
        known,
        truths,
        positions,
        severities,
        first,
        structure is not None,
    )


def vjp_errors(report: Report, name: str) -> Any:
    """Of each entry of vᵀJ what ``Entries.errors`` is of J; it was judged."""
    assert report.vjp is not None
    assert report.judged_vjp is not None
    truths = numbers_at(report.judged_vjp.truth[name])
    values = report.vjp[name].values
    return _errors(_array(values), _array(truths), numpy.array([v is not None for v in values]))


def _errors(values: Any, exact: Any, known: Any) -> Any:
    with numpy.errstate(all="ignore"):
        found = numpy.abs(values - exact) / numpy.abs(exact)
    found[~numpy.isfinite(found)] = numpy.inf
    found[values == exact] = 0
    found[numpy.isnan(exact) | ~known] = -1
    return found


def _array(numbers: Iterable[Number | None]) -> Any:
    """With NaN in the place of None."""
    found = [numpy.nan if number is None else number for number in numbers]
    complex_ones = any(isinstance(number, complex) for number in found)
    return numpy.array(found, dtype=complex if complex_ones else float)


def _numbers(array: Array[Number | None], pattern: frozenset[int]) -> tuple[Any, Any, Any]:
    """The flat places in ascending order, their numbers, and whether there is a number."""
    listed = dict(array.listed())
    chosen = [k for k, value in listed.items() if value != 0]
    places = numpy.array(sorted({*chosen, *pattern}), dtype=int)
    found = [listed.get(k, 0.0) for k in places.tolist()]
    known = numpy.array([value is not None for value in found], dtype=bool)
    return places, _array(found), known
