"""Rows that interpolate between ordered elements."""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.reductions import lines, reduced
from vjp_cli.ops.table import Kind, Op


def _quantile(
    input: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Any:
    rest = lines(input, dim)
    last = torch.full((1, 1), rest.shape[-1] - 1)
    shape = reduced(input.shape, dim, keepdim)
    return _at_ranks(rest, _tensor(q, input), last, shape, interpolation)


def _nanquantile(
    input: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Any:
    rest = lines(input, dim)
    present = (~torch.isnan(rest)).sum(-1)
    last = torch.clamp(present - 1, min=0).reshape((-1, 1))
    shape = reduced(input.shape, dim, keepdim)
    return _at_ranks(rest, _tensor(q, input), last, shape, interpolation)


def _tensor(q: Any, input: Any) -> Any:
    # a sum with the input's zeros is exact where the input is traced
    return q if hasattr(q, "shape") else torch.zeros_like(input.reshape(-1)[0]) + q


def _at_ranks(rest: Any, q: Any, last: Any, shape: tuple[int, ...], interpolation: str) -> Any:
    """The quantiles of each line, the index of whose last number is ``last``: q, then lines."""
    ordered = torch.sort(rest).values.reshape((-1, rest.shape[-1]))
    rank = (q.reshape((1, -1)) * last).expand((ordered.shape[0], q.numel()))
    values = torch.movedim(_between(ordered, rank, interpolation), 1, 0)
    return values.reshape((*q.shape, *shape))


def _between(ordered: Any, rank: Any, interpolation: str) -> Any:
    """The values of ``ordered`` (rows ascending) at ranks, real numbers: rows x ranks."""
    # whole parts are found by comparing: real indices even where the rank is traced
    steps = torch.arange(ordered.shape[1])
    below = (rank.unsqueeze(-1) >= steps[1:]).sum(-1)
    above = (rank.unsqueeze(-1) > steps[:-1]).sum(-1)
    weight = rank - below
    if interpolation in ("lower", "higher", "nearest"):
        # half way, the even one is the nearest
        up = (weight > 0.5) | ((weight == 0.5) & (below % 2 == 1))
        nearest = torch.where(up, above, below)
        place = {"lower": below, "higher": above, "nearest": nearest}[interpolation]
        return torch.gather(ordered, 1, place)
    low, high = (torch.gather(ordered, 1, place) for place in (below, above))
    return low + (0.5 if interpolation == "midpoint" else weight) * (high - low)


def _row(name: str, rule: Any, *samples: str) -> Op:
    kinks = "where elements tie for the place"
    return Op(name, name, Kind.COMPOSITE, rule, samples, kinks=kinks)


_HOLES = "where(m, x, float('nan'))"

ROWS: tuple[Op, ...] = (
    _row(
        "quantile",
        _quantile,
        "quantile(x, 0.4)",
        "x.quantile(0.3, dim=1, keepdim=True)",
        "quantile(x, tensor([0.1, 0.5, 0.9], dtype=torch.float64), 0)",
        "quantile(x, 0.5, interpolation='midpoint')",
        "quantile(x, 0.3, dim=1, interpolation='nearest')",
        "quantile(b, 0.3, interpolation='lower')",
        "quantile(b, 0.3, interpolation='higher')",
    ),
    _row(
        "nanquantile",
        _nanquantile,
        "nanquantile(x, 0.3)",
        f"nanquantile({_HOLES}, 0.3)",
        f"nanquantile({_HOLES}, tensor([0.1, 0.7], dtype=torch.float64), 1, keepdim=True)",
        f"nanquantile({_HOLES}, 0.4, dim=1, interpolation='higher')",
    ),
)
