"""Every entry of J and of vᵀJ of a complex problem judged, by slopes alone."""

import cmath
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from vjp_cli.checks.asking import all_asked
from vjp_cli.checks.complex_diagnosis import complex_diagnoses
from vjp_cli.checks.complex_entries import ComplexQuestion, ascent_of, judge_complex_entry
from vjp_cli.checks.complex_scaling import ComplexScaling
from vjp_cli.checks.context import Context
from vjp_cli.checks.entries import UNKNOWN, Entry
from vjp_cli.checks.judgement import Judgement, accused
from vjp_cli.checks.tally import Tally
from vjp_cli.checks.verdict import Bound, Gap, measure
from vjp_cli.exact.complex_slopes import ComplexColumn, ComplexSlopes, slope_of
from vjp_cli.exact.side import ExactAnswer
from vjp_cli.lazy import torch
from vjp_cli.numbers.dtypes import format_of
from vjp_cli.numbers.scalar import to_float, to_number
from vjp_cli.report import Array, Truth, TruthKind, Verdict, value_of
from vjp_cli.tracing.tracer import Untraceable

NOTE = (
    "complex: torch returns the conjugate of the derivative (the steepest-ascent convention); "
    "where y is holomorphic the truth is the derivative itself, elsewhere ∂L/∂re + i·∂L/∂im of "
    "L = Re Σ conj(v_i)·y_i"
)


def judge_complex(
    context: Context, exact: ExactAnswer, *, jacobian: bool, deadline: float
) -> Judgement:
    """Judge all that torch gave; like ``judge``, for a program with complex numbers."""
    judges = _ComplexJudge(context, exact, deadline)
    side, v = context.side, context.point.v
    shapes = {name: tuple(context.point.inputs[name].shape) for name in side.wrt}
    tally = Tally(side.output.ndim)
    judged_jacobian = judged_vjp = numbers = truths = None
    if jacobian:
        whole = {name: (*side.output.shape, *shapes[name]) for name in side.wrt}
        matrices = {name: dict(judges.matrix(name)) for name in side.wrt}
        judged_jacobian = tally.add("jacobian", all_asked(matrices), whole)
    if v is not None:
        columns = {name: dict(judges.column(name)) for name in side.wrt}
        judged_vjp = tally.add("vjp", all_asked(columns), shapes)
        numbers = {n: Array(shapes[n], tuple(map(_shown, columns[n].values()))) for n in shapes}
        truths = {name: judged_vjp.truth[name].map(_as_number) for name in side.wrt}
    wrong = accused(judged_jacobian, judged_vjp)
    return Judgement(
        judged_jacobian,
        judged_vjp,
        tuple(tally.checks),
        tally.told_once(),
        judges.notes(),
        tally.fewest_digits,
        numbers,
        truths,
        complex_diagnoses(context, judges.ascents, judges.form, wrong),
    )


def _shown(entry: Entry) -> complex | None:
    """Torch's number; 0 where torch has no path and there is none."""
    return 0.0 if entry.torch is None and entry.verdict is Verdict.OK else entry.torch


def _as_number(truth: Truth) -> complex | None:
    return value_of(truth) if truth.kind is TruthKind.VALUE else None


# Terms this many times as large as y and v may cancel to 0.
_CANCELLED = 128
# verdicts that need no excuse
_RIGHT = (Verdict.OK, Verdict.BY_DESIGN, Verdict.KINK, Verdict.UNDEFINED)


