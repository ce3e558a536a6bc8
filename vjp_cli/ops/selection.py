"""Elements chosen by comparison: absolute value, bounds, the larger and the smaller of two."""

import math
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op

_EQUAL = "where both arguments are equal"


def _abs(input: Any) -> Any:
    if input.dtype.is_complex:
        return torch.sqrt(torch.real(input) ** 2 + torch.imag(input) ** 2)
    return torch.where(input < 0, -input, input)


def _clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    # the upper bound is applied last: it wins where the bounds cross
    above = input if min is None else torch.where(input < min, min, input)
    return above if max is None else torch.where(above > max, max, above)


def _copysign(input: Any, other: Any) -> Any:
    size = torch.abs(input)
    if isinstance(other, int | float):
        return size if math.copysign(1, other) > 0 else -size
    return torch.where(torch.signbit(other), -size, size)


def _nan_to_num(
    input: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Any:
    limits = torch.finfo(input.dtype)
    high = limits.max if posinf is None else posinf
    low = limits.min if neginf is None else neginf
    finite = torch.where(torch.isnan(input), nan or 0.0, input)
    finite = torch.where(torch.isposinf(finite), high, finite)
    return torch.where(torch.isneginf(finite), low, finite)


def _binary(name: str, rule: Any, kinks: str = _EQUAL) -> Op:
    samples = (f"{name}(x, y)", f"{name}(x, b)")
    return Op(name, name, Kind.COMPOSITE, rule, samples, kinks=kinks)


ROWS = (
    Op(
        "where",
        "where",
        Kind.MOVE,
        None,
        ("where(m, x, y)", "where(x > 0, x, b)", "where(m, x, 0)", "where(x > y, 1.5, y)"),
        kinks="wherever the two choices do not join smoothly",
        note="the choice that is not taken contributes nothing",
    ),
    Op(
        "abs",
        "abs",
        Kind.COMPOSITE,
        _abs,
        ("abs(x)", "abs(s)"),
        kinks="0",
        aliases=("absolute",),
    ),
    Op(
        "clamp",
        "clamp",
        Kind.COMPOSITE,
        _clamp,
        (
            "clamp(x, -0.5, 1.0)",
            "clamp(x, min=0.25)",
            "clamp(x, max=0.25)",
            "clamp(x, min=y)",
            "clamp(x, b, b + 1)",
            "clamp(x, 1.0, -1.0)",
        ),
        kinks="at each bound",
        aliases=("clip",),
    ),
    _binary("clamp_min", lambda input, min: torch.where(input < min, min, input), "at the bound"),
    _binary("clamp_max", lambda input, max: torch.where(input > max, max, input), "at the bound"),
    _binary(
        "maximum",
        lambda input, other: torch.where((input > other) | torch.isnan(input), input, other),
    ),
    _binary(
        "minimum",
        lambda input, other: torch.where((input < other) | torch.isnan(input), input, other),
    ),
    _binary(
        "fmax",
        lambda input, other: torch.where((input > other) | torch.isnan(other), input, other),
    ),
    _binary(
        "fmin",
        lambda input, other: torch.where((input < other) | torch.isnan(other), input, other),
    ),
    Op(
        "copysign",
        "copysign",
        Kind.COMPOSITE,
        _copysign,
        ("copysign(x, y)", "copysign(x, b)", "copysign(x, -2.0)", "copysign(x, 1)"),
        kinks="0 in the first argument; a jump at 0 in the second",
    ),
    Op(
        "nan_to_num",
        "nan_to_num",
        Kind.COMPOSITE,
        _nan_to_num,
        ("nan_to_num(x)", "nan_to_num(x*float('inf'), posinf=1.0, neginf=2.0)"),
    ),
)
