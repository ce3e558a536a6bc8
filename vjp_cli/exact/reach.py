"""Which elements of the inputs a set of elements of the tape depends on."""

from collections.abc import Iterable
from typing import Any

from vjp_cli.lazy import numpy
from vjp_cli.tracing.tape import Index, Node, NodeKind


def inputs_behind(starts: Iterable[tuple[Node, Index]]) -> dict[Node, Index]:
    """For each active leaf the elements that any of the given elements depends on, ascending."""
    reached: dict[Node, list[Any]] = {}
    for node, positions in starts:
        reached.setdefault(node, []).append(positions)
    found: dict[Node, Index] = {}
    while reached:
        # the latest node first: all that depends on a node has then been seen
        node = max(reached, key=lambda candidate: candidate.serial)
        positions = numpy.unique(numpy.concatenate(reached.pop(node)))
        if not node.active or not len(positions):
            continue
        if node.kind is NodeKind.LEAF:
            found[node] = positions
        for parent, behind in _parents_of(node, positions):
            if parent.active:
                reached.setdefault(parent, []).append(behind)
    return found


def _parents_of(node: Node, positions: Index) -> Iterable[tuple[Node, Index]]:
    if node.kind in (NodeKind.ELEMENTWISE, NodeKind.PRODUCT):
        for parent, index in zip(node.parents, node.maps, strict=True):
            yield parent, index[positions].ravel()
    elif node.kind in (NodeKind.MOVE, NodeKind.SUM):
        targets = node.maps[0][positions].ravel()
        start = 1
        for parent in node.parents:
            inside = (targets >= start) & (targets < start + parent.size)
            yield parent, targets[inside] - start
            start += parent.size
