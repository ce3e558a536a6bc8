"""Slopes on demand: one column at a time, remembered, until the time is used up."""

import time
from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from vjp_cli.errors import EvaluationError
from vjp_cli.exact.infinite import is_infinite, limits_at_infinity
from vjp_cli.exact.slopes import ColumnSlopes, column_slopes
from vjp_cli.exact.tracing_program import Element, Point, mover_of, numbers_of
from vjp_cli.program import Program
from vjp_cli.tracing.node import OutOfTime
from vjp_cli.tracing.tracer import Untraceable

Column = TypeVar("Column")


class Oracle(ABC, Generic[Column]):
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
        self.program = program
        self.point = point
        self.deadline = deadline
        self.frozen = frozen
        self.known: dict[tuple[str, int], Column | None] = {}
        self.failed: dict[tuple[str, int], Untraceable] = {}

    def column(self, name: str, position: int) -> Column | None:
        """The slopes along one element; None when time ran out.

        Raises:
            Untraceable: the function takes another way beside the point, and cannot be followed
                there (of a frozen program: None).
        """
        key = (name, position)
        if key not in self.known and key not in self.failed:
            try:
                if time.monotonic() > self.deadline:
                    raise OutOfTime
                self.known[key] = self.answer(name, position)
            except OutOfTime:
                self.known[key] = None
            except (Untraceable, EvaluationError) as error:
                self.failed[key] = Untraceable(f"the function beside the point: {error}")
        if key in self.failed and not self.frozen:
            raise self.failed[key]
        return self.known.get(key)

    @abstractmethod
    def answer(self, name: str, position: int) -> Column:
        """The slopes along one element, computed.

        Raises:
            OutOfTime: the deadline came first.
        """


class SlopeOracle(Oracle[ColumnSlopes]):
    """The slopes of every output of a real problem, and of Σ v_i·y_i."""

    def answer(self, name: str, position: int) -> ColumnSlopes:
        """See ``Oracle``; at infinite inputs all elements are answered at once, as limits."""
        if is_infinite(self.point):
            self.known.update(limits_at_infinity(self.program, self.point, self.deadline))
            found = self.known[name, position]
            assert found is not None
            return found
        v = None if self.point.v is None else numbers_of(self.point.v)
        element = Element(name, position)
        evaluate = mover_of(self.program, self.point, element, self.deadline, frozen=self.frozen)
        return column_slopes(evaluate, v, self.deadline)
