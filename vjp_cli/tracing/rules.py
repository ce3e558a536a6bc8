"""How a call of each kind of operation is traced; one rule a kind, no rule for a single operation.

The exceptions, named below, are those whose meaning is not in their arguments' values: ``detach``
(the mathematics goes on, the program does not), casts, and powers with a constant exponent.
"""

from collections.abc import Callable
from typing import Any

from vjp_cli.lazy import numpy, torch
from vjp_cli.numbers.dtypes import complex_dtype, is_complex_dtype
from vjp_cli.numbers.exact_array import ExactArray
from vjp_cli.numbers.scalar import is_complex, precision
from vjp_cli.ops.table import Kind, Op
from vjp_cli.tracing import tracer as tracer_module
from vjp_cli.tracing.answers import answer
from vjp_cli.tracing.arguments import (
    as_node,
    find_tape,
    product_shape,
    result_dtype,
)
from vjp_cli.tracing.constants import trace_constant
from vjp_cli.tracing.decisions import trace_comparison, trace_ordering
from vjp_cli.tracing.elementwise import Args, Kwargs, trace_elementwise
from vjp_cli.tracing.evaluation import array
from vjp_cli.tracing.exceptions import BY_NAME
from vjp_cli.tracing.node import NOT_UNIQUE, Node, Values
from vjp_cli.tracing.positions import Positions, each_tensor, flatten, is_data
from vjp_cli.tracing.registry import row
from vjp_cli.tracing.steps import trace_step
from vjp_cli.tracing.tape import Tape, not_finite
from vjp_cli.tracing.tracer import Tracer, Untraceable

# Above this many products a contraction is not built in exact numbers.
PRODUCT_LIMIT = 20_000_000


def dispatch(function: Any, args: Args, kwargs: Kwargs) -> Any:
    """Trace one call of a torch function.

    Raises:
        Untraceable: no row of the table is this function.
    """
    found = row(function)
    if found is None:
        rule = answer(function)
        if rule is not None:
            return rule(*args, **kwargs)
        name = getattr(function, "__name__", str(function))
        raise Untraceable(f"torch.{name}, which has no row in the operation table")
    op, swapped = found
    if swapped:
        args = (args[1], args[0])
    return trace(find_tape(args, kwargs), op, args, kwargs)


