"""Arithmetic on elements."""

from vjp_cli.ops.table import Kind, Op

ROWS = (
    Op("add", "add", Kind.ELEMENTWISE, lambda x, y: x + y, ("add(x, y)", "x + b", "x + 2")),
    Op("sub", "sub", Kind.ELEMENTWISE, lambda x, y: x - y, ("sub(x, y)", "x - s", "2 - x")),
    Op("mul", "mul", Kind.ELEMENTWISE, lambda x, y: x * y, ("mul(x, y)", "x*b", "3*x")),
    Op("neg", "neg", Kind.ELEMENTWISE, lambda x: -x, ("neg(x)", "-x")),
)
