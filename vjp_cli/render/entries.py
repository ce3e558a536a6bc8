"""The one table behind the formats for machines: a row for every entry of every derivative.

Rows are made one after the other, and a J that is listed by its possible non-zeros stays so.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from vjp_cli.render.positions import listed
from vjp_cli.render.tables import Axis, difference
from vjp_cli.report import (
    Array,
    Judged,
    Number,
    Report,
    Truth,
    TruthKind,
    Verdict,
    known_truth,
    numbers_at,
)

_UNKNOWN = Truth(TruthKind.UNKNOWN)


@dataclass(frozen=True)
class Entry:
    """One entry of a derivative, by itself.

    Attributes:
        of: what it is an entry of: ``jacobian``, ``vjp`` (``vjp[1]`` for the second v), ``grad``
            (the sum over several v), ``loss`` (the gradient of it), ``jvp``, ``contribution``.
        output: the name of the output, where the entry belongs to one element of it; else "".
        output_index: that element.
        input: the name of the input, where the entry belongs to one element of it; else "".
        input_index: that element.
        value: torch's number; None where torch gives none.
        truth: the float nearest to the exact derivative; None where there is no single one.
        left: the slope from the left at a kink, else None; right: that from the right.
        verdict: None where the entry was not judged.
    """

    of: str
    output: str
    output_index: tuple[int, ...]
    input: str
    input_index: tuple[int, ...]
    value: Number | None
    truth: Number | None = None
    left: Number | None = None
    right: Number | None = None
    verdict: Verdict | None = None

    @property
    def difference(self) -> Number | None:
        """Torch's number less the truth; None where one of them is not there."""
        if self.value is None or self.truth is None:
            return None
        return difference(self.value, self.truth)


@dataclass(frozen=True)
class _Part:
    """Numbers of one derivative by one input, and the axes that they run over."""

    of: str
    output: Axis | None
    input: Axis | None
    values: Sequence[Number | None]
    verdicts: Sequence[Verdict] | None = None
    truths: Array[Truth] | None = None
    positions: Sequence[int] | None = None

    def entries(self) -> Iterator[Entry]:
        columns = 1 if self.input is None else len(self.input)
        positions = range(len(self.values)) if self.positions is None else self.positions
        numbers = None if self.truths is None else numbers_at(self.truths, positions)
        for k, position in enumerate(positions):
            row, column = divmod(position, columns)
            truth = _UNKNOWN if self.truths is None else known_truth(self.truths, position)
            slopes = truth.kind is TruthKind.SLOPES
            yield Entry(
                self.of,
                *_place(self.output, row),
                *_place(self.input, column),
                self.values[position],
                None if numbers is None else numbers[k],
                _number(truth.left) if slopes else None,
                _number(truth.right) if slopes else None,
                None if self.verdicts is None else self.verdicts[position],
            )


def entries(report: Report, max_entries: int) -> Iterator[Entry]:
    """Every entry: of J by rows, then of vᵀJ, then of what else was asked for.

    Args:
        report: any report.
        max_entries: a J of more than these is listed by its possible non-zeros.
    """
    for part in _parts(report, max_entries):
        yield from part.entries()


def _parts(report: Report, max_entries: int) -> Iterator[_Part]:
    outputs = Axis(report.output.name, report.output.value.shape)
    sparse = listed(report, max_entries)
    for name, array in (report.jacobian or {}).items():
        judged = _judged(report.judged_jacobian, name)
        yield _Part(
            "jacobian", outputs, _inputs(report, name), array.values, *judged, sparse.get(name)
        )
    yield from _by_input(report, "vjp", report.vjp, report.judged_vjp)
    several = report.accumulation
    if several is not None:
        for number, pull in enumerate(several.pulls[1:], start=1):
            yield from _by_input(report, f"vjp[{number}]", pull.vjp, pull.judged)
        yield from _by_input(report, "grad", several.total, None)
    if report.loss is not None:
        yield from _by_input(report, "loss", report.loss.gradient, report.loss.judged_gradient)
    if report.tangent is not None:
        jvp = report.tangent.jvp.values
        yield _Part("jvp", outputs, None, jvp, *_judged(report.tangent.judged, outputs.variable))
    if report.contributions is not None:
        for name, part in report.contributions.inputs.items():
            places = sparse.get(name)
            values = part.values.values
            yield _Part("contribution", outputs, _inputs(report, name), values, positions=places)


def _by_input(report: Report, of: str, arrays: Any, judged: Judged | None) -> Iterator[_Part]:
    """A part for each input of a gradient."""
    found: dict[str, Array[Number | None]] = dict(arrays or {})
    for name, array in found.items():
        yield _Part(of, None, _inputs(report, name), array.values, *_judged(judged, name))


def _judged(
    judged: Judged | None, name: str
) -> tuple[Sequence[Verdict] | None, Array[Truth] | None]:
    if judged is None or name not in judged.verdicts:
        return None, None
    return judged.verdicts[name].values, judged.truth[name]


def _inputs(report: Report, name: str) -> Axis:
    return Axis(name, report.inputs[name].shape)


def _place(axis: Axis | None, position: int) -> tuple[str, tuple[int, ...]]:
    return ("", ()) if axis is None else (axis.variable, axis.indices(position))


def _number(text: str) -> Number | None:
    """The number nearest to 30 digits; None for words."""
    try:
        return complex(text.replace(" ", "")) if "j" in text else float(text)
    except ValueError:
        return None
