"""The activation functions of ``torch.nn.functional``."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from vjp_cli.lazy import sympy, torch
from vjp_cli.ops import functions
from vjp_cli.ops.table import Kind, Op

# The constants of self-normalising networks, as torch has them in double precision.
_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805


def _relu(input: Any, inplace: bool = False) -> Any:
    return torch.where(input <= 0, 0, input)


def _leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    return torch.where(input > 0, input, negative_slope * input)


def _elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    return torch.where(input > 0, input, alpha * torch.expm1(input))


def _celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    return torch.where(input > 0, input, alpha * torch.expm1(input / alpha))


def _selu(input: Any, inplace: bool = False) -> Any:
    return _SELU_SCALE * _elu(input, _SELU_ALPHA)


def _gelu(input: Any, approximate: str = "none") -> Any:
    if approximate == "none":
        return input * torch.special.ndtr(input)
    # (1 + tanh(t))/2 is sigmoid(2t), without its cancellation for negative t
    inner = math.sqrt(2 / math.pi) * (input + 0.044715 * input**3)
    return input * torch.sigmoid(2 * inner)


def _silu(input: Any, inplace: bool = False) -> Any:
    return input * torch.sigmoid(input)


def _mish(input: Any, inplace: bool = False) -> Any:
    return input * torch.tanh(torch.nn.functional.softplus(input))


def _softplus(input: Any, beta: float = 1, threshold: float = 20) -> Any:
    return torch.log1p(torch.exp(beta * input)) / beta


def _thresholded_softplus(input: Any, beta: float = 1, threshold: float = 20) -> Any:
    return torch.where(beta * input > threshold, input, _softplus(input, beta))


def _hardtanh(
    input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Any:
    return torch.clamp(input, min_val, max_val)


def _hardsigmoid(input: Any, inplace: bool = False) -> Any:
    return torch.clamp(input + 3, 0, 6) / 6


def _hardswish(input: Any, inplace: bool = False) -> Any:
    return input * _hardsigmoid(input)


def _softshrink(input: Any, lambd: float = 0.5) -> Any:
    outside = torch.where(input > 0, input - lambd, input + lambd)
    return torch.where((input <= lambd) & (input >= -lambd), 0, outside)


def _hardshrink(input: Any, lambd: float = 0.5) -> Any:
    return torch.where((input <= lambd) & (input >= -lambd), 0, input)


def _threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Any:
    return torch.where(input <= threshold, value, input)


def _prelu(input: Any, weight: Any) -> Any:
    # one weight for all, or one for each channel, which is the second axis
    if weight.numel() > 1 and input.ndim > 1:
        weight = weight.reshape(-1, *(1 for _ in input.shape[2:]))
    return torch.where(input > 0, input, weight * input)


def _glu(input: Any, dim: int = -1) -> Any:
    values, gates = torch.chunk(input, 2, dim)
    return values * torch.sigmoid(gates)


def _row(
    name: str,
    rule: Callable[..., Any],
    kinks: str = "",
    options: tuple[str, ...] = (),
    note: str = "",
) -> Op:
    """The composite row of ``nn.functional``'s ``name``; ``options`` are further arguments."""
    samples = (f"{name}(x)", f"{name}(s)", *(f"{name}(x, {option})" for option in options))
    path = f"nn.functional.{name}"
    return Op(name, path, Kind.COMPOSITE, rule, samples, (-4.0, 4.0), kinks, note=note)


ROWS = (
    replace(
        _row("softplus", _softplus, "", ("3.0", "beta=0.5, threshold=30")),
        departure="softplus returns its input beyond the threshold",
        as_written=_thresholded_softplus,
    ),
    Op(
        "logsigmoid",
        "nn.functional.logsigmoid",
        Kind.ELEMENTWISE,
        lambda input: -functions.log1p(sympy.exp(-input)),
        ("logsigmoid(x)", "logsigmoid(s)"),
        (-4.0, 4.0),
    ),
    Op(
        "tanhshrink",
        "nn.functional.tanhshrink",
        Kind.ELEMENTWISE,
        lambda input: input - sympy.tanh(input),
        ("tanhshrink(x)", "tanhshrink(s)"),
    ),
    _row("relu", _relu, "0", ("inplace=False",)),
    _row("relu6", lambda input, inplace=False: torch.clamp(input, 0, 6), "0 and 6"),
    _row("leaky_relu", _leaky_relu, "0", ("0.2",)),
    _row("elu", _elu, "0, unless alpha is 1", ("0.5", "alpha=2.0")),
    _row("celu", _celu, "", ("0.5", "alpha=2.0")),
    _row("selu", _selu, "0"),
    _row("gelu", _gelu, "", ("approximate='tanh'", "approximate='none'")),
    _row("silu", _silu),
    _row("mish", _mish),
    _row("hardtanh", _hardtanh, "at both bounds", ("-0.5, 2.0",)),
    _row("hardsigmoid", _hardsigmoid, "-3 and 3", note="torch's derivative has 1/6 in float32"),
    _row("hardswish", _hardswish, "-3 and 3"),
    _row("softsign", lambda input: input / (1 + torch.abs(input))),
    _row("softshrink", _softshrink, "-lambd and lambd", ("1.25",)),
    _row("hardshrink", _hardshrink, "a jump at -lambd and lambd", ("1.25",)),
    Op(
        "threshold",
        "nn.functional.threshold",
        Kind.COMPOSITE,
        _threshold,
        ("threshold(x, 0.5, -1.0)", "threshold(s, 0.0, 0.0)"),
        kinks="at the threshold",
    ),
    Op(
        "prelu",
        "prelu",
        Kind.COMPOSITE,
        _prelu,
        ("prelu(x, b)", "prelu(x, b[:1])", "prelu(B.reshape(2, 3, 2), b)", "prelu(b, b[:1])"),
        kinks="0",
    ),
    Op(
        "glu",
        "nn.functional.glu",
        Kind.COMPOSITE,
        _glu,
        ("glu(B)", "glu(x, 0)"),
    ),
)
