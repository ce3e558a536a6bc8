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
from math import prod
from typing import Any

from vjp_cli.errors import Place
from vjp_cli.lazy import numpy
from vjp_cli.numbers.dtypes import format_of, is_complex_dtype
from vjp_cli.numbers.formula import Formula, formula, slots
from vjp_cli.numbers.functions import scale
from vjp_cli.numbers.scalar import Number, ball, exact, is_finite, paired, precision, shorten
from vjp_cli.numbers.sharing import each_once
from vjp_cli.tracing.node import (
    Decisions,
    Doubt,
    Index,
    Node,
    NodeKind,
    OutOfTime,
    Shape,
    Values,
)


class Tape:
    """Makes nodes and holds what was met on the way.

    Args:
        bits: the precision of balls.
        rounding: round every node to its dtype's precision instead, in balls without rationals; the
            radii then bound the rounding error of the program (Higham, Accuracy and Stability of
            Numerical Algorithms, section 3.3: running error analysis).
        frozen: stop derivatives where the program stops them (``detach``).
        decisions: those of an earlier run, to be repeated.
        deadline: the time (``time.monotonic``) at which to give up.
    """

    def __init__(
        self,
        bits: int,
        *,
        rounding: bool = False,
        frozen: bool = False,
        decisions: Decisions | None = None,
        deadline: float | None = None,
    ) -> None:
        self.bits = bits
        self.rounding = rounding
        self.frozen = frozen
        self.decisions = decisions or Decisions()
        self.deadline = deadline
        self.doubts: list[Doubt] = []
        # the dtypes through which derivatives flow
        self.dtypes: set[str] = set()
        # operations whose departure is being written out
        self.written: set[str] = set()
        # the values that a frozen program holds fast, and whether they are repeated from the list
        self.held: list[Values] = []
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

    def leaf(self, name: str, shape: Shape, dtype: str, numbers: Sequence[Number]) -> Node:
        """An input of the program; make it active to differentiate by it."""
        return self._add(Node(NodeKind.LEAF, shape, dtype, self._hold(numbers), name=name))

    def constant(self, shape: Shape, dtype: str, numbers: Sequence[Number]) -> Node:
        """An array that depends on no input."""
        return self._add(Node(NodeKind.CONSTANT, shape, dtype, self._hold(numbers)))

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
        columns: list[list[Number]] = [[] for _ in parents]
        for k in rule.used:
            columns[k] = parents[k].values[maps[k]].tolist()
        with self.precise(dtype):
            values = array(rule.evaluate(columns, prod(shape)))
        return self._compute(
            Node(NodeKind.ELEMENTWISE, shape, dtype, values, tuple(parents), tuple(maps), rule)
        )

    def move(self, parents: Sequence[Node], index: Index, shape: Shape, dtype: str) -> Node:
        """Elements of the parents (or zeros) in the order of ``index``, of shape (size,)."""
        values = _pooled(parents)[index]
        return self._add(Node(NodeKind.MOVE, shape, dtype, values, tuple(parents), (index,)))

    def sum(self, parents: Sequence[Node], index: Index, shape: Shape, dtype: str) -> Node:
        """Sums of elements of the parents: one row of ``index``, of shape (size, k), for each."""
        with self.precise(dtype):
            values = _row_sums(_pooled(parents)[index])
        return self._compute(Node(NodeKind.SUM, shape, dtype, values, tuple(parents), (index,)))

    def product(
        self, left: Node, right: Node, maps: tuple[Index, Index], shape: Shape, dtype: str
    ) -> Node:
        """Sums of products: element i is Σ_k left[maps[0][i, k]] · right[maps[1][i, k]]."""
        with self.precise(dtype):
            values = _row_sums(left.values[maps[0]] * right.values[maps[1]])
        return self._compute(Node(NodeKind.PRODUCT, shape, dtype, values, (left, right), maps))

    def scaled(self, cotangent: Node, derivative: Node, maps: tuple[Index, Index]) -> Node:
        """Cotangent · derivative, element by element, where an exact 0 of the cotangent wins."""
        left = cotangent.values[maps[0]].tolist()
        right = derivative.values[maps[1]].tolist()
        with self.precise(derivative.dtype):
            values = array([scale(g, d) for g, d in zip(left, right, strict=True)])
        shape = (len(left),)
        parents = (cotangent, derivative)
        return self._compute(
            Node(NodeKind.ELEMENTWISE, shape, derivative.dtype, values, parents, maps, multiplied())
        )

    def opaque(self, parents: Sequence[Node], values: Values, shape: Shape, dtype: str) -> Node:
        """Values that were computed from all elements of the parents without a formula."""
        return self._compute(Node(NodeKind.OPAQUE, shape, dtype, values, tuple(parents)))

    def precise(self, dtype: str) -> Any:
        """The precision at which values of this dtype are computed, as a context."""
        return precision(format_of(dtype).bits if self.rounding else self.bits)

    # -- ties and singularities -----------------------------------------------------------------

    def doubt(self, node: Node, positions: Index, reason: str) -> None:
        """Note that a formula may not be the derivative at these elements (counted from 0)."""
        if len(positions):
            self.doubts.append(Doubt(node, positions, reason, self.place))

    # -- within ---------------------------------------------------------------------------------

    def _hold(self, numbers: Sequence[Number]) -> Values:
        if not self.rounding:
            return array(numbers)
        # exact midpoints: the inputs carry no rounding error
        with precision(4096):
            return array(each_once(ball, numbers))

    def _compute(self, node: Node) -> Node:
        if not self.rounding:
            with precision(self.bits):
                node.values = array(each_once(shorten, node.values.tolist()))
        return self._add(node)

    def _add(self, node: Node) -> Node:
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise OutOfTime
        if is_complex_dtype(node.dtype):
            self.is_complex = True
            with precision(self.bits):
                node.values = array([paired(value) for value in node.values.tolist()])
        self._serial += 1
        node.serial = self._serial
        node.active = any(parent.active for parent in node.parents)
        if node.active:
            self.dtypes.add(node.dtype)
            node.cut = all(parent.cut for parent in node.parents if parent.active)
        node.place = self.place
        return node


def array(numbers: Sequence[Number]) -> Values:
    """A flat object array of exact numbers."""
    result = numpy.empty(len(numbers), dtype=object)
    result[:] = numbers
    return result


def multiplied() -> Formula:
    """The formula p0·p1."""
    left, right = slots(2)
    return formula(left * right, 2)


def not_finite(node: Node) -> Index:
    """The elements of the node that are not real numbers."""
    return numpy.array(
        [k for k, value in enumerate(node.values.tolist()) if not is_finite(value)], dtype=int
    )


def _pooled(parents: Sequence[Node]) -> Values:
    """The zero, then the elements of all parents: what index maps count over."""
    return numpy.concatenate([array([exact(0)]), *[parent.values for parent in parents]])


def _row_sums(terms: Values) -> Values:
    """The sum of each row of a 2-d object array; 0 for rows without terms."""
    if terms.shape[1] == 0:
        return array([exact(0)] * terms.shape[0])
    return terms.sum(axis=1)
