"""Comparisons and orderings: decided exactly, ties noted.

A comparison gives a real ``torch.bool`` tensor and an ordering real indices, so masks, indexing and
Python branches need no code here. Wherever two sides are equal, or no precision at hand tells them
apart, a small move of an input may decide otherwise: the tape notes the elements.
"""

from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

from vjp_cli.lazy import numpy, torch
from vjp_cli.numbers import near
from vjp_cli.numbers.scalar import Number, compare, is_finite, is_nan, middle
from vjp_cli.tracing.arguments import (
    as_node,
    broadcast_map,
    broadcast_shape,
    result_dtype,
)
from vjp_cli.tracing.node import Index, Node
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer, Untraceable

# what holds of signs: those beside a NaN are _UNORDERED, and only "ne" holds there
_HOLDS: dict[str, Callable[[Any], Any]] = {
    "lt": lambda signs: signs == -1,
    "le": lambda signs: (signs == -1) | (signs == 0),
    "gt": lambda signs: signs == 1,
    "ge": lambda signs: (signs == 1) | (signs == 0),
    "eq": lambda signs: signs == 0,
    "ne": lambda signs: signs != 0,
}
_UNORDERED = 2

_OF_ONE: dict[str, Callable[[Number], bool]] = {
    "isnan": is_nan,
    "isinf": lambda x: not is_finite(x) and not is_nan(x),
    "isfinite": is_finite,
}


def trace_comparison(tape: Tape, name: str, args: tuple[Any, ...]) -> "torch.Tensor":
    """The mask of an element-wise comparison or test, as a real tensor.

    Raises:
        Untraceable: the operation has no mask of numbers.
    """
    if name in _OF_ONE:
        node = as_node(tape, args[0], result_dtype(args))
        test = _OF_ONE[name]
        mask = [test(value) for value in node.values.tolist()]
        return torch.tensor(mask, dtype=torch.bool).reshape(node.shape)
    if name not in _HOLDS:
        raise Untraceable(f"torch.{name}")
    dtype = result_dtype(args)
    left, right = (as_node(tape, value, dtype, name) for value in args)
    shape = broadcast_shape((left, right))
    maps = [broadcast_map(node.shape, shape) for node in (left, right)]
    signs = _signs(tape, (left, right), maps)
    return torch.from_numpy(_HOLDS[name](signs)).reshape(shape)


def _signs(tape: Tape, nodes: tuple[Node, Node], maps: list[Index]) -> Index:
    """The sign of left - right at each element; _UNORDERED beside a NaN."""
    if any(node.waits for node in nodes):
        left, right = (node.near.take(index) for node, index in zip(nodes, maps, strict=True))
        signs, certain = near.signs(left, right)
        # what near numbers cannot order, ties included
        unclear = numpy.flatnonzero(~certain | (signs == 0))
        signs = signs.astype(numpy.int8)
    else:
        unclear = numpy.arange(len(maps[0]))
        signs = numpy.zeros(len(unclear), numpy.int8)
    ties = []
    lefts, rights = (
        node.at(numpy.unique(index[unclear])) for node, index in zip(nodes, maps, strict=True)
    )
    places = (index[unclear].tolist() for index in maps)
    for position, left_place, right_place in zip(unclear.tolist(), *places, strict=True):
        sign, tied = order(lefts[left_place], rights[right_place])
        signs[position] = _UNORDERED if sign is None else sign
        if tied:
            ties.append(position)
    for node, index in zip(nodes, maps, strict=True):
        if node.active:
            tape.doubt(node, numpy.unique(index[ties]), "a comparison is tied")
    return signs


def order(left: Number, right: Number) -> tuple[int | None, bool]:
    """The sign of left - right (None beside a NaN), and whether the two are tied or undecided."""
    sign = compare(left, right)
    if sign is not None:
        return sign, sign == 0
    if is_nan(left) or is_nan(right):
        return None, False
    return compare(middle(left), middle(right)), True


