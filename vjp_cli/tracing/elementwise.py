"""The rule of element-wise operations: arguments broadcast, then a formula of scalars."""

from functools import cache
from typing import Any

from vjp_cli.numbers.formula import Formula, formula, slots
from vjp_cli.ops.table import Op
from vjp_cli.tracing.arguments import as_node, broadcast_map, broadcast_shape, result_dtype
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer

Args = tuple[Any, ...]
Kwargs = dict[str, Any]


def trace_elementwise(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Tracer:
    """One node with the row's formula."""
    operands = (*args, *kwargs.values())
    dtype = result_dtype(operands)
    return apply_formula(tape, formula_of(op, len(operands)), operands, dtype, op.name)


@cache
def formula_of(op: Op, arity: int) -> Formula:
    """The formula of a row for so many arguments."""
    assert op.rule is not None
    return formula(op.rule(*slots(arity)), arity)


def apply_formula(tape: Tape, rule: Formula, operands: Args, dtype: str, name: str = "") -> Tracer:
    """One node with a formula of the broadcast operands, in the dtype of the result."""
    nodes = [as_node(tape, operand, dtype, name) for operand in operands]
    shape = broadcast_shape(nodes)
    maps = [broadcast_map(node.shape, shape) for node in nodes]
    return Tracer(tape, tape.elementwise(rule, nodes, maps, shape, dtype))
