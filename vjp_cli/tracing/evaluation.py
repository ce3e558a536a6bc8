"""The numbers of nodes: exact ones in full or at chosen elements only, and near ones as arrays.

A node knows how its elements come from those of its parents, so its numbers can wait until someone
asks for them, and then for as few as are asked for. And they can be computed once more as the dtype
rounds them. All ways gather the operands of the elements at hand and apply the same few steps.
"""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from vjp_cli.lazy import numpy
from vjp_cli.numbers import near
from vjp_cli.numbers.functions import scale
from vjp_cli.numbers.near import Near
from vjp_cli.numbers.scalar import Number, exact, precision
from vjp_cli.numbers.sharing import exact_each
from vjp_cli.tracing.node import Index, Node, NodeKind, Values

Take = Callable[[Node, Index], Values]
_ALL = slice(None)


class Way(Protocol):
    """A way to compute and hold the numbers of nodes: exactly, or as the dtype rounds them."""

    def held(self, node: Node) -> Values | None:
        """All numbers of the node, if they were computed before."""

    def hold(self, node: Node, values: Values) -> None:
        """Hold all numbers of the node."""

    def bits_of(self, node: Node) -> int:
        """The precision at which the numbers of the node are computed."""

    def form(self, node: Node, values: Values) -> Values:
        """Computed numbers in the form in which they are held."""


def values_of(node: Node, way: Way) -> Values:
    """All numbers of a node, after those of the nodes that it needs."""

    def take(parent: Node, index: Index) -> Values:
        held = way.held(parent)
        assert held is not None
        return held[index]

    for each in parents_first(node, lambda other: way.held(other) is not None):
        with precision(way.bits_of(each)):
            values = _computed(each, _ALL, take)
        way.hold(each, way.form(each, values))
    return way.held(node)


def values_at(node: Node, positions: Index, way: Way) -> dict[int, Number]:
    """The numbers at these positions, computed from the elements that they need alone."""
    needed = _needed(node, positions, way)
    known: dict[Node, Values] = {}

    def take(parent: Node, index: Index) -> Values:
        held = way.held(parent)
        if held is not None:
            return held[index]
        return known[parent][numpy.searchsorted(needed[parent], index)]

    for each in sorted(needed, key=lambda other: other.serial):
        if way.held(each) is None:
            with precision(way.bits_of(each)):
                values = _computed(each, needed[each], take)
            known[each] = way.form(each, values)
    found = take(node, needed[node])
    return dict(zip(needed[node].tolist(), found.tolist(), strict=True))


def near_of(node: Node) -> Near:
    """All numbers of a node to about 19 digits."""
    for each in parents_first(node, lambda other: other.near_held is not None):
        each.near_held = _near(each)
    assert node.near_held is not None
    return node.near_held


def parents_at(node: Node, positions: Index) -> Iterable[tuple[Node, Index]]:
    """For each parent the elements that those of the node at ``positions`` come from."""
    if node.kind in (NodeKind.ELEMENTWISE, NodeKind.PRODUCT):
        for parent, index in zip(node.parents, node.maps, strict=True):
            yield parent, index[positions].ravel()
    elif node.kind is NodeKind.OPAQUE:
        for parent in node.parents:
            yield parent, numpy.arange(parent.size)
    elif node.kind in (NodeKind.MOVE, NodeKind.SUM):
        targets = node.maps[0][positions].ravel()
        for parent, start in _starts(node):
            inside = (targets >= start) & (targets < start + parent.size)
            yield parent, targets[inside] - start


def _starts(node: Node) -> Iterable[tuple[Node, int]]:
    """The parents of a move or sum, with the number of the first element of each."""
    start = 1
    for parent in node.parents:
        yield parent, start
        start += parent.size


def parents_first(node: Node, done: Callable[[Node], bool]) -> list[Node]:
    """The node and its ancestors, without those that are done and what is behind them."""
    if not done(node) and all(map(done, node.parents)):
        # as nearly always
        return [node]
    seen: set[Node] = set()
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each not in seen and not done(each):
            seen.add(each)
            waiting.extend(each.parents)
    return sorted(seen, key=lambda other: other.serial)


def _needed(node: Node, positions: Index, way: Way) -> dict[Node, Index]:
    """The elements of the node and of its ancestors that these positions need, ascending."""
    reached: dict[Node, list[Any]] = {node: [positions]}
    needed: dict[Node, Index] = {}
    while reached:
        # the latest node first: all that needs it has then been seen
        each = max(reached, key=lambda other: other.serial)
        needed[each] = numpy.unique(numpy.concatenate(reached.pop(each)))
        if way.held(each) is None:
            for parent, behind in parents_at(each, needed[each]):
                reached.setdefault(parent, []).append(behind)
    return needed


