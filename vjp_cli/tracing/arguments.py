"""Arguments of a traced call as nodes: tensors and scalars become constants, shapes broadcast."""

from collections.abc import Sequence
from typing import Any

from vjp_cli.lazy import numpy, torch
from vjp_cli.numbers.scalar import Number, exact
from vjp_cli.numbers.sharing import exact_each
from vjp_cli.settings import LIMITS
from vjp_cli.tracing.node import Index, Node, Shape
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer, Untraceable

# Operations that multiply a half-precision tensor by the unrounded scalar (in torch's wider
# intermediate type); all others round the scalar to the tensor's dtype first.
_UNROUNDED_SCALARS = frozenset({"mul", "div", "true_divide"})
_WIDE = {"float16": "float32", "bfloat16": "float32"}


def find_tape(*values: Any) -> Tape:
    """The tape of the first tracer among the values, which may be nested in lists and dicts."""
    for value in values:
        if isinstance(value, Tracer):
            return value.tape
        if isinstance(value, (list, tuple)):
            inner = _find(value)
        elif isinstance(value, dict):
            inner = _find(tuple(value.values()))
        else:
            continue
        if inner is not None:
            return inner
    raise LookupError("no tracer among the arguments")


def _find(values: Sequence[Any]) -> Tape | None:
    try:
        return find_tape(*values)
    except LookupError:
        return None


def result_dtype(values: Sequence[Any]) -> str:
    """The dtype that torch gives an element-wise result of these tracers, tensors and scalars."""
    result: Any = None
    for value in values:
        stand_in = _stand_in(value)
        result = stand_in if result is None else _combined(result, stand_in)
    if isinstance(result, float) and any(isinstance(value, Tracer) for value in values):
        return "float64"
    dtype = result.dtype if isinstance(result, torch.Tensor) else torch.get_default_dtype()
    if not (dtype.is_floating_point or dtype.is_complex):
        dtype = torch.get_default_dtype()
    return str(dtype).removeprefix("torch.")


def _stand_in(value: Any) -> Any:
    if isinstance(value, Tracer) and value.is_number:
        return 0.5
    if isinstance(value, (Tracer, torch.Tensor)):
        # torch lets a tensor with axes decide over one without
        return torch.empty((1,) * min(len(value.shape), 1), dtype=value.dtype)
    return value


def _combined(left: Any, right: Any) -> Any:
    if isinstance(left, float) and isinstance(right, (bool, int, float)):
        return left
    if isinstance(right, float) and isinstance(left, (bool, int, float)):
        return right
    axes = max(getattr(left, "ndim", 0), getattr(right, "ndim", 0))
    return torch.empty((1,) * axes, dtype=torch.result_type(left, right))


def as_node(tape: Tape, value: Any, dtype: str, operation: str = "") -> Node:
    """The node of a tracer; a constant for a real tensor or a Python scalar.

    Raises:
        Untraceable: the value is of another type.
    """
    if isinstance(value, Tracer):
        return value.node
    if isinstance(value, torch.Tensor):
        own = str(value.dtype).removeprefix("torch.")
        name = own if value.is_floating_point() or value.is_complex() else dtype
        return tape.constant(tuple(value.shape), name, plain_or_exact(value))
    if isinstance(value, (bool, int, float, complex)):
        return tape.constant((), dtype, [exact(round_scalar(value, dtype, operation))])
    raise Untraceable(f"a {type(value).__name__} as an operand")


def plain_or_exact(value: "torch.Tensor") -> Any:
    """The numbers of a tensor, flat: exact ones, or plain ones where they are many."""
    flat = value.detach().cpu().reshape(-1)
    if flat.numel() < LIMITS.waiting_elements or flat.is_complex():
        return exact_each(flat.tolist())
    return (flat.double() if flat.is_floating_point() else flat.long()).numpy()


def round_scalar(value: complex, dtype: str, operation: str = "") -> complex:
    """A Python scalar as torch rounds it in an operation with a tensor of ``dtype``."""
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) <= 256):
        return int(value)
    name = _WIDE.get(dtype, dtype) if operation in _UNROUNDED_SCALARS else dtype
    rounded: complex = torch.tensor(value, dtype=getattr(torch, name)).item()
    return rounded


def broadcast_shape(nodes: Sequence[Node]) -> Shape:
    """The common shape of the nodes (torch's error when there is none)."""
    return tuple(numpy.broadcast_shapes(*[node.shape for node in nodes]))


def broadcast_map(shape: Shape, target: Shape) -> Index:
    """For each element of ``target`` the element of ``shape`` that broadcasting puts there."""
    positions = numpy.arange(int(numpy.prod(shape, dtype=int))).reshape(shape)
    return numpy.broadcast_to(positions, target).ravel()


def product_shape(left: Shape, right: Shape) -> Shape:
    """The shape of a matrix product.

    Raises:
        RuntimeError: the inner sizes differ.
    """
    rows, columns = left[-2:-1], right[-1:] if len(right) > 1 else ()
    if left[-1:] != (right[-2:-1] or right[-1:]):
        raise RuntimeError(f"shapes {left} and {right} cannot be multiplied")
    return (*numpy.broadcast_shapes(left[:-2], right[:-2]), *rows, *columns)


def constant(tape: Tape, values: Sequence[Number], shape: Shape, dtype: str) -> Tracer:
    """A tracer that depends on no input."""
    return Tracer(tape, tape.constant(shape, dtype, values))
