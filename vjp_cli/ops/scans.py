"""Rows that run along a dimension: partial sums and products, differences, trapezia."""

from collections.abc import Callable
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.reductions import axes
from vjp_cli.ops.table import Kind, Op

# so many places in the segments of all partial sums take 8 MB; their number grows as a square
_MOST_SEGMENTS = 1_000_000


def scan(input: Any, dim: int, combine: Callable[[Any, Any], Any]) -> Any:
    """All partial results of ``combine(earlier, later)`` along ``dim``, by doubling steps.

    Args:
        input: a tensor of at least one dimension.
        dim: the dimension to run along.
        combine: associative, and elementwise along ``dim``.
    """
    size = input.shape[dim]
    step = 1
    while step < size:
        earlier = torch.narrow(input, dim, 0, size - step)
        later = torch.narrow(input, dim, step, size - step)
        head = torch.narrow(input, dim, 0, step)
        input = torch.cat((head, combine(earlier, later)), dim)
        step *= 2
    return input


def _cumsum(input: Any, dim: int, *, dtype: Any = None) -> Any:
    if input.ndim == 0:
        return input.unsqueeze(-1)
    moved = input.movedim(dim, -1).unsqueeze(-2)
    size = input.shape[dim]
    segments = moved * torch.ones(size, size, dtype=torch.int64).tril()
    return segments.movedim(-2, axes(dim, input.ndim)[0])


def _cumsum_in_stages(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """The same by doubling steps where the segments would take too much memory; else None."""
    if input.ndim == 0 or input.numel() * input.shape[dim] <= _MOST_SEGMENTS:
        return None
    return scan(input, dim, torch.add)


def _cumprod(input: Any, dim: int, *, dtype: Any = None) -> Any:
    factors = input if dtype is None else input.to(dtype)
    return scan(factors, dim, torch.mul) if input.ndim else factors.clone()


def _logcumsumexp(input: Any, dim: int) -> Any:
    return torch.log(torch.cumsum(torch.exp(input), dim))


def _diff(input: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    parts = [part for part in (prepend, input, append) if part is not None]
    joined = torch.cat(parts, dim) if len(parts) > 1 else input
    for _ in range(min(n, joined.shape[dim])):
        size = joined.shape[dim]
        joined = torch.narrow(joined, dim, 1, size - 1) - torch.narrow(joined, dim, 0, size - 1)
    return joined


def _trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    return torch.sum(_trapezia(y, x, dx, dim), dim)


def _cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    return torch.cumsum(_trapezia(y, x, dx, dim), dim)


def _trapezia(y: Any, x: Any, dx: Any, dim: int) -> Any:
    size = y.shape[dim]
    both = torch.narrow(y, dim, 1, size - 1) + torch.narrow(y, dim, 0, size - 1)
    if x is None:
        return both / 2 if dx is None else both * dx / 2
    if x.ndim == 1:
        x = x.reshape([-1 if d == dim % y.ndim else 1 for d in range(y.ndim)])
    return both * torch.diff(x, 1, dim) / 2


ROWS: tuple[Op, ...] = (
    Op(
        "cumsum",
        "cumsum",
        Kind.SUM,
        _cumsum,
        ("cumsum(x, 0)", "x.cumsum(-1)", "cumsum(b, dim=0)", "cumsum(s, 0)"),
        in_stages=_cumsum_in_stages,
    ),
    Op(
        "cumprod",
        "cumprod",
        Kind.COMPOSITE,
        _cumprod,
        ("cumprod(x, 1)", "S.cumprod(0)", "cumprod(s, 0)"),
    ),
    Op(
        "logcumsumexp",
        "logcumsumexp",
        Kind.COMPOSITE,
        _logcumsumexp,
        ("logcumsumexp(x, 1)", "b.logcumsumexp(0)"),
    ),
    Op(
        "diff",
        "diff",
        Kind.COMPOSITE,
        _diff,
        ("diff(x)", "x.diff(dim=0)", "diff(x, 2)", "diff(b, prepend=s.reshape(1), append=y[0])"),
    ),
    Op(
        "trapezoid",
        "trapezoid",
        Kind.COMPOSITE,
        _trapezoid,
        ("trapezoid(x)", "trapezoid(x, b)", "trapezoid(x, dx=0.5, dim=0)", "trapezoid(x, y)"),
        aliases=("trapz",),
    ),
    Op(
        "cumulative_trapezoid",
        "cumulative_trapezoid",
        Kind.COMPOSITE,
        _cumulative_trapezoid,
        ("cumulative_trapezoid(x)", "cumulative_trapezoid(x, b, dim=1)"),
    ),
)
