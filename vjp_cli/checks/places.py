"""Goes through the entries of J and of vᵀJ and has each of them judged."""

import time
from collections.abc import Callable, Iterable
from typing import Any

from vjp_cli.checks.asking import Asked, Judging, Radii
from vjp_cli.checks.entries import UNKNOWN, Entry
from vjp_cli.checks.judge import Judge
from vjp_cli.checks.sizes import largest
from vjp_cli.checks.verdict import Bound
from vjp_cli.derivatives.matrices import TorchMatrix
from vjp_cli.exact.slopes import is_flat
from vjp_cli.lazy import flint, numpy
from vjp_cli.progress import counted
from vjp_cli.report import Verdict
from vjp_cli.tracing.node import Index, OutOfTime

# from the place and the radius of an entry its bound, and why its formula may be no derivative
Asking = Callable[[int, float], tuple[Bound, str]]


def _among(elements: Iterable[int], size: int) -> Index:
    """Which of ``size`` elements are among these."""
    found = numpy.zeros(size, dtype=bool)
    found[[*elements]] = True
    return found


class Places:
    """Goes through the entries of one problem.

    Entries of J that no path reaches are not asked about: their truth is exactly 0, and only a
    number of torch's other than 0 makes them an ``Entry``.
    """

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.side = judge.side
        self.exact = judge.exact
        self.inputs = judge.scaling.point.inputs
        self.v = judge.scaling.point.v

    def matrix(self, name: str) -> Asked:
        """J for one input."""
        found = None if self.side.jacobian is None else self.side.jacobian[name]
        exact, wide = self.exact.side, self.inputs[name].numel()
        if exact is None or self.exact.reason:
            return self._unjudged([] if found is None else found.values()[:1].tolist())
        matrix, doubts, most = exact.jacobian[name], exact.doubts[name], largest(found)
        rows, columns = matrix.rows, matrix.columns
        numbers = None
        if found is not None and name not in self.side.cut:
            numbers = found.at(rows, columns).double().numpy()

        def asking(k: int, radius: float) -> tuple[Bound, str]:
            return Bound(radius, self.judge.size, largest=most), doubts.get(int(columns[k]), "")

        places = Judging(
            f"J by {name}", matrix, numbers, rows * wide + columns, _among(doubts, wide)[columns]
        )
        asked = self._asked(
            places, asking, lambda k: ("jacobian", name, (int(rows[k]), int(columns[k])))
        )
        if found is not None:
            self._outside(asked.entries, found, name, most)
        return asked

    def column(self, name: str) -> Asked:
        """vᵀJ for one input."""
        numbers = self.torch_column(name)
        exact = self.exact.side
        if exact is None or self.exact.reason or exact.vjp is None:
            return self._unjudged(numbers[:1])
        doubts = exact.doubts[name]
        try:
            terms = self._terms(name)
        except OutOfTime:
            # without them a bound would accuse what is right
            return self._unjudged(numbers[:1], "timeout")

        def asking(k: int, radius: float) -> tuple[Bound, str]:
            return Bound(radius, self.judge.scale, terms[k]), doubts.get(k, "")

        elements = numpy.arange(len(numbers))
        found = None if None in numbers else numpy.array(numbers, dtype=float)
        places = Judging(
            f"vᵀJ by {name}", exact.vjp[name], found, elements, _among(doubts, len(numbers))
        )
        return self._asked(places, asking, lambda k: ("vjp", name, (k,)))

    def torch_column(self, name: str) -> list[float | None]:
        """Torch's vᵀJ for one input; 0 where there is no path, None where the pass raised."""
        size = self.inputs[name].numel()
        if self.side.vjp is None and self.side.connected:
            return [None] * size
        if self.side.vjp is None:
            # no graph: 0 where that is the derivative, else no number
            truths = self._truths(name) or [None] * size
            return [0.0 if truth is not None and truth == 0 else None for truth in truths]
        gradient = self.side.vjp[name]
        if gradient is None:
            cut = any(value != 0 for value in self._truths(name) or ())
            return [None if cut else 0.0] * size
        return gradient.double().reshape(-1).tolist()

    def _truths(self, name: str) -> list[Any] | None:
        """The exact vᵀJ for one input; None where it is not known in time."""
        exact = None if self.exact.side is None else self.exact.side.vjp
        try:
            return None if exact is None else exact[name].values.tolist()
        except OutOfTime:
            return None

    def _asked(
        self,
        places: Judging,
        asking: Asking,
        where: Callable[[int], tuple[str, str, tuple[int, ...]]],
    ) -> Asked:
        passed, todo = places.screened(self.judge)
        entries: dict[int, Entry] = {}
        assert self.exact.side is not None
        radii = Radii(places.truth, todo, self.exact.side.rounded)
        try:
            truths = places.truth.at(todo)
        except OutOfTime:
            truths = {}
        for k in counted(todo.tolist(), len(todo), f"judging {places.words},"):
            number = None if places.numbers is None else float(places.numbers[k])
            try:
                if k not in truths or (passed is not None and self._late()):
                    raise OutOfTime
                bound, doubt = asking(k, radii[k])
                entry = self.judge.ask(number, truths[k], bound, doubt, where(k))
            except OutOfTime:
                entry = Entry(Verdict.UNCHECKED, UNKNOWN, number, cause="timeout")
            entries[int(places.flat[k])] = entry
        return Asked(entries, passed)

    def _late(self) -> bool:
        return time.monotonic() > self.judge.scaling.deadline

    def _outside(
        self, entries: dict[int, Entry], found: TorchMatrix, name: str, most: float
    ) -> None:
        """Structural zeros: 0 up to what cancels in a kernel; slopes where a doubt reaches them."""
        assert self.exact.side is not None
        columns = self.inputs[name].numel()
        doubts, matrix = self.exact.side.doubts[name], self.exact.side.jacobian[name]
        reached = [row * columns + c for c in doubts for row in self._reached(name, c)]
        suspects = numpy.array(reached, dtype=int)
        if not found.is_pattern(matrix.rows, matrix.columns):
            other_rows, other_columns = found.nonzero()
            suspects = numpy.concatenate([other_rows * columns + other_columns, suspects])
        if not len(suspects):
            return
        inside = numpy.isin(suspects, matrix.rows * columns + matrix.columns)
        # numpy.unique would load masked arrays for it
        positions = numpy.array(sorted({*suspects[~inside].tolist()}), dtype=int)
        numbers = found.at(positions // max(columns, 1), positions % max(columns, 1)).tolist()
        for position, number in zip(positions.tolist(), numbers, strict=True):
            row, column = divmod(position, columns)
            where = ("jacobian", name, (row, column))
            doubt = doubts.get(column, "")
            try:
                entry = self.judge.ask(number, flint.fmpq(0), Bound(largest=most), doubt, where)
            except OutOfTime:
                entry = Entry(Verdict.UNCHECKED, UNKNOWN, number, cause="timeout")
            entries[position] = entry

    def _reached(self, name: str, column: int) -> Iterable[int]:
        """The outputs that an element in doubt may reach outside of the pattern."""
        rows = range(self.side.output.numel())
        if not self.side.sparse:
            return rows
        # of a large J those with a slope other than 0
        slopes = self.judge.oracle.column(name, column)
        if slopes is None:
            return ()
        return [row for row in rows if not is_flat(slopes.rows[row])]

    def _unjudged(self, first: list[float | None], cause: str = "") -> Asked:
        """Of all entries nothing is known but torch's number of the first."""
        number = first[0] if first else None
        cause = cause or self.exact.reason
        return Asked({}, rest=Entry(Verdict.UNCHECKED, UNKNOWN, number, cause=cause))

    def _terms(self, name: str) -> Any:
        """Σ_i |v_i·J_ij| for each j, from the exact J where it was built."""
        exact, v = self.exact.side, self.v
        size = self.inputs[name].numel()
        if exact is None or v is None or name not in exact.jacobian:
            return numpy.zeros(size)
        matrix = exact.jacobian[name]
        weights = v.double().reshape(-1).cpu().numpy()[matrix.rows]
        values = matrix.floats()
        with numpy.errstate(all="ignore"):
            terms = numpy.where((weights != 0) & numpy.isfinite(values), abs(weights * values), 0)
        return numpy.bincount(matrix.columns, weights=terms, minlength=size)
