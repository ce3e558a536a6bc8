"""How a call of each kind of operation is traced; one rule a kind, no rule for a single operation.

The exceptions, named below, are those whose meaning is not in their arguments' values: ``detach``
(the mathematics goes on, the program does not), casts, and powers with a constant exponent.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from vjp_cli.lazy import numpy, sympy, torch
from vjp_cli.numbers.dtypes import FORMATS
from vjp_cli.numbers.exact_array import ExactArray
from vjp_cli.numbers.formula import Formula, formula, slots
from vjp_cli.numbers.scalar import Number, exact, is_rational, to_float
from vjp_cli.ops.table import Kind, Op
from vjp_cli.tracing import tracer as tracer_module
from vjp_cli.tracing.arguments import (
    as_node,
    broadcast_map,
    broadcast_shape,
    constant,
    find_tape,
    result_dtype,
)
from vjp_cli.tracing.decisions import trace_comparison, trace_ordering, trace_step
from vjp_cli.tracing.registry import row, torch_function
from vjp_cli.tracing.tape import Index, Node, Shape, Tape, array
from vjp_cli.tracing.tracer import Tracer, Untraceable

# Above this many products a contraction is not built in exact numbers.
PRODUCT_LIMIT = 20_000_000

Args = tuple[Any, ...]
Kwargs = dict[str, Any]


def dispatch(function: Any, args: Args, kwargs: Kwargs) -> Any:
    """Trace one call of a torch function.

    Raises:
        Untraceable: no row of the table is this function.
    """
    found = row(function)
    if found is None:
        name = getattr(function, "__name__", str(function))
        raise Untraceable(f"torch.{name} has no row in the operation table")
    op, swapped = found
    if swapped:
        args = (args[1], args[0])
    return trace(find_tape(args, kwargs), op, args, kwargs)


def trace(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    """Trace one call of the operation of a row."""
    kwargs = {key: value for key, value in kwargs.items() if key != "inplace"}
    if kwargs.get("out") is not None:
        raise Untraceable(f"{op.name} with out=")
    special = _BY_NAME.get(op.name)
    if special is not None:
        return special(tape, op, args, kwargs)
    return _BY_KIND[op.kind](tape, op, args, kwargs)


# -- one rule a kind ----------------------------------------------------------------------------


def _trace_elementwise(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    operands = (*args, *kwargs.values())
    return _apply(tape, op.name, _formula(op, len(operands)), operands)


@cache
def _formula(op: Op, arity: int) -> Formula:
    assert op.rule is not None
    return formula(op.rule(*slots(arity)), arity)


def _apply(tape: Tape, name: str, rule: Formula, operands: Args) -> Tracer:
    dtype = result_dtype(operands)
    nodes = [as_node(tape, operand, dtype, name) for operand in operands]
    shape = broadcast_shape(nodes)
    maps = [broadcast_map(node.shape, shape) for node in nodes]
    return Tracer(tape, tape.elementwise(rule, nodes, maps, shape, dtype))


def _trace_move(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    positions = _Positions(tape, op)
    result = positions.call(args, kwargs)
    return _each_tensor(result, positions.moved)


def _trace_sum(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    positions = _Positions(tape, op)
    kwargs = {key: value for key, value in kwargs.items() if key != "dtype"}
    return _each_tensor(positions.call(args, kwargs), positions.summed)


class _Positions:
    """The data arguments of one call, replaced by tensors of their elements' positions from 1."""

    def __init__(self, tape: Tape, op: Op) -> None:
        self.tape = tape
        self.op = op
        self.nodes: list[Node] = []
        self.dtype = ""

    def call(self, args: Args, kwargs: Kwargs) -> Any:
        function = self.op.rule or torch_function(self.op)
        data = [value for value in _flatten((args, kwargs)) if _is_data(value)]
        self.dtype = result_dtype(data)
        return function(
            *[self.replace(value) for value in args],
            **{key: self.replace(value) for key, value in kwargs.items()},
        )

    def replace(self, value: Any, in_list: bool = False) -> Any:
        if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
            data = any(_is_data(item) for item in value)
            return type(value)(self.replace(item, data) for item in value)
        if not _is_data(value) and not (in_list and isinstance(value, torch.Tensor)):
            return value
        start = 1 + sum(node.size for node in self.nodes)
        node = as_node(self.tape, value, self.dtype)
        self.nodes.append(node)
        return torch.arange(start, start + node.size).reshape(node.shape)

    def moved(self, index: "torch.Tensor") -> Tracer:
        shape = tuple(index.shape)
        flat = index.reshape(-1).numpy()
        return Tracer(self.tape, self.tape.move(self.nodes, flat, shape, self.dtype))

    def summed(self, index: "torch.Tensor") -> Tracer:
        shape = tuple(index.shape[:-1])
        rows = index.reshape(-1, index.shape[-1]) if index.numel() else _no_terms(index)
        return Tracer(self.tape, self.tape.sum(self.nodes, rows.numpy(), shape, self.dtype))


def _no_terms(index: "torch.Tensor") -> "torch.Tensor":
    return index.new_zeros((int(numpy.prod(index.shape[:-1], dtype=int)), 0))


def _is_data(value: Any) -> bool:
    """Whether an argument holds numbers of the function (not a mask, an index or a parameter)."""
    return isinstance(value, Tracer) or (
        isinstance(value, torch.Tensor) and value.is_floating_point()
    )


def _flatten(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (list, tuple)):
        return [inner for item in value for inner in _flatten(item)]
    return [value]


def _each_tensor(result: Any, wrap: Callable[["torch.Tensor"], Tracer]) -> Any:
    if isinstance(result, torch.Tensor):
        return wrap(result)
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*[_each_tensor(item, wrap) for item in result])
    return tuple(_each_tensor(item, wrap) for item in result)


