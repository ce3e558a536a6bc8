"""Nodes of the tape, and the doubts that a run notes on the way."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from math import prod
from typing import Any, Protocol

from vjp_cli.errors import Place
from vjp_cli.numbers.formula import Formula
from vjp_cli.numbers.near import Near
from vjp_cli.numbers.scalar import Number

Shape = tuple[int, ...]
# flat arrays: of exact numbers (dtype object), and of positions (dtype int64)
Values = Any
Index = Any


# the reason of a doubt that no slope can settle
NOT_UNIQUE = "the value is not unique here"


# the reason of a doubt about values that came without a formula
NO_FORMULA = "evaluated without a formula"


class NodeKind(StrEnum):
    """What a node is; see the module."""

    LEAF = "leaf"
    CONSTANT = "constant"
    ELEMENTWISE = "elementwise"
    MOVE = "move"
    SUM = "sum"
    PRODUCT = "product"
    OPAQUE = "opaque"


class OutOfTime(Exception):
    """The symbolic side has used up its time."""


class TooManyEntries(OutOfTime):
    """J has more entries than exact numbers can be held for: a matter of time and of memory."""


class Numbers(Protocol):
    """Computes the numbers of nodes."""

    def values(self, node: "Node") -> Values:
        """All exact numbers."""

    def at(self, node: "Node", positions: Index) -> dict[int, Number]:
        """The exact numbers at these positions."""

    def near(self, node: "Node") -> Near:
        """All numbers to about 19 digits."""

    def look_at_the_clock(self) -> None:
        """Raise ``OutOfTime`` when the deadline is over."""


@dataclass(eq=False, slots=True)
class Node:
    """One array of the tape.

    Attributes:
        kind: see the module.
        held: the exact numbers, flat; None until someone asks for all of them.
        maps: ELEMENTWISE: for each parent the element it contributes to each element of this node,
            counted from 0. PRODUCT: two of shape (size, k), counted from 0. MOVE and SUM: one of
            shape (size,) or (size, k), counted from 1 over all parents.
        formula: ELEMENTWISE: the formula of the parents.
        name: LEAF: the input's name.
        active: whether a derivative flows through the node.
        serial: the order of creation: parents come before their children.
        place: the part of the expression that made it.
        cut: whether the program itself stops derivatives here or before (``detach``).
        weighs: ELEMENTWISE: whether it is a cotangent times a local derivative, in which an exact
            0 of the first wins.
        source: LEAF and CONSTANT: the numbers as plain ones, where they were given as such.
        moved: LEAF: exact numbers that stand in the place of those of the source, by position.
        again: OPAQUE: computes the values anew from those of its parents.
        numbers: computes what is not held.
        near_held: the numbers to about 19 digits, once someone asked for them.
    """

    kind: NodeKind
    shape: Shape
    dtype: str
    held: Values | None
    parents: "tuple[Node, ...]" = ()
    maps: tuple[Index, ...] = ()
    formula: Formula | None = None
    name: str = ""
    active: bool = False
    serial: int = 0
    place: Place | None = None
    cut: bool = False
    weighs: bool = False
    source: Any = None
    moved: dict[int, Number] = field(default_factory=dict)
    again: "Callable[[Callable[[Node], Values]], Values] | None" = None
    numbers: Numbers | None = None
    near_held: Near | None = None

    @property
    def values(self) -> Values:
        """The exact numbers, flat."""
        if self.held is None:
            assert self.numbers is not None
            self.held = self.numbers.values(self)
        return self.held

    @values.setter
    def values(self, values: Values) -> None:
        self.held = values
        self.source = self.near_held = None

    def move(self, position: int, number: Number) -> None:
        """Put another exact number in the place of one of a leaf."""
        if self.waits:
            self.moved[position] = number
            self.near_held = None
        else:
            values = self.values.copy()
            values[position] = number
            self.values = values

    @property
    def waits(self) -> bool:
        """Whether its exact numbers have not been computed: better ask for few, or near ones."""
        return self.held is None

    def at(self, positions: Index) -> dict[int, Number]:
        """The exact numbers at these positions, computed for them alone where the node waits."""
        if self.held is not None or self.numbers is None:
            return {k: self.values[k] for k in positions.tolist()}
        return self.numbers.at(self, positions)

    @property
    def near(self) -> Near:
        """The numbers to about 19 digits."""
        if self.near_held is None:
            assert self.numbers is not None
            self.near_held = self.numbers.near(self)
        return self.near_held

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)


@dataclass(frozen=True)
class Doubt:
    """Elements of a node at which a formula may not be the derivative: a tie or a singularity."""

    node: Node
    positions: Index
    reason: str
    place: Place | None
