"""Rows that order elements: extremes, sorting, ranks and medians.

``argsort``, ``argmax`` and ``argmin`` alone compare. They give real indices, by which all the
others move elements.
"""

from typing import Any, NamedTuple

from vjp_cli.lazy import torch
from vjp_cli.ops.reductions import lines, reduced
from vjp_cli.ops.scans import scan
from vjp_cli.ops.table import Kind, Op


class Ordered(NamedTuple):
    """The result of a row that gives elements and where they stood."""

    values: Any
    indices: Any


class Range(NamedTuple):
    """The result of ``aminmax``."""

    min: Any
    max: Any


def _max(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    if hasattr(dim, "shape") or other is not None:
        return torch.maximum(input, dim if other is None else other)
    return _extreme(input, dim, keepdim, torch.argmax)


def _min(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    if hasattr(dim, "shape") or other is not None:
        return torch.minimum(input, dim if other is None else other)
    return _extreme(input, dim, keepdim, torch.argmin)


def _extreme(input: Any, dim: int | None, keepdim: bool, choose: Any) -> Any:
    if dim is None:
        return torch.take(input, choose(input))
    return _drop(_at(input, dim, choose(input, dim, True)), dim, keepdim)


def _at(input: Any, dim: int, indices: Any) -> Ordered:
    return Ordered(torch.gather(input, dim, indices), indices)


def _drop(ordered: Ordered, dim: int, keepdim: bool) -> Ordered:
    """``ordered`` without its dimension ``dim`` of size 1, unless that is to be kept."""
    if keepdim or ordered.indices.ndim == 0:
        return ordered
    return Ordered(torch.squeeze(ordered.values, dim), torch.squeeze(ordered.indices, dim))


def _amax(input: Any, dim: Any = (), keepdim: bool = False) -> Any:
    rest = lines(input, dim)
    largest = torch.gather(rest, -1, torch.argmax(rest, -1, True))
    return largest.reshape(reduced(input.shape, dim, keepdim))


def _amin(input: Any, dim: Any = (), keepdim: bool = False) -> Any:
    rest = lines(input, dim)
    smallest = torch.gather(rest, -1, torch.argmin(rest, -1, True))
    return smallest.reshape(reduced(input.shape, dim, keepdim))


def _aminmax(input: Any, *, dim: Any = None, keepdim: bool = False) -> Range:
    return Range(_amin(input, dim, keepdim), _amax(input, dim, keepdim))


def _sort(input: Any, dim: int = -1, descending: bool = False, stable: Any = False) -> Ordered:
    return _at(input, dim, torch.argsort(input, dim=dim, descending=descending, stable=True))


def _msort(input: Any) -> Any:
    return _sort(input, 0).values


def _topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Ordered:
    order = torch.argsort(input, dim=dim, descending=largest, stable=True)
    return _at(input, dim, torch.narrow(order, dim, 0, k) if order.ndim else order)


def _kthvalue(input: Any, k: int, dim: int = -1, keepdim: bool = False) -> Ordered:
    order = torch.argsort(input, dim=dim, stable=True)
    kth = torch.narrow(order, dim, k - 1, 1) if order.ndim else order
    return _drop(_at(input, dim, kth), dim, keepdim)


def _median(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    if dim is None:
        return _kthvalue(input.reshape(-1), (input.numel() + 1) // 2).values
    size = input.shape[dim] if input.ndim else 1
    return _kthvalue(input, (size + 1) // 2, dim, keepdim)


def _nanmedian(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    if dim is None:
        return _nanmedian(input.reshape(-1), 0).values
    # NaN stands last in the order
    present = (~torch.isnan(input)).sum(dim, True)
    order = torch.argsort(input, dim=dim, stable=True)
    middle = torch.clamp(present - 1, min=0) // 2
    return _drop(_at(input, dim, torch.gather(order, dim, middle)), dim, keepdim)


def _scanned(input: Any, dim: int, wins: Any) -> Ordered:
    """The element so far that no later one beats, at each place; of equal ones the last."""
    if input.ndim == 0:
        return Ordered(input.clone(), torch.zeros((), dtype=torch.int64))
    places = torch.arange(input.shape[dim]).reshape(
        [-1 if d == dim % input.ndim else 1 for d in range(input.ndim)]
    )

    def combine(earlier: Any, later: Any) -> Any:
        ahead = wins(torch.gather(input, dim, earlier), torch.gather(input, dim, later))
        return torch.where(ahead, earlier, later)

    return _at(input, dim, scan(places.expand(tuple(input.shape)), dim, combine))


def _cummax(input: Any, dim: int) -> Ordered:
    return _scanned(input, dim, torch.gt)


def _cummin(input: Any, dim: int) -> Ordered:
    return _scanned(input, dim, torch.lt)


_TIES = "where elements tie for the place"
_FIELDS = ("values", "indices")


def _index(name: str, *samples: str) -> Op:
    return Op(name, name, Kind.COMPARE, samples=samples)


def _value(name: str, rule: Any, *samples: str) -> Op:
    return Op(name, name, Kind.COMPOSITE, rule, samples, kinks=_TIES)


def _fields(name: str, rule: Any, *samples: str, note: str = "") -> Op:
    return Op(name, name, Kind.COMPOSITE, rule, samples, kinks=_TIES, fields=_FIELDS, note=note)


_FLAT = "without dim the result is the value alone"

ROWS: tuple[Op, ...] = (
    _index("argmax", "argmax(x)", "x.argmax(1)", "argmax(x, dim=0, keepdim=True)"),
    _index("argmin", "argmin(x)", "x.argmin(dim=-1)"),
    _index("argsort", "argsort(x)", "x.argsort(0, descending=True)", "argsort(b, stable=True)"),
    _fields(
        "max",
        _max,
        "max(x)",
        "x.max(0).values",
        "max(x, 1, True)[0]",
        "max(x, y)",
        "x.max(dim=1).indices",
        "max(s, 0).values",
        note=_FLAT,
    ),
    _fields(
        "min", _min, "min(x)", "x.min(1).values", "min(x, other=y)", "min(x, 0)[1]", note=_FLAT
    ),
    _value("amax", _amax, "amax(x)", "x.amax((0, 1), keepdim=True)", "amax(x, dim=1)"),
    _value("amin", _amin, "amin(x)", "x.amin(0)", "amin(s)"),
    Op(
        "aminmax",
        "aminmax",
        Kind.COMPOSITE,
        _aminmax,
        ("aminmax(x)[0]", "aminmax(x, dim=1).max", "x.aminmax(dim=0, keepdim=True).min"),
        kinks=_TIES,
        fields=("min", "max"),
    ),
    _fields(
        "sort",
        _sort,
        "sort(x)[0]",
        "x.sort(0, descending=True).values",
        "sort(b, stable=True).indices",
    ),
    _value("msort", _msort, "msort(S)", "b.msort()"),
    _fields("topk", _topk, "topk(x, 2)[0]", "x.topk(1, 0, largest=False).values", "b.topk(2)[1]"),
    _fields("kthvalue", _kthvalue, "kthvalue(x, 2).values", "x.kthvalue(1, 0, keepdim=True)[0]"),
    _fields(
        "median",
        _median,
        "median(x)",
        "x.median(dim=1).values",
        "median(x, 0, True)[1]",
        "median(s, 0)[0]",
        note=_FLAT + "; of an even number of elements it is the lower of the middle two",
    ),
    _fields(
        "nanmedian",
        _nanmedian,
        "nanmedian(x)",
        "nanmedian(where(m, x, float('nan')), 1, True).values",
        "nanmedian(where(m, x, float('nan')))",
        "x.nanmedian(dim=0)[1]",
        "nanmedian(s, 0)[0]",
        note=_FLAT + "; of an even number of elements it is the lower of the middle two",
    ),
    _fields("cummax", _cummax, "cummax(x, 1)[0]", "S.cummax(0).values", "cummax(b, 0).indices"),
    _fields("cummin", _cummin, "cummin(x, 1).values", "cummin(s, 0)[0]"),
)
