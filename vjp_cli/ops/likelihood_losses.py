"""Losses that are negative log-likelihoods of counts or of normal deviates."""

from math import log, pi
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.losses import reduce_loss, reduction_of
from vjp_cli.ops.table import Kind, Op

# The signatures with many parameters are torch's own.


def _poisson_nll_loss(
    input: Any,
    target: Any,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    if log_input:
        loss = torch.exp(input) - target * input
    else:
        loss = input - target * torch.log(input + eps)
    if full:
        counted = torch.where(target > 1, target, 2)
        stirling = counted * torch.log(counted) - counted + 0.5 * torch.log(2 * pi * counted)
        loss = loss + torch.where(target > 1, stirling, 0)
    return reduce_loss(loss, reduction_of(reduction, size_average, reduce))


def _gaussian_nll_loss(
    input: Any,
    target: Any,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Any:
    bounded = torch.clamp(_variance(input, var), min=eps)
    return _gaussian(input - target, bounded, full, reduction)


def _unbounded_gaussian_nll_loss(
    input: Any,
    target: Any,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Any:
    """The same numbers, with a derivative that goes through the bound as if it were not there."""
    variance = _variance(input, var)
    bounded = variance + torch.clamp(eps - variance, min=0).detach()
    return _gaussian(input - target, bounded, full, reduction)


def _variance(input: Any, var: Any) -> Any:
    """The variances, of a shape that broadcasts to that of ``input``."""
    if isinstance(var, float):
        return torch.full(tuple(input.shape), var, dtype=input.dtype)
    short = tuple(var.shape) != tuple(input.shape) and tuple(var.shape) == tuple(input.shape[:-1])
    return var.unsqueeze(-1) if short else var


def _gaussian(deviation: Any, variance: Any, full: bool, reduction: str) -> Any:
    loss = (torch.log(variance) + deviation**2 / variance) / 2
    return reduce_loss(loss + log(2 * pi) / 2 if full else loss, reduction)


ROWS: tuple[Op, ...] = (
    Op(
        "poisson_nll_loss",
        "nn.functional.poisson_nll_loss",
        Kind.COMPOSITE,
        _poisson_nll_loss,
        (
            "poisson_nll_loss(x, y)",
            "poisson_nll_loss(x, y, False, reduction='sum')",
            "poisson_nll_loss(x, y, full=True, reduction='none')",
        ),
        domain=(0.2, 3.0),
        kinks="with full: a jump where a target is 1",
    ),
    Op(
        "gaussian_nll_loss",
        "nn.functional.gaussian_nll_loss",
        Kind.COMPOSITE,
        _gaussian_nll_loss,
        (
            "gaussian_nll_loss(x, y, A)",
            "gaussian_nll_loss(x, y, A, full=True, reduction='none')",
            "gaussian_nll_loss(x, y, b[:2], reduction='sum')",
            "gaussian_nll_loss(x, y, 0.5)",
        ),
        domain=(0.2, 3.0),
        kinks="where a variance is eps",
        departure="gaussian_nll_loss bounds the variance outside the graph",
        as_written=_unbounded_gaussian_nll_loss,
    ),
)
