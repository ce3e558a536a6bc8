"""Comparisons, tests of elements and logic: masks, which carry no derivative."""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op


def _isclose(
    input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    gap = input - other
    near = torch.isfinite(gap) & (torch.abs(gap) <= atol + torch.abs(rtol * other))
    close = (input == other) | near
    both_nan = torch.isnan(input) & torch.isnan(other)
    return close | both_nan if equal_nan else close


def _mask(name: str, sample: str, *aliases: str) -> Op:
    """A row whose rule the exact side knows by its name."""
    return Op(name, name, Kind.COMPARE, None, (f"{name}({sample})",), aliases=aliases)


ROWS = (
    Op("eq", "eq", Kind.COMPARE, None, ("eq(x, y)", "eq(x, b)", "x == 1")),
    Op("ne", "ne", Kind.COMPARE, None, ("ne(x, y)", "x != y"), aliases=("not_equal",)),
    Op("lt", "lt", Kind.COMPARE, None, ("lt(x, y)", "x < b"), aliases=("less",)),
    Op("le", "le", Kind.COMPARE, None, ("le(x, y)", "x <= 1"), aliases=("less_equal",)),
    Op("gt", "gt", Kind.COMPARE, None, ("gt(x, y)", "x > 0"), aliases=("greater",)),
    Op("ge", "ge", Kind.COMPARE, None, ("ge(x, y)", "x >= s"), aliases=("greater_equal",)),
    _mask("isnan", "x"),
    _mask("isinf", "x"),
    _mask("isfinite", "x"),
    _mask("logical_and", "m, x > 0"),
    _mask("logical_or", "m, x > 0"),
    _mask("logical_xor", "m, x > 0"),
    _mask("logical_not", "m"),
    _mask("bitwise_and", "m, x > 0"),
    _mask("bitwise_or", "m, x > 0"),
    _mask("bitwise_xor", "m, x > 0"),
    _mask("bitwise_not", "m"),
    Op(
        "isposinf",
        "isposinf",
        Kind.COMPOSITE,
        lambda input: torch.isinf(input) & (input > 0),
        ("isposinf(x)", "isposinf(x*float('inf'))"),
    ),
    Op(
        "isneginf",
        "isneginf",
        Kind.COMPOSITE,
        lambda input: torch.isinf(input) & (input < 0),
        ("isneginf(x)", "isneginf(x*float('inf'))"),
    ),
    Op(
        "signbit",
        "signbit",
        Kind.COMPOSITE,
        lambda input: input < 0,
        ("signbit(x)",),
        note="an exact number has no negative zero",
    ),
    Op(
        "isclose",
        "isclose",
        Kind.COMPOSITE,
        _isclose,
        (
            "isclose(x, y)",
            "isclose(x, y, rtol=0.5, atol=0.25)",
            "isclose(x*float('inf'), y*float('inf'))",
            "isclose(x*float('nan'), y*float('nan'), 1, 1, True)",
        ),
    ),
)