@dataclass
class _ComplexJudge:
    """Asks one question for each entry."""

    context: Context
    exact: ExactAnswer
    deadline: float

    def __post_init__(self) -> None:
        program, point = self.context.program, self.context.point
        self.oracle = ComplexSlopes(program, point, self.deadline)
        self.frozen = ComplexSlopes(program, point, self.deadline, frozen=True)
        self.scaling = ComplexScaling(self.context, self.deadline)
        # what torch should give, by input, element and output (None for vᵀJ)
        self.ascents: dict[tuple[str, int, int | None], complex] = {}
        self.form = format_of(str(self.context.side.output.dtype).removeprefix("torch."))
        weights = [] if point.v is None else point.v.reshape(-1).tolist()
        self.weights: list[float] = [abs(weight) for weight in weights]
        sizes = [abs(y) for y in self.context.side.output.reshape(-1).tolist() if cmath.isfinite(y)]
        self.scale = max([1.0, *sizes, *self.weights])

    def matrix(self, name: str) -> Iterator[tuple[int, Entry]]:
        """The entries of J, by flat position."""
        jacobian = self.context.side.jacobian
        found = None if jacobian is None else jacobian[name].dense().tolist()
        columns = self.context.point.inputs[name].numel()
        for row in range(self.context.side.output.numel()):
            for k in range(columns):
                number = None if found is None else found[row][k]
                yield row * columns + k, self._entry(number, name, k, row)

    def column(self, name: str) -> Iterator[tuple[int, Entry]]:
        """The entries of vᵀJ."""
        vjp = self.context.side.vjp
        gradient = None if vjp is None else vjp[name]
        numbers = None if gradient is None else gradient.reshape(-1).tolist()
        for k in range(self.context.point.inputs[name].numel()):
            yield k, self._entry(None if numbers is None else numbers[k], name, k, None)

    def notes(self) -> tuple[str, ...]:
        """What the reader must know of the judgement as a whole."""
        if self.exact.reason:
            return (f"nothing was checked: {self.exact.reason}",)
        inputs = [self.context.point.inputs[name] for name in self.context.point.wrt]
        return (NOTE,) if any(value.is_complex() for value in inputs) else ()

    def _entry(self, number: complex | None, name: str, k: int, row: int | None) -> Entry:
        """The entry of vᵀJ, or of a row of J, at element k of an input."""
        if self.exact.reason:
            return Entry(Verdict.UNCHECKED, UNKNOWN, number, cause=self.exact.reason)
        try:
            column = self.oracle.column(name, k)
        except Untraceable as error:
            reason = f"the tracer cannot follow {error}"
            return Entry(Verdict.UNCHECKED, UNKNOWN, number, cause=reason)
        if column is None:
            return Entry(Verdict.UNCHECKED, UNKNOWN, number, cause="timeout")
        slopes = column.functional(row)
        ascent = ascent_of(slopes)
        if ascent is not None:
            self.ascents[name, k, row] = complex(to_number(ascent))
        question = ComplexQuestion(
            number,
            slopes,
            self._derivative(column, row),
            Bound(0.0, self.scale, self._terms(column, row)),
            Bound(0.0, self.scale, self._at_zero(name, k, row)),
            self.form,
            lambda: self.scaling.is_rounding(name, k, row),
            bool(self.context.side.backwards),
        )
        return self._by_design(judge_complex_entry(question), question, (name, k, row))

    def _derivative(self, column: ComplexColumn, row: int | None) -> Any:
        if row is not None:
            return column.derivative(row)
        assert self.context.point.v is not None
        return column.derivative_of_sum(self.context.point.v)

    def _by_design(
        self, entry: Entry, question: ComplexQuestion, where: tuple[str, int, int | None]
    ) -> Entry:
        """By design where torch's number is that of the program as written (a detach)."""
        assert self.exact.side is not None
        departures = self.exact.side.traced.tape.departures
        if not departures or question.torch is None or entry.verdict in _RIGHT:
            return entry
        name, k, row = where
        column = self.frozen.column(name, k)
        written = None if column is None else ascent_of(column.functional(row))
        if written is None:
            return entry
        gap = measure(question.torch, written, question.bound, self.form).gap
        if gap not in (Gap.NONE, Gap.ROUNDED):
            return entry
        words = ", ".join(dict.fromkeys(departures))
        return replace(entry, verdict=Verdict.BY_DESIGN, cause=f"by design: {words}")

    def _terms(self, column: ComplexColumn, row: int | None) -> float:
        """Σ|v_i·J_ij| over the outputs, or |J_ij| of one."""
        if row is not None:
            return _size(column, row)
        weights = enumerate(self.weights)
        return sum(weight * _size(column, i) for i, weight in weights if weight)

    def _at_zero(self, name: str, k: int, row: int | None) -> float:
        """What the terms that cancel to 0 may be made of; nothing where no path leads.

        No bound of their rounding is known: the largest entries of J, and y and v, stand for them.
        """
        rows = [row] if row is not None else [i for i, weight in enumerate(self.weights) if weight]
        if not any((i, k) in self._pattern[name] for i in rows):
            return 0.0
        sizes = self._row_sizes
        weights = self.weights if row is None else dict.fromkeys(rows, 1.0)
        terms: float = sum(weights[i] * sizes[i] for i in rows) if sizes else 0.0
        least: float = _CANCELLED * self.scale
        return max(terms, least)

    @cached_property
    def _pattern(self) -> dict[str, set[tuple[int, int]]]:
        assert self.exact.side is not None
        return {
            name: set(zip(matrix.rows.tolist(), matrix.columns.tolist(), strict=True))
            for name, matrix in self.exact.side.jacobian.items()
        }

    @cached_property
    def _row_sizes(self) -> list[float]:
        jacobian = self.context.side.jacobian
        if jacobian is None:
            return []
        sizes = torch.cat([matrix.dense().abs() for matrix in jacobian.values()], dim=1)
        rows: list[list[float]] = sizes.tolist()
        return [max((size for size in row if math.isfinite(size)), default=0.0) for row in rows]


def _size(column: ComplexColumn, row: int) -> float:
    """The size of one output's derivative, in both parts and directions."""
    numbers = map(slope_of, column.parts(row))
    return math.hypot(*[to_float(number) for number in numbers if number is not None])
