"""The size of a result before it is computed: on tensors without memory, torch's meta device."""

import operator
from collections.abc import Callable
from math import prod
from typing import Any

from vjp_cli.errors import LimitError, Place
from vjp_cli.lazy import numpy, torch
from vjp_cli.operators import BINARY, COMPARISONS
from vjp_cli.ops.table import Kind
from vjp_cli.settings import LIMITS
from vjp_cli.tracing.arguments import product_shape
from vjp_cli.tracing.node import Shape
from vjp_cli.tracing.positions import flatten
from vjp_cli.tracing.registry import row


def refuse_beyond_memory(function: Callable[..., Any], args: Any, kw: Any, where: Place) -> None:
    """Refuse a call of a torch function whose result would have too many elements.

    Only where the sizes of the arguments allow such a result it is asked for; a function that torch
    cannot run without numbers is not foreseen.

    Raises:
        LimitError: the result, or a part of it, would be too large.
    """
    parts = flatten((args, kw))
    if _at_most(function, parts) <= LIMITS.elements:
        return
    try:
        tensors = [part for part in parts if isinstance(part, torch.Tensor)]
        shape = _shape(function, [tuple(tensor.shape) for tensor in tensors])
        if shape is not None:
            refuse_size(prod(shape), where)
            return
        with torch.no_grad(), torch.device("meta"):
            result = function(*_emptied(args), **_emptied(kw))
    except LimitError:
        raise
    except Exception:
        # whatever is wrong with the call, the real one says it
        return
    for part in flatten(result):
        if isinstance(part, torch.Tensor):
            refuse_size(part.numel(), where)


def _shape(function: Callable[..., Any], shapes: list[Shape]) -> Shape | None:
    """The shape of a result that follows from those of the tensors; None where torch has to say.

    Torch takes most of a second to load what it needs for tensors without memory.
    """
    found = row(function)
    kind = None if found is None else found[0].kind
    if function is operator.matmul or kind is Kind.PRODUCT:
        left, right = shapes
        return product_shape(left, right)
    if function in _BROADCASTING or kind in (Kind.ELEMENTWISE, Kind.COMPARE):
        return tuple(numpy.broadcast_shapes(*shapes))
    return None


_BROADCASTING = {*BINARY.values(), *COMPARISONS.values()} - {operator.matmul}


def _at_most(function: Callable[..., Any], parts: list[Any]) -> float:
    """How many elements the result may have, by the arguments; 0 where nothing can be foreseen."""
    found = 1.0
    # a number that an operator takes is no size
    counted = () if getattr(function, "__module__", "") == "_operator" else (int, float)
    for part in parts:
        if isinstance(part, torch.Tensor):
            found *= part.numel()
        elif hasattr(part, "__torch_function__"):
            # the tracer, which comes after torch
            return 0.0
        elif isinstance(part, counted) and not isinstance(part, bool):
            # a whole number may be longer than any float
            found *= max(1.0, float(min(abs(part), 10**300)))
    return found


def refuse_size(count: int, where: Place | None = None) -> None:
    """Refuse a tensor of so many elements.

    Raises:
        LimitError: they are too many.
    """
    if count > LIMITS.elements:
        raise LimitError(
            f"{'this' if where else 'y'} would have {count:,} elements, more than "
            f"{LIMITS.elements:,}",
            "take fewer elements, or a product that needs no such array",
            where,
        )


def _emptied(value: Any) -> Any:
    """The same with tensors that have a shape and no memory."""
    if isinstance(value, dict):
        return {key: _emptied(part) for key, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_emptied(part) for part in value)
    return value.detach().to("meta") if isinstance(value, torch.Tensor) else value
