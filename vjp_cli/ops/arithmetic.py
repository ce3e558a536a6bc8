"""Arithmetic on elements."""

from typing import Any

from vjp_cli.lazy import sympy, torch
from vjp_cli.ops.table import Kind, Op


def _div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    quotient = torch.true_divide(input, other)
    if rounding_mode is None:
        return quotient
    return torch.floor(quotient) if rounding_mode == "floor" else torch.trunc(quotient)


ROWS = (
    Op(
        "add",
        "add",
        Kind.ELEMENTWISE,
        lambda x, y, alpha=1: x + alpha * y,
        ("add(x, y)", "x + b", "x + 2", "add(x, y, alpha=2)"),
    ),
    Op(
        "sub",
        "sub",
        Kind.ELEMENTWISE,
        lambda x, y, alpha=1: x - alpha * y,
        ("sub(x, y)", "x - s", "2 - x", "sub(x, y, alpha=3)"),
        aliases=("subtract",),
    ),
    Op(
        "rsub",
        "rsub",
        Kind.ELEMENTWISE,
        lambda x, y, alpha=1: y - alpha * x,
        ("rsub(x, y)", "rsub(x, 2, alpha=3)"),
    ),
    Op(
        "mul",
        "mul",
        Kind.ELEMENTWISE,
        lambda x, y: x * y,
        ("mul(x, y)", "x*b", "3*x"),
        aliases=("multiply",),
    ),
    Op(
        "true_divide",
        "true_divide",
        Kind.ELEMENTWISE,
        lambda x, y: x / y,
        ("true_divide(x, y)", "true_divide(x, b)", "true_divide(x, 3)"),
        domain=(0.5, 2.5),
    ),
    Op(
        "div",
        "div",
        Kind.COMPOSITE,
        _div,
        (
            "div(x, y)",
            "x/b",
            "2/x",
            "x/3",
            "div(x, y, rounding_mode='floor')",
            "div(x, y, rounding_mode='trunc')",
        ),
        domain=(0.5, 2.5),
        kinks="with a rounding_mode: a jump wherever the quotient is an integer",
        aliases=("divide",),
    ),
    Op(
        "neg",
        "neg",
        Kind.ELEMENTWISE,
        lambda x: -x,
        ("neg(x)", "-x"),
        aliases=("negative",),
    ),
    Op("positive", "positive", Kind.ELEMENTWISE, lambda x: x, ("positive(x)", "+x")),
    Op(
        "reciprocal",
        "reciprocal",
        Kind.ELEMENTWISE,
        lambda x: 1 / x,
        ("reciprocal(x)",),
        domain=(0.5, 2.5),
    ),
    Op("square", "square", Kind.ELEMENTWISE, lambda x: x**2, ("square(x)",)),
    Op(
        "pow",
        "pow",
        Kind.ELEMENTWISE,
        lambda x, y: x**y,
        ("pow(x, y)", "x**b", "x**3", "x**-2", "x**0.5", "2**x", "pow(2, x)"),
        domain=(0.2, 2.0),
    ),
    Op(
        "float_power",
        "float_power",
        Kind.ELEMENTWISE,
        lambda x, y: x**y,
        ("float_power(x, y)", "float_power(x, 2)"),
        domain=(0.2, 2.0),
        note="always computed in double precision",
    ),
    Op(
        "sqrt",
        "sqrt",
        Kind.ELEMENTWISE,
        lambda x: sympy.sqrt(x),
        ("sqrt(x)",),
        domain=(0.1, 3.0),
        kinks="vertical tangent at 0, the end of the domain",
    ),
    Op(
        "rsqrt",
        "rsqrt",
        Kind.ELEMENTWISE,
        lambda x: 1 / sympy.sqrt(x),
        ("rsqrt(x)",),
        domain=(0.1, 3.0),
    ),
    Op(
        "hypot",
        "hypot",
        Kind.ELEMENTWISE,
        lambda x, y: sympy.sqrt(x**2 + y**2),
        ("hypot(x, y)", "hypot(x, b)"),
        kinks="where both arguments are 0",
    ),
    Op(
        "lerp",
        "lerp",
        Kind.ELEMENTWISE,
        lambda x, y, weight: x + weight * (y - x),
        ("lerp(x, y, 0.25)", "lerp(x, b, y)"),
    ),
    Op(
        "addcmul",
        "addcmul",
        Kind.ELEMENTWISE,
        lambda x, y, z, value=1: x + value * y * z,
        ("addcmul(x, y, b)", "addcmul(b, x, y, value=0.5)"),
    ),
    Op(
        "addcdiv",
        "addcdiv",
        Kind.ELEMENTWISE,
        lambda x, y, z, value=1: x + value * y / z,
        ("addcdiv(x, y, b)", "addcdiv(b, x, y, value=0.5)"),
        domain=(0.5, 2.5),
    ),
    Op(
        "ldexp",
        "ldexp",
        Kind.ELEMENTWISE,
        lambda x, y: x * 2**y,
        ("ldexp(x, i[:, None])", "ldexp(x, y)"),
    ),
    Op(
        "deg2rad",
        "deg2rad",
        Kind.ELEMENTWISE,
        lambda x: x * sympy.pi / 180,
        ("deg2rad(x)",),
        domain=(-180.0, 180.0),
    ),
    Op(
        "rad2deg",
        "rad2deg",
        Kind.ELEMENTWISE,
        lambda x: x * 180 / sympy.pi,
        ("rad2deg(x)",),
    ),
)