def trace(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    """Trace one call of the operation of a row."""
    kwargs = {key: value for key, value in kwargs.items() if key != "inplace"}
    if kwargs.get("out") is not None:
        raise Untraceable(f"{op.name} with out=")
    if op.as_written is not None:
        tape.departures.append(op.departure)
        if tape.frozen and op.name not in tape.written:
            # what is written may use the operation itself, on changed arguments
            tape.written.add(op.name)
            try:
                return op.as_written(*args, **kwargs)
            finally:
                tape.written.discard(op.name)
    result = (BY_NAME.get(op.name) or _BY_KIND[op.kind])(tape, op, args, kwargs)
    if not op.unique:
        for part in flatten(result):
            if isinstance(part, Tracer):
                tape.doubt(part.node, not_finite(part.node), NOT_UNIQUE)
    return result


# -- one rule a kind ----------------------------------------------------------------------------


def _trace_move(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    positions = Positions(tape, op)
    result = positions.call(args, kwargs)
    return each_tensor(result, positions.moved)


def _trace_sum(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    staged = None if op.in_stages is None else op.in_stages(*args, **kwargs)
    if staged is not None:
        return staged
    positions = Positions(tape, op)
    kwargs = {key: value for key, value in kwargs.items() if key != "dtype"}
    return each_tensor(positions.call(args, kwargs), positions.summed)


def _trace_product(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    """A matrix product with torch's rules for vectors and batches, as one node."""
    operands = (*args, *kwargs.values())
    dtype = result_dtype(operands)
    left, right = (as_node(tape, operand, dtype) for operand in operands)
    shape = product_shape(left.shape, right.shape)
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


def _trace_step(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    if kwargs or len(args) != 1:
        raise Untraceable(f"{op.name} with more than one argument")
    return trace_step(tape, op.name, args)


def _trace_compare(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    if op.name in ("argsort", "argmax", "argmin"):
        return trace_ordering(tape, op.name, args, kwargs)
    return trace_comparison(tape, op.name, (*args, *kwargs.values()))


def _trace_composite(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    assert op.rule is not None
    return op.rule(*args, **kwargs)


def _trace_opaque(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    """An evaluation without a formula, of any precision: the rule sees numbers, not nodes."""
    assert op.rule is not None
    dtype = result_dtype([value for value in flatten((args, kwargs)) if is_data(value)])
    if is_complex_dtype(dtype):
        raise Untraceable(f"{op.name} of complex numbers")
    evaluation = _Evaluation(tape, op, (args, kwargs), dtype)
    with precision(tape.bits):
        result = evaluation.result(lambda node: node.values)

    def wrap(made: ExactArray, part: int | None = None) -> Tracer:
        own = complex_dtype(dtype) if any(map(is_complex, made.numbers)) else dtype
        values, again = array(made.numbers), evaluation.again(part)
        return Tracer(tape, tape.opaque(evaluation.nodes, values, again, made.shape, own))

    if isinstance(result, ExactArray):
        return wrap(result)
    made = [
        wrap(each, part) if isinstance(each, ExactArray) else each
        for part, each in enumerate(result)
    ]
    return type(result)(*made) if hasattr(result, "_fields") else tuple(made)


class _Evaluation:
    """One call of an opaque rule, to be made with the numbers of any way of computing them."""

    def __init__(self, tape: Tape, op: Op, call: tuple[Args, Kwargs], dtype: str) -> None:
        self.rule = op.rule
        self.nodes: list[Node] = []
        self._held: tuple[list[int], Any] = ([], None)

        def marked(value: Any) -> Any:
            if isinstance(value, (list, tuple)):
                return type(value)(marked(item) for item in value)
            if not is_data(value):
                return value
            self.nodes.append(as_node(tape, value, dtype))
            return self.nodes[-1]

        args, kwargs = call
        self.args = [marked(value) for value in args]
        self.kwargs = {key: marked(value) for key, value in kwargs.items()}

    def result(self, values: Callable[[Node], Values]) -> Any:
        """What the rule makes of these numbers of its arguments."""
        assert self.rule is not None

        def numbers(value: Any) -> Any:
            if isinstance(value, Node):
                return ExactArray(value.shape, tuple(values(value).tolist()))
            if isinstance(value, (list, tuple)):
                return type(value)(numbers(item) for item in value)
            return value

        return self.rule(
            *[numbers(value) for value in self.args],
            **{key: numbers(value) for key, value in self.kwargs.items()},
        )

    def again(self, part: int | None) -> Callable[[Callable[[Node], Values]], Values]:
        """Computes one part of the result anew; the parts of one call share the work."""

        def compute(values: Callable[[Node], Values]) -> Values:
            numbers = [number for node in self.nodes for number in values(node).tolist()]
            if list(map(id, numbers)) != self._held[0]:
                self._held = (list(map(id, numbers)), (self.result(values), numbers))
            result, _ = self._held[1]
            return array((result if part is None else result[part]).numbers)

        return compute


_BY_KIND: dict[Kind, Callable[[Tape, Op, Args, Kwargs], Any]] = {
    Kind.ELEMENTWISE: trace_elementwise,
    Kind.MOVE: _trace_move,
    Kind.SUM: _trace_sum,
    Kind.PRODUCT: _trace_product,
    Kind.STEP: _trace_step,
    Kind.COMPARE: _trace_compare,
    Kind.CONSTANT: trace_constant,
    Kind.COMPOSITE: _trace_composite,
    Kind.OPAQUE: _trace_opaque,
}

tracer_module.use_rules(dispatch)
