"""Steps, and what is left of a number once a step is taken from it."""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op

_INTEGERS = "a jump at every integer"
_MULTIPLES = "a jump wherever the first argument is a multiple of the second"


def _round(input: Any, *, decimals: int = 0) -> Any:
    scale = 10 ** abs(decimals)
    scaled = input * scale if decimals >= 0 else input / scale
    below = torch.floor(scaled)
    beyond = scaled - below
    # half to even
    up = (beyond > 0.5) | ((beyond == 0.5) & (torch.remainder(below, 2) == 1))
    nearest = torch.where(up, below + 1, below)
    return nearest / scale if decimals >= 0 else nearest * scale


def _remainder(input: Any, other: Any) -> Any:
    return input - other * torch.floor(torch.true_divide(input, other))


def _fmod(input: Any, other: Any) -> Any:
    return input - other * torch.trunc(torch.true_divide(input, other))


def _heaviside(input: Any, values: Any) -> Any:
    return torch.where(input == 0, values, torch.clamp(torch.sign(input), min=0))


_QUOTIENTS = ("(x, y)", "(x, b)", "(x, 0.75)", "(x, -0.75)")

ROWS = (
    Op("floor", "floor", Kind.STEP, None, ("floor(x)",), (-4.0, 4.0), _INTEGERS),
    Op("ceil", "ceil", Kind.STEP, None, ("ceil(x)",), (-4.0, 4.0), _INTEGERS),
    Op(
        "trunc",
        "trunc",
        Kind.STEP,
        None,
        ("trunc(x)",),
        (-4.0, 4.0),
        "a jump at every integer but 0",
        aliases=("fix",),
    ),
    Op(
        "round",
        "round",
        Kind.COMPOSITE,
        _round,
        ("round(x)", "round(x, decimals=1)", "round(100*x, decimals=-1)"),
        (-4.0, 4.0),
        "a jump half-way between two neighbouring results",
        note="half-way goes to the even neighbour",
    ),
    Op(
        "frac",
        "frac",
        Kind.COMPOSITE,
        lambda input: input - torch.trunc(input),
        ("frac(x)",),
        (-4.0, 4.0),
        "a jump at every integer but 0",
    ),
    Op(
        "floor_divide",
        "floor_divide",
        Kind.COMPOSITE,
        lambda input, other: torch.floor(torch.true_divide(input, other)),
        ("floor_divide(x, y)", "x // b", "x // 0.75"),
        (0.3, 4.0),
        _MULTIPLES,
        note="torch has no derivative",
    ),
    Op(
        "remainder",
        "remainder",
        Kind.COMPOSITE,
        _remainder,
        (*(f"remainder{arguments}" for arguments in _QUOTIENTS), "x % y", "-x % 0.75"),
        (0.3, 4.0),
        _MULTIPLES,
        note="the sign is that of the second argument",
    ),
    Op(
        "fmod",
        "fmod",
        Kind.COMPOSITE,
        _fmod,
        (*(f"fmod{arguments}" for arguments in _QUOTIENTS), "fmod(-x, y)"),
        (0.3, 4.0),
        _MULTIPLES,
        note="the sign is that of the first argument",
    ),
    Op(
        "sign",
        "sign",
        Kind.STEP,
        None,
        ("sign(x)",),
        kinks="a jump at 0",
    ),
    Op(
        "heaviside",
        "heaviside",
        Kind.COMPOSITE,
        _heaviside,
        ("heaviside(x, y)", "heaviside(x, b)"),
        kinks="a jump at 0",
        note="torch has no derivative",
    ),
)
