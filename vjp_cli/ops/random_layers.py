"""Layers that draw at random.

In a user's function every call draws the same numbers, so that a mask is a constant. An expression
is refused where something is drawn.
"""

from collections.abc import Callable
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op
from vjp_cli.tracing.tracer import Untraceable, repeats_draws


def _dropout(name: str) -> Callable[..., Any]:
    def rule(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        if not training or p == 0:
            return torch.clone(input)
        if p == 1:
            return torch.zeros_like(input)
        if not repeats_draws(input):
            raise Untraceable(
                f"the random numbers of {name}: only p=0, p=1 and training=False draw none"
            )
        # drawn as torch draws it for this shape and dtype: 0 or 1/(1 - p)
        ones = torch.ones(tuple(input.shape), dtype=input.dtype)
        return input * getattr(torch.nn.functional, name)(ones, p, True)

    return rule


def _affine_dropout(name: str) -> Callable[..., Any]:
    """The alpha dropouts, which do not scale only: refused where they draw."""

    def rule(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
        if training and 0 < p < 1:
            raise Untraceable(f"the random numbers of {name}: only training=False draws none")
        return _dropout(name)(input, p, training, inplace)

    return rule


def _rrelu(
    input: Any,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Any:
    if training and lower != upper:
        raise Untraceable("the random slopes of rrelu: only training=False draws none")
    slope = (lower + upper) / 2
    return torch.where(input > 0, input, slope * input)


def _row(name: str, rule: Any, *samples: str, kinks: str = "") -> Op:
    note = "refused where it draws at random, unless a function does it"
    return Op(name, f"nn.functional.{name}", Kind.COMPOSITE, rule, samples, kinks=kinks, note=note)


_IMAGE = "B.reshape(1, 2, 2, 3)"

ROWS: tuple[Op, ...] = (
    _row("dropout", _dropout("dropout"), "dropout(x, 0.0)", "dropout(x, training=False)"),
    _row("dropout1d", _dropout("dropout1d"), f"dropout1d({_IMAGE}[0], 0.25, False)"),
    _row("dropout2d", _dropout("dropout2d"), f"dropout2d({_IMAGE}, 0.25, False)"),
    _row("dropout3d", _dropout("dropout3d"), f"dropout3d({_IMAGE}[:, :, None], p=0.0)"),
    _row("alpha_dropout", _affine_dropout("alpha_dropout"), "alpha_dropout(x, 0.25)"),
    _row(
        "feature_alpha_dropout",
        _affine_dropout("feature_alpha_dropout"),
        "feature_alpha_dropout(x, 0.25)",
    ),
    _row("rrelu", _rrelu, "rrelu(x)", "rrelu(s, 0.25, 0.75)", kinks="0"),
)
