"""Which elements of the inputs a set of elements of the tape depends on."""

from collections.abc import Iterable
from typing import Any

from vjp_cli.lazy import numpy
from vjp_cli.tracing.evaluation import parents_at
from vjp_cli.tracing.node import Index, Node, NodeKind


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
        for parent, behind in parents_at(node, positions):
            if parent.active:
                reached.setdefault(parent, []).append(behind)
    return found


def ancestors(output: Node) -> set[Node]:
    """The output and all active nodes that it was computed from."""
    seen = {output}
    waiting = [output]
    while waiting:
        for parent in waiting.pop().parents:
            if parent.active and parent not in seen:
                seen.add(parent)
                waiting.append(parent)
    return seen


def depending_on(output: Node, leaf: Node, position: Any) -> Any:
    """For each element of the output whether this element (or any of several) reaches it."""
    seen = ancestors(output)
    reached: dict[Node, Any] = {}
    for node in sorted(seen, key=lambda candidate: candidate.serial):
        reached[node] = numpy.zeros(node.size, dtype=bool)
        if node is leaf:
            reached[node][position] = True
        for k, parent in enumerate(node.parents):
            if parent in reached:
                reached[node] |= _arrives(node, k, reached[parent])
    return reached[output]


def _arrives(node: Node, k: int, parent_reached: Any) -> Any:
    """Which elements of a node an already reached parent reaches."""
    if node.kind is NodeKind.ELEMENTWISE:
        return parent_reached[node.maps[k]]
    if node.kind is NodeKind.PRODUCT:
        return parent_reached[node.maps[k]].any(axis=1)
    if node.kind is NodeKind.OPAQUE:
        return numpy.full(node.size, parent_reached.any())
    start = 1 + sum(parent.size for parent in node.parents[:k])
    counted = numpy.concatenate([[False], parent_reached])
    own = node.maps[0] - start + 1
    found = counted[numpy.where((own >= 1) & (own <= node.parents[k].size), own, 0)]
    return found.any(axis=1) if found.ndim == 2 else found
