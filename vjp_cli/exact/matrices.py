"""Exact derivatives by place: J as its structural non-zeros, and vᵀJ as a column.

Their numbers belong to a node of the tape, and are computed when they are asked for: all of them,
those at some places, or all to about 19 digits.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from vjp_cli.lazy import flint, numpy
from vjp_cli.numbers.near import Near
from vjp_cli.numbers.scalar import Number, to_float
from vjp_cli.tracing.evaluation import array
from vjp_cli.tracing.node import Index, Node, Values
from vjp_cli.tracing.rounded import Rounded


class _Numbers(ABC):
    """Numbers that a node of the tape holds, or will hold."""

    node: Node | None

    @property
    @abstractmethod
    def values(self) -> Values:
        """All of them, exactly."""

    @property
    @abstractmethod
    def near(self) -> Near:
        """All of them to about 19 digits, where they wait."""

    @property
    def waits(self) -> bool:
        """Whether they are many, and not computed yet."""
        return self.node is not None and self.node.waits

    def floats(self) -> Any:
        """The numbers as doubles."""
        if self.waits:
            return self.near.value.astype(float)
        return numpy.array([to_float(value) for value in self.values.tolist()], dtype=float)


@dataclass(frozen=True)
class Matrix(_Numbers):
    """The structural non-zeros of J for one input, by row and column, and the nodes behind.

    Attributes:
        shape: (y.numel(), x.numel()).
        node: holds the exact numbers, one for each (row, column).
        given: the numbers of a matrix without a node.
    """

    shape: tuple[int, int]
    rows: Index
    columns: Index
    node: Node | None = None
    given: Values | None = None

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return len(self.rows)

    @property
    def values(self) -> Values:
        """The exact numbers, one for each (row, column)."""
        if self.node is not None:
            return self.node.values
        return numpy.zeros(0, dtype=object) if self.given is None else self.given

    @property
    def near(self) -> Near:
        """The numbers to about 19 digits; of a matrix that waits."""
        assert self.node is not None
        return self.node.near

    def at(self, places: Index, rounded: Rounded | None = None) -> Mapping[int, Number]:
        """The numbers at these places among ``rows`` and ``columns``: exact ones, or rounded."""
        if self.node is not None:
            return self.node.at(places) if rounded is None else rounded.at(self.node, places)
        return {k: self.values[k] for k in places.tolist()}


@dataclass(frozen=True)
class Column(_Numbers):
    """vᵀJ for one input of ``size`` elements: 0 where no path leads.

    Attributes:
        positions: the elements with a number of the node; none without one.
    """

    size: int
    positions: Index
    node: Node | None = None

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return self.size

    @cached_property
    def values(self) -> Values:
        """The exact numbers, one for each element."""
        column = array([flint.fmpq(0)] * self.size)
        if self.node is not None:
            column[self.positions] = self.node.values
        return column

    @property
    def near(self) -> Near:
        """The numbers to about 19 digits; of a column that waits."""
        assert self.node is not None
        parts = []
        for part in (self.node.near.value, self.node.near.error):
            parts.append(numpy.zeros(self.size, part.dtype))
            parts[-1][self.positions] = part
        return Near(*parts)

    def at(self, elements: Index, rounded: Rounded | None = None) -> Mapping[int, Number]:
        """The numbers at these elements: exact ones, or rounded."""
        found = dict.fromkeys(elements.tolist(), flint.fmpq(0))
        if self.node is None:
            return found
        place = numpy.full(self.size, -1)
        place[self.positions] = numpy.arange(len(self.positions))
        inside = elements[place[elements] >= 0]
        places = place[inside]
        known = self.node.at(places) if rounded is None else rounded.at(self.node, places)
        pairs = zip(inside.tolist(), places.tolist(), strict=True)
        return found | {element: known[k] for element, k in pairs}
