"""The row ``scatter_reduce``: all elements written to one place, reduced to one."""

from math import inf
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op

# What changes nothing in a reduction.
_NEUTRAL = {"sum": 0, "mean": 0, "prod": 1, "amax": -inf, "amin": inf}


def _scatter_reduce(
    input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True
) -> Any:
    if input.ndim == 0:
        line = _scatter_reduce(
            input.reshape(1),
            0,
            index.reshape(1),
            src.reshape(1),
            reduce,
            include_self=include_self,
        )
        return line.reshape(())
    for axis, size in enumerate(index.shape):
        src = torch.narrow(src, axis, 0, size)
    axes = torch.meshgrid(*(torch.arange(size) for size in index.shape), indexing="ij")
    grid = tuple(index if d == dim % index.ndim else axis for d, axis in enumerate(axes))
    places = torch.arange(input.numel()).reshape(tuple(input.shape))[grid].flatten()
    table, written = _table(places, input.numel())
    if not include_self:
        # an element that nothing is written to stays
        table[written > 0, 0] = -1
    pool = torch.cat((input.reshape(-1), src.reshape(-1)))
    filled = torch.where(table >= 0, pool[table.clamp(min=0)], _NEUTRAL[reduce])
    result = _reduce(filled, (table >= 0).sum(-1), reduce)
    return result.reshape(tuple(input.shape))


def _table(places: Any, size: int) -> tuple[Any, Any]:
    """For each place which elements meet there, and how many are written.

    Args:
        places: the place that each written element goes to, shape (count,).
        size: the number of places.

    Returns:
        Elements counted over the places and then the written ones, -1 for none, shape
        (size, 1 + most), and the number written to each place.
    """
    order = places.argsort(stable=True)
    ordered = places[order]
    written = places.bincount(minlength=size)
    turn = torch.arange(len(places)) - (written.cumsum(0) - written)[ordered]
    most = int(written.max()) if size else 0
    table = torch.full((size, 1 + most), -1)
    table[:, 0] = torch.arange(size)
    table[ordered, 1 + turn] = size + order
    return table, written


def _reduce(filled: Any, counts: Any, reduce: str) -> Any:
    if reduce == "mean":
        return torch.sum(filled, -1) / counts
    reductions: dict[str, Any] = {
        "sum": torch.sum,
        "prod": torch.prod,
        "amax": torch.amax,
        "amin": torch.amin,
    }
    return reductions[reduce](filled, -1)


ROWS: tuple[Op, ...] = (
    Op(
        "scatter_reduce",
        "scatter_reduce",
        Kind.COMPOSITE,
        _scatter_reduce,
        (
            "scatter_reduce(x, 1, tensor([[2, 2, 0], [1, 1, 1]]), y, 'sum')",
            "x.scatter_reduce(0, tensor([[1, 0, 1], [0, 0, 1]]), y, reduce='prod')",
            "scatter_reduce(x, 1, tensor([[2, 2, 0]]), y[:1], 'mean')",
            "scatter_reduce(x, 1, tensor([[2, 2, 0], [1, 1, 1]]), y, 'mean', include_self=False)",
            "scatter_reduce(x, 1, tensor([[2, 2], [1, 1]]), y[:, 1:], 'amax')",
            "scatter_reduce(x, -1, tensor([[2, 2, 0], [1, 1, 1]]), y, 'amin', include_self=False)",
            "scatter_reduce(x, 0, tensor([[1, 0, 1], [1, 0, 1]]), y, 'prod', include_self=False)",
        ),
        kinks="amax and amin: where the elements of one place are tied",
        note="torch has no derivative where src is larger than index",
    ),
)