# -- exact and rounded numbers --------------------------------------------------------------------


def _computed(node: Node, positions: Index | slice, take: Take) -> Values:
    """The numbers of a node at these positions, at the present precision."""
    if node.source is not None:
        numbers = array(exact_each(node.source[positions].tolist()))
        for position, number in node.moved.items():
            here = position if isinstance(positions, slice) else positions == position
            numbers[here] = number
        return numbers
    if not node.parents:
        assert node.held is not None
        return node.held[positions]
    if node.kind is NodeKind.OPAQUE:
        assert node.again is not None
        everything = node.again(lambda parent: take(parent, numpy.arange(parent.size)))
        return everything[positions]
    if node.kind is NodeKind.MOVE:
        return _pooled(node, positions, take)
    if node.kind is NodeKind.SUM:
        return _row_sums(_pooled(node, positions, take))
    pairs = zip(node.parents, node.maps, strict=True)
    if node.kind is NodeKind.PRODUCT:
        left, right = (take(parent, index[positions]) for parent, index in pairs)
        return _row_sums(left * right)
    if node.weighs:
        columns = [take(parent, index[positions]).tolist() for parent, index in pairs]
        return array([scale(g, d) for g, d in zip(*columns, strict=True)])
    assert node.formula is not None
    used = node.formula.used
    columns = [
        take(parent, index[positions]).tolist() if k in used else []
        for k, (parent, index) in enumerate(pairs)
    ]
    size = node.size if isinstance(positions, slice) else len(positions)
    return array(node.formula.evaluate(columns, size))


def array(numbers: Any) -> Values:
    """A flat object array of exact numbers."""
    result = numpy.empty(len(numbers), dtype=object)
    result[:] = numbers
    return result


def _pooled(node: Node, positions: Index | slice, take: Take) -> Values:
    """The elements of the parents, counted over all of them from 1; 0 is the zero."""
    index = node.maps[0][positions]
    if isinstance(positions, slice):
        parts = [take(parent, _ALL) for parent in node.parents]
        return numpy.concatenate([array([exact(0)]), *parts])[index]
    found = numpy.full(index.shape, exact(0), dtype=object)
    for parent, start in _starts(node):
        inside = (index >= start) & (index < start + parent.size)
        found[inside] = take(parent, index[inside] - start)
    return found


def _row_sums(terms: Values) -> Values:
    """The sum of each row of a 2-d object array; 0 for rows without terms."""
    if terms.shape[1] == 0:
        return array([exact(0)] * terms.shape[0])
    return terms.sum(axis=1)


# -- near numbers -------------------------------------------------------------------------------


def _near(node: Node) -> Near:
    if node.source is not None:
        plain = near.of_plain(node.source)
        if node.moved:
            moved = near.of_exact(list(node.moved.values()))
            plain.value[list(node.moved)] = moved.value
            plain.error[list(node.moved)] = moved.error
        return plain
    with numpy.errstate(all="ignore"):
        found = None if node.kind in _WITHOUT_STEPS else _near_steps(node)
    # a function that extended floats lack is computed exactly
    return near.of_exact(node.values.tolist()) if found is None else found


_WITHOUT_STEPS = (NodeKind.LEAF, NodeKind.CONSTANT, NodeKind.OPAQUE)


def _near_steps(node: Node) -> Near | None:
    if node.kind is NodeKind.MOVE:
        return _near_pooled(node)
    if node.kind is NodeKind.SUM:
        return near.sum_rows(_near_pooled(node))
    pairs = list(zip(node.parents, node.maps, strict=True))
    if node.kind is NodeKind.PRODUCT:
        left, right = (near_of(parent).take(index) for parent, index in pairs)
        return near.product_rows(left, right)
    if node.weighs:
        left, right = (near_of(parent).take(index) for parent, index in pairs)
        return near.scale(left, right)
    assert node.formula is not None
    used = node.formula.used
    columns = [
        near_of(parent).take(index) if k in used else None
        for k, (parent, index) in enumerate(pairs)
    ]
    return node.formula.near(columns, node.size)


def _near_pooled(node: Node) -> Near:
    zero = numpy.zeros(1, numpy.longdouble)
    parts = [near_of(parent) for parent in node.parents]
    pool = Near(
        numpy.concatenate([zero, *[part.value for part in parts]]),
        numpy.concatenate([zero, *[part.error for part in parts]]),
    )
    return pool.take(node.maps[0])