def _trace_product(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    """A matrix product with torch's rules for vectors and batches, as one node."""
    operands = (*args, *kwargs.values())
    dtype = result_dtype(operands)
    left, right = (as_node(tape, operand, dtype) for operand in operands)
    shape = _product_shape(left.shape, right.shape)
    first, second = (torch.arange(node.size).reshape(node.shape) for node in (left, right))
    rows = first if first.ndim > 1 else first.unsqueeze(0)
    columns = second.transpose(-1, -2) if second.ndim > 1 else second.unsqueeze(0)
    length, inner = int(numpy.prod(shape, dtype=int)), rows.shape[-1]
    if length * inner > PRODUCT_LIMIT:
        raise Untraceable(f"a product of {length * inner} multiplications")
    batch = numpy.broadcast_shapes(rows.shape[:-2], columns.shape[:-2])
    target = (*batch, rows.shape[-2], columns.shape[-2], inner)
    maps = tuple(
        part.expand(target).reshape(length, inner).numpy()
        for part in (rows.unsqueeze(-2), columns.unsqueeze(-3))
    )
    return Tracer(tape, tape.product(left, right, (maps[0], maps[1]), shape, dtype))


def _product_shape(left: Shape, right: Shape) -> Shape:
    """The shape of a matrix product.

    Raises:
        RuntimeError: the inner sizes differ.
    """
    rows, columns = left[-2:-1], right[-1:] if len(right) > 1 else ()
    if left[-1:] != (right[-2:-1] or right[-1:]):
        raise RuntimeError(f"shapes {left} and {right} cannot be multiplied")
    return (*numpy.broadcast_shapes(left[:-2], right[:-2]), *rows, *columns)


def _trace_step(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    if kwargs or len(args) != 1:
        raise Untraceable(f"{op.name} with more than one argument")
    return trace_step(tape, op.name, args)


def _trace_compare(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    if op.name in ("argsort", "argmax", "argmin"):
        return trace_ordering(tape, op.name, args, kwargs)
    return trace_comparison(tape, op.name, (*args, *kwargs.values()))


def _trace_constant(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    """A factory: torch itself makes the values; a tracer argument only lends shape and dtype."""
    result = torch_function(op)(
        *[_shell(value) for value in args], **{key: _shell(v) for key, v in kwargs.items()}
    )
    return lift(tape, result)


def _shell(value: Any) -> Any:
    return torch.empty(value.shape, dtype=value.dtype) if isinstance(value, Tracer) else value


def lift(tape: Tape, value: Any) -> Any:
    """A real floating-point tensor as a constant tracer: exact arithmetic from here on."""
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        dtype = str(value.dtype).removeprefix("torch.")
        return Tracer(tape, as_node(tape, value, dtype))
    return value


def _trace_composite(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    assert op.rule is not None
    if op.as_written is not None:
        tape.departures.append(op.departure)
        if tape.frozen:
            return op.as_written(*args, **kwargs)
    return op.rule(*args, **kwargs)


def _trace_opaque(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    """An evaluation without a formula, of any precision: the rule sees numbers, not nodes."""
    assert op.rule is not None
    dtype = result_dtype([value for value in _flatten((args, kwargs)) if _is_data(value)])
    nodes: list[Node] = []

    def numbers(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(numbers(item) for item in value)
        if not _is_data(value):
            return value
        nodes.append(as_node(tape, value, dtype))
        return ExactArray(nodes[-1].shape, tuple(nodes[-1].values.tolist()))

    with tape.precise("float64"):
        result = op.rule(
            *[numbers(value) for value in args],
            **{key: numbers(value) for key, value in kwargs.items()},
        )

    def wrap(made: ExactArray) -> Tracer:
        return Tracer(tape, tape.opaque(nodes, array(made.numbers), made.shape, dtype))

    if isinstance(result, ExactArray):
        return wrap(result)
    made = [wrap(part) if isinstance(part, ExactArray) else part for part in result]
    return type(result)(*made) if hasattr(result, "_fields") else tuple(made)


_BY_KIND: dict[Kind, Callable[[Tape, Op, Args, Kwargs], Any]] = {
    Kind.ELEMENTWISE: _trace_elementwise,
    Kind.MOVE: _trace_move,
    Kind.SUM: _trace_sum,
    Kind.PRODUCT: _trace_product,
    Kind.STEP: _trace_step,
    Kind.COMPARE: _trace_compare,
    Kind.CONSTANT: _trace_constant,
    Kind.COMPOSITE: _trace_composite,
    Kind.OPAQUE: _trace_opaque,
}

# dtype of each cast by name
_CASTS = {
    "double": "float64",
    "float": "float32",
    "half": "float16",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int32",
}

# -- the exceptions -----------------------------------------------------------------------------


def _trace_power(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    """A constant integer or half-integer exponent belongs to the formula: (x²)′ is 2x at 0 too."""
    base, exponent = (*args, *kwargs.values())
    constant_exponent = _uniform(exponent)
    if constant_exponent is None or (2 * constant_exponent).denominator != 1:
        return _trace_elementwise(tape, op, (base, exponent), {})
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
    if dtype in FORMATS:
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
    node = args[0].node
    tape.departures.append("detach cuts the graph")
    if not tape.frozen:
        return args[0]
    return constant(tape, node.values.tolist(), node.shape, node.dtype)


_BY_NAME: dict[str, Callable[[Tape, Op, Args, Kwargs], Any]] = {
    "pow": _trace_power,
    "where": _trace_where,
    "detach": _trace_detach,
    **dict.fromkeys(("double", "float", "half", "bfloat16", "long", "int", "to"), _trace_cast),
}

tracer_module.use_rules(dispatch)
