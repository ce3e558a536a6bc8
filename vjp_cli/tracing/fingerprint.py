"""What makes two tapes read alike: everything that formulas for people are made from.

The numbers of the inputs are no part of it, while the numbers of constants are, and so is every
decision that the program took at its inputs, since it shows in the index maps and the formulas.
"""

from collections.abc import Hashable, Sequence
from typing import Any

from vjp_cli.numbers.scalar import is_rational, to_float
from vjp_cli.tracing.node import Node, NodeKind

# the readings of larger tapes are not worth the memory
_MOST_ELEMENTS = 4096


def fingerprint(nodes: Sequence[Node]) -> Hashable | None:
    """Equal for nodes with the same templates and the same definitions; None where it is large."""
    seen: dict[Node, int] = {}
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen[node] = node.serial
            waiting.extend(node.parents)
    ordered = sorted(seen, key=seen.__getitem__)
    if sum(sum(part.size for part in node.maps) + node.size for node in ordered) > _MOST_ELEMENTS:
        return None
    number = {node: k for k, node in enumerate(ordered)}
    return (
        tuple(number[node] for node in nodes),
        tuple(_own(node, [number[parent] for parent in node.parents]) for node in ordered),
    )


def _own(node: Node, parents: Sequence[int]) -> Hashable:
    return (
        node.kind,
        node.shape,
        node.name,
        # there is one object for each formula
        node.formula,
        tuple(parents),
        tuple((part.shape, part.dtype.char, part.tobytes()) for part in node.maps),
        tuple(map(_number, node.values.tolist())) if node.kind is NodeKind.CONSTANT else None,
        None if node.place is None else node.place.text,
    )


def _number(value: Any) -> Hashable:
    return (value.p, value.q) if is_rational(value) else (str(value), to_float(value))
