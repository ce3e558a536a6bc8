"""Asks one question for each entry of J and of vᵀJ."""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from vjp_cli.checks.as_written import AsWritten
from vjp_cli.checks.causes import Causes
from vjp_cli.checks.entries import UNKNOWN, Entry, Question, judge_entry
from vjp_cli.checks.scaling import Scaling
from vjp_cli.checks.sizes import coarsest, largest
from vjp_cli.checks.verdict import Bound, radius_of
from vjp_cli.derivatives.evaluation import TorchSide
from vjp_cli.derivatives.matrices import TorchMatrix
from vjp_cli.exact.oracle import SlopeOracle
from vjp_cli.exact.side import ExactAnswer
from vjp_cli.exact.slopes import Slopes, is_flat
from vjp_cli.lazy import flint, numpy
from vjp_cli.numbers.scalar import is_finite, to_float
from vjp_cli.numbers.sharing import each_once
from vjp_cli.report import Verdict


class Judge:
    """Asks one question for each entry.

    Entries of J that no path reaches are not asked about: their truth is exactly 0, and only a
    number of torch's other than 0 makes them an ``Entry``.
    """

    def __init__(
        self, side: TorchSide, exact: ExactAnswer, scaling: Scaling, oracle: SlopeOracle
    ) -> None:
        self.oracle = oracle
        frozen = SlopeOracle(scaling.program, scaling.point, scaling.deadline, frozen=True)
        self.written = AsWritten(exact, frozen)
        self.causes = Causes(scaling.program, scaling.point, scaling.deadline)
        self.side = side
        self.exact = exact
        self.scaling = scaling
        self.form = coarsest(scaling.settings.dtype, side, exact)
        self.rounding = exact.rounding
        v = scaling.point.v
        sizes = [abs(value) for value in side.output.reshape(-1).tolist() if math.isfinite(value)]
        weights = [] if v is None else [abs(value) for value in v.reshape(-1).tolist()]
        self.size = max([1.0, *sizes])
        self.scale = max([self.size, *weights])

    def matrix(self, name: str) -> dict[int, Entry]:
        """The entries of J that are asked about, by flat position."""
        found = None if self.side.jacobian is None else self.side.jacobian[name]
        exact = self.exact.side
        columns = self.scaling.point.inputs[name].numel()
        if exact is None or self.exact.reason:
            count = self.side.output.numel() * columns
            numbers = [None] * count if found is None else found.dense().reshape(-1).tolist()
            return self._unjudged(numbers)
        matrix = exact.jacobian[name]
        radii = self._radii(name)
        numbers = (
            [None] * len(matrix.rows)
            if found is None or name in self.side.cut
            else found.at(matrix.rows, matrix.columns).tolist()
        )
        most = largest(found)
        entries: dict[int, Entry] = {}
        doubts = exact.doubts[name]
        for k, (row, column) in enumerate(
            zip(matrix.rows.tolist(), matrix.columns.tolist(), strict=True)
        ):
            bound = Bound(radii[k], self.size, largest=most)
            doubt = doubts.get(column, "")
            where = ("jacobian", name, (row, column))
            truth = matrix.values[k]
            entries[row * columns + column] = self._ask(numbers[k], truth, bound, doubt, where)
        if found is not None:
            self._outside(entries, found, name, most)
        return entries

    def _outside(
        self, entries: dict[int, Entry], found: TorchMatrix, name: str, most: float
    ) -> None:
        """Structural zeros: 0 up to what cancels in a kernel; slopes where a doubt reaches them."""
        assert self.exact.side is not None
        columns = self.scaling.point.inputs[name].numel()
        doubts = self.exact.side.doubts[name]
        other_rows, other_columns = found.nonzero()
        suspects = set((other_rows * columns + other_columns).tolist())
        suspects.update(
            row * columns + column for column in doubts for row in self._reached(name, column)
        )
        positions = numpy.array(sorted(suspects - entries.keys()), dtype=int)
        numbers = found.at(positions // max(columns, 1), positions % max(columns, 1)).tolist()
        for position, number in zip(positions.tolist(), numbers, strict=True):
            row, column = divmod(position, columns)
            where = ("jacobian", name, (row, column))
            zero = flint.fmpq(0)
            entries[position] = self._ask(
                number, zero, Bound(largest=most), doubts.get(column, ""), where
            )

    def _reached(self, name: str, column: int) -> Iterable[int]:
        """The outputs that an element in doubt may reach outside of the pattern."""
        rows = range(self.side.output.numel())
        if not self.side.sparse:
            return rows
        # of a large J those with a slope other than 0
        slopes = self.oracle.column(name, column)
        if slopes is None:
            return ()
        return [row for row in rows if not is_flat(slopes.rows[row])]

    def column(self, name: str) -> dict[int, Entry]:
        """The entries of vᵀJ."""
        numbers = self.torch_column(name)
        exact = self.exact.side
        if exact is None or self.exact.reason or exact.vjp is None:
            return self._unjudged(numbers)
        balls = None if self.rounding is None else self.rounding.vjp
        terms = self._terms(name)
        doubts = exact.doubts[name]
        entries: dict[int, Entry] = {}
        for k, number in enumerate(numbers):
            radius = math.inf if balls is None else radius_of(balls[name][k])
            bound = Bound(radius, self.scale, terms[k])
            where = ("vjp", name, (k,))
            truth = exact.vjp[name][k]
            entries[k] = self._ask(number, truth, bound, doubts.get(k, ""), where)
        return entries

    def torch_column(self, name: str) -> list[float | None]:
        """Torch's vᵀJ for one input; 0 where there is no path, None where the pass raised."""
        size = self.scaling.point.inputs[name].numel()
        if self.side.vjp is None and self.side.connected:
            return [None] * size
        if self.side.vjp is None:
            # no graph: 0 where that is the derivative, else no number
            exact = None if self.exact.side is None else self.exact.side.vjp
            truths = [None] * size if exact is None else exact[name].tolist()
            return [0.0 if truth is not None and truth == 0 else None for truth in truths]
        gradient = self.side.vjp[name]
        if gradient is None:
            truth = None if self.exact.side is None else self.exact.side.vjp
            cut = truth is not None and any(value != 0 for value in truth[name].tolist())
            return [None if cut else 0.0] * size
        return [float(value) for value in gradient.reshape(-1).tolist()]

    def notes(self) -> list[str]:
        """What the reader must know of the judgement as a whole."""
        if self.exact.reason:
            return [f"nothing was checked: {self.exact.reason}"]
        return []

    def _ask(
        self,
        number: float | None,
        truth: Any,
        bound: Bound,
        doubt: str,
        where: tuple[str, str, tuple[int, ...]],
    ) -> Entry:
        target, name, index = where

        def slopes() -> Slopes | None:
            column = self.oracle.column(name, index[-1])
            if column is None:
                return None
            found = column.weighted if target == "vjp" else column.rows[index[0]]
            if found is not None and found.hole and self._has_value(target, index):
                # the formula has a hole where torch, rightly, has a number: sinc′ at 0
                return replace(found, hole=False)
            return found

        custom = bool(self.side.backwards)
        question = Question(
            number,
            truth,
            bound,
            self.form,
            doubt,
            lambda: self.scaling.is_rounding(target, name, index, custom=custom),
            custom,
            slopes,
            lambda: self.written.entry(target, name, index),
        )
        return self._explained(judge_entry(question), target, name, index)

    def _has_value(self, target: str, index: tuple[int, ...]) -> bool:
        """Whether torch's y is a number wherever the entry looks at it."""
        values = self.side.output.reshape(-1)
        if target == "jacobian":
            return bool(values[index[0]].isfinite())
        v = self.scaling.point.v
        assert v is not None
        return bool(values[v.reshape(-1).cpu() != 0].isfinite().all())

    def _explained(self, entry: Entry, target: str, name: str, index: tuple[int, ...]) -> Entry:
        """The entry with the operation to blame; a saturation that none explains is wrong."""
        if entry.verdict is Verdict.MISSING:
            return replace(entry, cause=self._why_no_number(name))
        blamable = (Verdict.NAN, Verdict.SATURATED)
        if entry.verdict not in blamable or entry.torch is None:
            return entry
        row = None if target == "vjp" else index[0]
        event = self.causes.of(name, index[-1], row, entry.torch.real)
        if event is not None:
            return replace(entry, cause=event.words, place=event.place)
        if entry.verdict is Verdict.SATURATED:
            return replace(entry, verdict=Verdict.WRONG)
        return entry

    def _why_no_number(self, name: str) -> str:
        if self.side.failure and self.side.connected:
            return f"the backward pass raises: {self.side.failure}"
        if not self.side.connected:
            return "y has no graph: nothing that y depends on requires a gradient"
        functions = " or ".join(function.__name__ for function in self.side.functions)
        returned = f", or the backward of {functions} returns None for it" if functions else ""
        return f"no path of torch's graph leads back to {name}{returned}"

    def _unjudged(self, numbers: "list[float | None]") -> dict[int, Entry]:
        unknown = Entry(Verdict.UNCHECKED, UNKNOWN, cause=self.exact.reason)
        return {k: replace(unknown, torch=number) for k, number in enumerate(numbers)}

    def _radii(self, name: str) -> list[float]:
        assert self.exact.side is not None
        if self.rounding is None:
            return [math.inf] * len(self.exact.side.jacobian[name].rows)
        return each_once(radius_of, self.rounding.jacobian[name].values.tolist())

    def _terms(self, name: str) -> list[float]:
        """Σ_i |v_i·J_ij| for each j, from the exact J where it was built."""
        sums = [0.0] * self.scaling.point.inputs[name].numel()
        exact, v = self.exact.side, self.scaling.point.v
        if exact is None or v is None or name not in exact.jacobian:
            return sums
        weights = v.reshape(-1).tolist()
        matrix = exact.jacobian[name]
        for row, column, value in zip(
            matrix.rows.tolist(), matrix.columns.tolist(), matrix.values.tolist(), strict=True
        ):
            if weights[row] and is_finite(value):
                sums[column] += abs(weights[row] * to_float(value))
        return sums
