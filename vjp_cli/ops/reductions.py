"""Rows that reduce lines of a tensor to one element each: sums, products, moments, counts.

``axes``, ``lines`` and ``reduced`` are shared by the other families.
"""

from math import prod
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op


def axes(dim: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions that ``dim`` names, counted from 0; all for None and for ``()``."""
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        return tuple(range(ndim))
    if ndim == 0:
        return ()
    return tuple(d % ndim for d in ((dim,) if isinstance(dim, int) else dim))


def lines(input: Any, dim: Any) -> Any:
    """``input`` with the dimensions of ``dim`` made one, the last: shape kept + (count,)."""
    merged = axes(dim, input.ndim)
    kept = [d for d in range(input.ndim) if d not in merged]
    shape = [input.shape[d] for d in kept]
    count = prod(input.shape[d] for d in merged)
    return input.permute((*kept, *merged)).reshape((*shape, count))


def reduced(shape: Any, dim: Any, keepdim: bool) -> tuple[int, ...]:
    """The shape that a reduction over ``dim`` leaves of ``shape``."""
    gone = axes(dim, len(shape))
    sizes = [1 if d in gone else size for d, size in enumerate(shape)]
    return tuple(size for d, size in enumerate(sizes) if keepdim or d not in gone)


def _sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    segments = lines(input, dim)
    return segments.reshape((*reduced(input.shape, dim, keepdim), segments.shape[-1]))


def _trace(input: Any) -> Any:
    return torch.diagonal(input)


def _mean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    count = prod(input.shape[d] for d in axes(dim, input.ndim))
    total = torch.sum(input, axes(dim, input.ndim), keepdim, dtype=dtype)
    return total / count


def _nansum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return torch.sum(_without_nan(input), axes(dim, input.ndim), keepdim, dtype=dtype)


def _nanmean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    present = ~torch.isnan(input)
    total = torch.sum(_without_nan(input), axes(dim, input.ndim), keepdim, dtype=dtype)
    return total / torch.sum(present, axes(dim, input.ndim), keepdim)


def _without_nan(input: Any) -> Any:
    return torch.where(torch.isnan(input), 0.0, input)


def _prod(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    rest = lines(input if dtype is None else input.to(dtype), dim)
    if rest.shape[-1] == 0:
        return torch.ones(reduced(input.shape, dim, keepdim), dtype=dtype or input.dtype)
    # by halves: no division, so zeros among the factors need no special case
    while rest.shape[-1] > 1:
        half = rest.shape[-1] // 2
        odd = torch.narrow(rest, -1, 2 * half, rest.shape[-1] - 2 * half)
        pairs = torch.narrow(rest, -1, 0, half) * torch.narrow(rest, -1, half, half)
        rest = torch.cat((pairs, odd), -1) if odd.shape[-1] else pairs
    return rest.reshape(reduced(input.shape, dim, keepdim))


def _count_nonzero(input: Any, dim: Any = None) -> Any:
    return torch.sum(input != 0, axes(dim, input.ndim))


def _all(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return torch.all(input != 0) if dim is None else torch.all(input != 0, dim, keepdim)


def _any(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return torch.any(input != 0) if dim is None else torch.any(input != 0, dim, keepdim)


def _var(
    input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = 1
) -> Any:
    if isinstance(dim, bool):  # torch also has var(input, unbiased)
        dim, unbiased = None, dim
    if unbiased is not None:
        correction = int(unbiased)
    merged = axes(dim, input.ndim)
    count = prod(input.shape[d] for d in merged)
    centred = input - torch.mean(input, merged, True)
    squares = (centred * centred.conj()).real if input.dtype.is_complex else centred * centred
    return torch.sum(squares, merged, keepdim) / max(count - correction, 0)


def _std(
    input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = 1
) -> Any:
    return torch.sqrt(_var(input, dim, unbiased, keepdim, correction=correction))


def _var_mean(
    input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = 1
) -> Any:
    merged = None if isinstance(dim, bool) else dim
    mean = torch.mean(input, axes(merged, input.ndim), keepdim)
    return _var(input, dim, unbiased, keepdim, correction=correction), mean


def _std_mean(
    input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = 1
) -> Any:
    var, mean = _var_mean(input, dim, unbiased, keepdim, correction=correction)
    return torch.sqrt(var), mean


def _composite(name: str, rule: Any, *samples: str, kinks: str = "") -> Op:
    return Op(name, name, Kind.COMPOSITE, rule, samples, kinks=kinks)


_SAME = "where all elements of a line are equal"

ROWS: tuple[Op, ...] = (
    Op(
        "sum",
        "sum",
        Kind.SUM,
        _sum,
        (
            "sum(x)",
            "x.sum(0)",
            "sum(x, dim=(0, 1), keepdim=True)",
            "x.sum(-1, keepdim=True)",
            "sum(s)",
            "sum(x, dim=())",
        ),
    ),
    Op("trace", "trace", Kind.SUM, _trace, ("trace(x)", "S.trace()")),
    _composite("mean", _mean, "mean(x)", "x.mean(1, keepdim=True)", "mean(x, dim=(0, 1))"),
    _composite("nansum", _nansum, "nansum(x)", "nansum(x, 1)"),
    _composite("nanmean", _nanmean, "nanmean(x)", "x.nanmean(0, keepdim=True)"),
    _composite("prod", _prod, "prod(x)", "x.prod(1)", "prod(S, 0, keepdim=True)", "prod(s)"),
    _composite(
        "var",
        _var,
        "var(x)",
        "x.var(1)",
        "var(x, False)",
        "x.var(unbiased=False)",
        "var(x, dim=(0, 1), correction=2)",
        "var(x, 0, True, True)",
    ),
    _composite(
        "std",
        _std,
        "std(x)",
        "x.std(dim=1, keepdim=True)",
        "std(x, 0, correction=0)",
        kinks=_SAME,
    ),
    _composite("var_mean", _var_mean, "var_mean(x)[0]", "var_mean(x, 1, keepdim=True)[1]"),
    _composite("std_mean", _std_mean, "std_mean(x, 0)[0]", "std_mean(x)[1]", kinks=_SAME),
    _composite("count_nonzero", _count_nonzero, "count_nonzero(x)", "x.count_nonzero(dim=1)"),
    _composite("all", _all, "all(x)", "all(x > 0, 1)"),
    _composite("any", _any, "any(x)", "x.any(0, keepdim=True)"),
)
