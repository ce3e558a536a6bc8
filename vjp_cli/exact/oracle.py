"""Slopes on demand: one column at a time, remembered, until the time is used up."""

from vjp_cli.exact.infinite import is_infinite, limits_at_infinity
from vjp_cli.exact.slopes import ColumnSlopes, column_slopes
from vjp_cli.exact.tracing_program import Element, Point, mover_of, numbers_of
from vjp_cli.program import Program
from vjp_cli.tracing.node import OutOfTime


class SlopeOracle:
    """Answers what the slopes of the whole function are along one input element.

    Args:
        program: the function.
        point: where, and with which v.
        deadline: no answer is begun after it.
        frozen: ask about the program as written, where it departs from its mathematics.
    """

    def __init__(
        self, program: Program, point: Point, deadline: float, *, frozen: bool = False
    ) -> None:
        self.frozen = frozen
        self.program = program
        self.point = point
        self.deadline = deadline
        self._known: dict[tuple[str, int], ColumnSlopes | None] = {}

    def column(self, name: str, position: int) -> ColumnSlopes | None:
        """The slopes of every output along one element; None when time ran out."""
        key = (name, position)
        if key not in self._known:
            try:
                self._answer(name, position)
            except OutOfTime:
                self._known[key] = None
        return self._known[key]

    def _answer(self, name: str, position: int) -> None:
        if is_infinite(self.point):
            self._known.update(limits_at_infinity(self.program, self.point, self.deadline))
            return
        v = None if self.point.v is None else numbers_of(self.point.v)
        element = Element(name, position)
        evaluate = mover_of(self.program, self.point, element, self.deadline, frozen=self.frozen)
        self._known[name, position] = column_slopes(evaluate, v, self.deadline)
