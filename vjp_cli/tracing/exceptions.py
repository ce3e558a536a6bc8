"""The few operations whose meaning is not in their arguments' values, or in one formula.

Casts, ``detach`` (the mathematics goes on, the program does not), powers with a constant exponent,
and ``where``.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from vjp_cli.lazy import numpy, sympy, torch
from vjp_cli.numbers.dtypes import FORMATS, is_complex_dtype
from vjp_cli.numbers.formula import formula, slots
from vjp_cli.numbers.scalar import Number, exact, is_rational, to_float
from vjp_cli.ops.table import Op
from vjp_cli.tracing.arguments import as_node, result_dtype
from vjp_cli.tracing.complex_parts import trace_part
from vjp_cli.tracing.constants import trace_tensor
from vjp_cli.tracing.cuts import cut
from vjp_cli.tracing.decisions import trace_comparison
from vjp_cli.tracing.elementwise import Args, Kwargs, trace_elementwise
from vjp_cli.tracing.node import Index, Shape
from vjp_cli.tracing.steps import trace_step
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer, Untraceable

# dtype of each cast by name
_CASTS = {
    "double": "float64",
    "float": "float32",
    "half": "float16",
    "bfloat16": "bfloat16",
    "cdouble": "complex128",
    "cfloat": "complex64",
    "long": "int64",
    "int": "int32",
}


def _trace_power(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    """A constant integer or half-integer exponent belongs to the formula: (x²)′ is 2x at 0 too."""
    base, exponent = (*args, *kwargs.values())
    constant_exponent = _uniform(exponent)
    if constant_exponent is None or (2 * constant_exponent).denominator != 1:
        return trace_elementwise(tape, op, (base, exponent), {})
    if not isinstance(exponent, (int, float)) and tuple(exponent.shape):
        base = base.expand(numpy.broadcast_shapes(tuple(base.shape), tuple(exponent.shape)))
    power = sympy.Rational(constant_exponent.numerator, constant_exponent.denominator)
    dtype = result_dtype((base, exponent))
    node = as_node(tape, base, dtype)
    rule = formula(slots(1)[0] ** power, 1)
    here = numpy.arange(node.size)
    return Tracer(tape, tape.elementwise(rule, [node], [here], node.shape, dtype))


def _uniform(exponent: Any) -> Fraction | None:
    """The one finite value of a constant exponent, of at most four digits; else None."""
    if isinstance(exponent, (int, float)):
        values: set[Number] = {exact(exponent)}
    elif isinstance(exponent, complex) or exponent.is_complex():
        values = set()
    elif isinstance(exponent, Tracer) and not exponent.node.active and exponent.node.size:
        values = set(exponent.node.values.tolist()) if exponent.node.size < 64 else set()
    elif isinstance(exponent, torch.Tensor) and 0 < exponent.numel() < 64:
        values = {exact(value) for value in exponent.reshape(-1).tolist()}
    else:
        values = set()
    value = values.pop() if len(values) == 1 else None
    if value is None or not is_rational(value) or abs(value) > 4096:
        return None
    return Fraction(int(value.p), int(value.q))


def _trace_where(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    """Both values are data, also when they are scalars or integers."""
    if len(args) + len(kwargs) != 3:
        raise Untraceable("where with one argument")
    condition, *values = (*args, *kwargs.values())
    dtype = result_dtype(values)
    nodes = [as_node(tape, value, dtype) for value in values]
    starts = (1, 1 + nodes[0].size)
    first, second = (
        torch.arange(start, start + node.size).reshape(node.shape)
        for start, node in zip(starts, nodes, strict=True)
    )
    index = torch.where(condition, first, second)
    shape: Shape = tuple(index.shape)
    flat: Index = index.reshape(-1).numpy()
    return Tracer(tape, tape.move(nodes, flat, shape, dtype))


def _trace_cast(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    """A cast to another float format changes no number here; one to integers cuts the graph."""
    dtype = _CASTS.get(op.name) or _target(args[1:], kwargs)
    node = args[0].node
    if dtype is None or dtype == node.dtype:
        return args[0]
    if dtype in FORMATS and is_complex_dtype(node.dtype):
        # torch drops the imaginary part, with a warning
        return _trace_cast(tape, op, (args[0].real, *args[1:]), kwargs)
    if dtype in FORMATS or is_complex_dtype(dtype):
        everything = numpy.arange(1, node.size + 1)
        return Tracer(tape, tape.move([node], everything, node.shape, dtype))
    if dtype == "bool":
        return trace_comparison(tape, "ne", (args[0], 0))
    whole = trace_step(tape, "trunc", (args[0],))
    numbers = [int(to_float(value)) for value in whole.node.values.tolist()]
    return torch.tensor(numbers, dtype=getattr(torch, dtype)).reshape(node.shape)


def _target(args: Args, kwargs: Kwargs) -> str | None:
    """The dtype among the arguments of ``to``."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, torch.dtype):
            return str(value).removeprefix("torch.")
        if isinstance(value, (Tracer, torch.Tensor)):
            return str(value.dtype).removeprefix("torch.")
    return None


def _trace_detach(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    """The mathematics goes on through a detach; a frozen tape stops there, as the program does."""
    return cut(tape, args[0], "detach cuts the graph")


BY_NAME: dict[str, Callable[[Tape, Op, Args, Kwargs], Any]] = {
    "pow": _trace_power,
    "where": _trace_where,
    "detach": _trace_detach,
    "tensor": trace_tensor,
    **dict.fromkeys((*_CASTS, "to"), _trace_cast),
    **dict.fromkeys(("real", "imag", "conj", "complex"), trace_part),
}