def trace_ordering(tape: Tape, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``argsort``, ``argmax`` and ``argmin`` by exact comparison, as real index tensors.

    Raises:
        Untraceable: another index operation.
    """
    if name not in ("argsort", "argmax", "argmin"):
        raise Untraceable(f"torch.{name}")
    tracer, dim, descending, keepdim = _ORDERING_ARGUMENTS[name](*args, **kwargs)
    node: Node = tracer.node
    positions = torch.arange(node.size).reshape(node.shape)
    if dim is None:
        positions, dim = positions.reshape(-1), 0
    elif positions.ndim == 0:
        return torch.zeros((), dtype=torch.int64)
    lines = positions.movedim(dim, -1)
    if name == "argsort":
        ordered = _sorted_lines(tape, node, lines, descending)
        return torch.tensor(ordered, dtype=torch.int64).reshape(lines.shape).movedim(-1, dim)
    found = _extremes(tape, node, lines, -1 if name == "argmin" else 1)
    first = torch.tensor(found, dtype=torch.int64).reshape(lines.shape[:-1])
    if not keepdim:
        return first
    return first.reshape((1,) * len(node.shape)) if lines.ndim == 1 else first.unsqueeze(dim)


_Ordering = tuple[Tracer, int | None, bool, bool]


def _argsort_arguments(
    input: Tracer, dim: int = -1, descending: bool = False, stable: bool = False
) -> _Ordering:
    return input, dim, descending, False


def _extreme_arguments(input: Tracer, dim: int | None = None, keepdim: bool = False) -> _Ordering:
    return input, dim, False, keepdim


_ORDERING_ARGUMENTS: dict[str, Callable[..., _Ordering]] = {
    "argsort": _argsort_arguments,
    "argmax": _extreme_arguments,
    "argmin": _extreme_arguments,
}


def _extremes(tape: Tape, node: Node, lines: "torch.Tensor", direction: int) -> list[int]:
    """The first largest (direction 1) or smallest element of each line; a NaN wins, as in torch.

    All elements that are equal to it, or undecided against it, are noted as tied.
    """
    values = node.values.tolist()
    tied: list[int] = []
    result = []
    width = lines.shape[-1]
    if not width:
        raise IndexError("argmax and argmin need at least one element")
    for line in lines.reshape(-1, width).tolist():
        best, ties = 0, list[int]()
        # the same two objects compare as they did before
        pair: tuple[Any, Any] = (None, None)
        ordered: tuple[int | None, bool] = (None, False)
        for k in range(1, width):
            one, other = values[line[k]], values[line[best]]
            if one is not pair[0] or other is not pair[1]:
                pair, ordered = (one, other), order(one, other)
            sign, tie = ordered
            if sign is None:
                nan = is_nan(values[line[best]])
                sign, tie = (-direction if nan else direction), False
            if tie:
                ties += (best, k)
            if direction * sign > 0:
                best, ties = k, ([best, k] if tie else [])
        tied.extend(line[k] for k in ties)
        result.append(best)
    if node.active:
        tape.doubt(node, numpy.unique(numpy.array(tied, dtype=int)), "a maximum or minimum is tied")
    return result


def _sorted_lines(tape: Tape, node: Node, lines: "torch.Tensor", descending: bool) -> list[int]:
    """The order of each line; neighbours that are equal or undecided are noted as ties."""
    tied: set[int] = set()
    direction = -1 if descending else 1

    def ascending(left: int, right: int) -> int:
        sign, tie = order(values[left], values[right])
        if tie:
            tied.update((left, right))
        if sign is None:
            # torch puts NaN last in ascending order, as if it were the largest
            sign = int(is_nan(values[left])) - int(is_nan(values[right]))
        return direction * sign

    values = node.values.tolist()
    result: list[int] = []
    width = lines.shape[-1]
    for line in lines.reshape(-1, width).tolist() if width else []:
        place = {position: k for k, position in enumerate(line)}
        result.extend(place[position] for position in sorted(line, key=cmp_to_key(ascending)))
    if node.active:
        tape.doubt(node, numpy.array(sorted(tied), dtype=int), "an ordering is tied")
    return result
