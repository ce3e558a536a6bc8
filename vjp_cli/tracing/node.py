"""Nodes of the tape, and what a run notes on the way: doubts and decisions."""

from dataclasses import dataclass, field
from enum import StrEnum
from math import prod
from typing import Any

from vjp_cli.errors import Place
from vjp_cli.numbers.formula import Formula

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


@dataclass(eq=False, slots=True)
class Node:
    """One array of the tape.

    Attributes:
        kind: see the module.
        values: the exact numbers, flat.
        maps: ELEMENTWISE: for each parent the element it contributes to each element of this node,
            counted from 0. PRODUCT: two of shape (size, k), counted from 0. MOVE and SUM: one of
            shape (size,) or (size, k), counted from 1 over all parents.
        formula: ELEMENTWISE: the formula of the parents.
        name: LEAF: the input's name.
        active: whether a derivative flows through the node.
        serial: the order of creation: parents come before their children.
        place: the part of the expression that made it.
        cut: whether the program itself stops derivatives here or before (``detach``).
    """

    kind: NodeKind
    shape: Shape
    dtype: str
    values: Values
    parents: "tuple[Node, ...]" = ()
    maps: tuple[Index, ...] = ()
    formula: Formula | None = None
    name: str = ""
    active: bool = False
    serial: int = 0
    place: Place | None = None
    cut: bool = False

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


@dataclass
class Decisions:
    """What comparisons, orderings and roundings decided, in the order of the program.

    A run in rounded balls cannot decide them itself: it repeats those of the exact run.
    """

    taken: list[Any] = field(default_factory=list)
    replaying: bool = False
    _next: int = 0

    def replay(self) -> "Decisions":
        """The same decisions, to be repeated from the first."""
        return Decisions(self.taken, replaying=True)

    def next(self) -> Any:
        """The next decision to repeat."""
        self._next += 1
        return self.taken[self._next - 1]
