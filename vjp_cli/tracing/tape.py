"""The tape: a program as array operations on exact numbers.

Four kinds of node carry nearly everything: ``elementwise`` (a formula of scalar parents), ``move``
(a flat index map), ``sum`` (sums of elements) and ``product`` (sums of products). An ``opaque``
node has values and no formula (eigenvalues): only slopes of the whole function see through it.
Leaves are inputs and constants. A node's values are computed when it is made and never change.

Index maps count the elements of all parents, laid one after another, from 1; 0 stands for the
constant zero. So padding needs no parent of its own, and sums of unequal length are padded with 0.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

from vjp_cli.errors import Place
from vjp_cli.lazy import numpy
from vjp_cli.numbers.dtypes import is_complex_dtype
from vjp_cli.numbers.formula import Formula, formula, slots
from vjp_cli.numbers.near import Near, available
from vjp_cli.numbers.scalar import Number, is_finite, paired, precision, shorten
from vjp_cli.numbers.sharing import each_once
from vjp_cli.settings import LIMITS
from vjp_cli.tracing.evaluation import array, near_of, values_at, values_of
from vjp_cli.tracing.node import (
    Doubt,
    Index,
    Node,
    NodeKind,
    OutOfTime,
    Shape,
    Values,
)

# an array of numbers that are not exact yet
Plain = Any
# computes values anew from those of the parents
Again = Callable[[Callable[[Node], Values]], Values]


class Tape:
    """Makes nodes and holds what was met on the way.

    Args:
        bits: the precision of balls.
        frozen: stop derivatives where the program stops them (``detach``).
        deadline: the time (``time.monotonic``) at which to give up.
    """

    def __init__(
        self,
        bits: int,
        *,
        frozen: bool = False,
        deadline: float | None = None,
    ) -> None:
        self.bits = bits
        self.frozen = frozen
        self.deadline = deadline
        self.doubts: list[Doubt] = []
        # the dtypes through which derivatives flow
        self.dtypes: set[str] = set()
        # operations whose departure is being written out
        self.written: set[str] = set()
        # the values that a frozen program holds fast, and whether they are repeated from the list
        self.frozen_values: list[Values] = []
        self.holding = False
        # where the program leaves its mathematics, by name
        self.departures: list[str] = []
        # whether a custom forward runs, in which the program keeps no graph that could be cut
        self.unbroken = False
        # the lines of the user's code that went one way because of a number of the inputs, and
        # those that took such a number out of torch
        self.branches: dict[str, None] = {}
        self.taken_out: dict[str, None] = {}
        # names the line of the user's code that is running
        self.line: Callable[[], str] = str
        # the tensors whose .grad a backward inside the function fills
        self.roots: list[Any] = []
        self.place: Place | None = None
        # whether any number is complex: formulas then have no derivatives to offer
        self.is_complex = False
        # whether every call draws the same random numbers, so that they are constants
        self.repeats_draws = False
        self._serial = 0

    # -- leaves ---------------------------------------------------------------------------------

    def leaf(self, name: str, shape: Shape, dtype: str, numbers: Sequence[Number] | Plain) -> Node:
        """An input of the program; make it active to differentiate by it."""
        return self._hold(Node(NodeKind.LEAF, shape, dtype, None, name=name), numbers)

    def constant(self, shape: Shape, dtype: str, numbers: Sequence[Number] | Plain) -> Node:
        """An array that depends on no input."""
        return self._hold(Node(NodeKind.CONSTANT, shape, dtype, None), numbers)

    # -- operations -----------------------------------------------------------------------------

    def elementwise(
        self,
        rule: Formula,
        parents: Sequence[Node],
        maps: Sequence[Index],
        shape: Shape,
        dtype: str,
    ) -> Node:
        """A formula at each element; ``maps[k]`` says which element of parent k takes part."""
        return self._add(
            Node(NodeKind.ELEMENTWISE, shape, dtype, None, tuple(parents), tuple(maps), rule)
        )

    def move(self, parents: Sequence[Node], index: Index, shape: Shape, dtype: str) -> Node:
        """Elements of the parents (or zeros) in the order of ``index``, of shape (size,)."""
        return self._add(Node(NodeKind.MOVE, shape, dtype, None, tuple(parents), (index,)))

    def sum(self, parents: Sequence[Node], index: Index, shape: Shape, dtype: str) -> Node:
        """Sums of elements of the parents: one row of ``index``, of shape (size, k), for each."""
        return self._add(Node(NodeKind.SUM, shape, dtype, None, tuple(parents), (index,)))

    def product(
        self, left: Node, right: Node, maps: tuple[Index, Index], shape: Shape, dtype: str
    ) -> Node:
        """Sums of products: element i is Σ_k left[maps[0][i, k]] · right[maps[1][i, k]]."""
        return self._add(Node(NodeKind.PRODUCT, shape, dtype, None, (left, right), maps))

    def scaled(self, cotangent: Node, derivative: Node, maps: tuple[Index, Index]) -> Node:
        """Cotangent · derivative, element by element, where an exact 0 of the cotangent wins."""
        shape, dtype = (len(maps[0]),), derivative.dtype
        parents = (cotangent, derivative)
        node = Node(NodeKind.ELEMENTWISE, shape, dtype, None, parents, maps, multiplied())
        node.weighs = True
        return self._add(node)

    def opaque(
        self, parents: Sequence[Node], values: Values, again: Again, shape: Shape, dtype: str
    ) -> Node:
        """Values that were computed from all elements of the parents without a formula."""
        node = Node(NodeKind.OPAQUE, shape, dtype, None, tuple(parents))
        node.values, node.again = self.form(node, values), again
        return self._add(node)

    # -- ties and singularities -----------------------------------------------------------------

    def doubt(self, node: Node, positions: Index, reason: str) -> None:
        """Note that a formula may not be the derivative at these elements (counted from 0)."""
        if len(positions):
            self.doubts.append(Doubt(node, positions, reason, self.place))

    # -- numbers, and how they are computed and held ----------------------------------------------

    def values(self, node: Node) -> Values:
        """See ``Numbers``."""
        self.look_at_the_clock()
        return values_of(node, self)

    def at(self, node: Node, positions: Index) -> dict[int, Number]:
        """See ``Numbers``."""
        self.look_at_the_clock()
        return values_at(node, positions, self)

    def near(self, node: Node) -> Near:
        """See ``Numbers``."""
        self.look_at_the_clock()
        return near_of(node)

    def look_at_the_clock(self) -> None:
        """See ``Numbers``."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise OutOfTime

    def held(self, node: Node) -> Values | None:
        """See ``Way``."""
        return node.held

    def hold(self, node: Node, values: Values) -> None:
        """See ``Way``."""
        node.held = values

    def bits_of(self, node: Node) -> int:
        """See ``Way``."""
        return self.bits

    def form(self, node: Node, values: Values) -> Values:
        """See ``Way``: rationals while they are short, and pairs in a complex node."""
        with precision(self.bits):
            if node.parents and node.kind is not NodeKind.MOVE:
                values = array(each_once(shorten, values.tolist()))
            if is_complex_dtype(node.dtype):
                values = array([paired(value) for value in values.tolist()])
        return values

    # -- within ---------------------------------------------------------------------------------

    def _hold(self, node: Node, numbers: Sequence[Number] | Plain) -> Node:
        if isinstance(numbers, numpy.ndarray) and numbers.dtype != object:
            node.source = numbers
        else:
            node.values = self.form(node, array(numbers))
        return self._add(node)

    def _add(self, node: Node) -> Node:
        self.look_at_the_clock()
        self._serial += 1
        node.serial = self._serial
        node.numbers = self
        node.active = any(parent.active for parent in node.parents)
        if is_complex_dtype(node.dtype):
            self.is_complex = True
        if not self._may_wait(node):
            self.values(node)
        if node.active:
            self.dtypes.add(node.dtype)
            node.cut = all(parent.cut for parent in node.parents if parent.active)
        node.place = self.place
        return node

    def _may_wait(self, node: Node) -> bool:
        """Whether the numbers of the node are many, and perhaps never needed in full."""
        if self.is_complex or not available():
            return False
        terms = max([node.size, *[index.size for index in node.maps]])
        return terms >= LIMITS.waiting_elements or any(parent.waits for parent in node.parents)


def multiplied() -> Formula:
    """The formula p0·p1."""
    left, right = slots(2)
    return formula(left * right, 2)


def not_finite(node: Node) -> Index:
    """The elements of the node that are not real numbers."""
    if node.waits:
        unclear = numpy.flatnonzero(~node.near.is_finite)
        found = node.at(unclear)
        return numpy.array([k for k in unclear.tolist() if not is_finite(found[k])], dtype=int)
    return numpy.array(
        [k for k, value in enumerate(node.values.tolist()) if not is_finite(value)], dtype=int
    )
