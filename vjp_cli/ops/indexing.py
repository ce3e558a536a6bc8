"""Rows that pick elements by index or mask, and rows that write into such places.

All writing goes through one primitive, ``index_put``: the rest compute their index tensors, which
are real numbers, and call it.
"""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op


def _index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """The positions added up at each place: what is there, and what is written on or added to it.

    Args:
        input: positions.
        indices: index tensors or masks, as torch takes them.
        values: further positions, of a shape that broadcasts to the places.
        accumulate: whether the values are added to what is there instead of replacing it.

    Returns:
        Positions of shape input.shape + (k,), 0 for nothing.
    """
    if not accumulate:
        return torch.index_put(input, indices, values).unsqueeze(-1)
    places = torch.arange(input.numel()).reshape(input.shape)[tuple(indices)]
    order = places.flatten().argsort(stable=True)
    added = values.expand(places.shape).flatten()[order]
    places = places.flatten()[order]
    counts = places.bincount(minlength=input.numel())
    # the how-manieth value of its place each value is
    turn = torch.arange(len(places)) - (counts.cumsum(0) - counts)[places]
    deepest = int(counts.max()) if len(places) else 0
    segments = torch.zeros(input.numel(), 1 + deepest, dtype=torch.int64)
    segments[:, 0] = input.flatten()
    segments[places, 1 + turn] = added
    return segments.reshape(*input.shape, 1 + deepest)


def _scatter(input: Any, dim: int, index: Any, src: Any = None, *, value: Any = None) -> Any:
    return _scattered(input, (dim, index), value if src is None else src, False)


def _scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    return _scattered(input, (dim, index), src, True)


def _scattered(input: Any, place: tuple[int, Any], source: Any, accumulate: bool) -> Any:
    dim, index = place
    if not hasattr(source, "shape"):
        source = _scalar(source, input)
    for axis, size in enumerate(index.shape if source.ndim else ()):
        source = torch.narrow(source, axis, 0, size)
    if input.ndim == 0:
        lines = torch.index_put(
            input.reshape(1), (index.reshape(1),), source.reshape(1), accumulate
        )
        return lines.reshape(())
    return torch.index_put(input, _grid(dim, index), source, accumulate)


def _scalar(value: float, like: Any) -> Any:
    return torch.full((), value, dtype=like.dtype, device=like.device)


def _grid(dim: int, index: Any) -> tuple[Any, ...]:
    """One index tensor a dimension, for the places that ``index`` names along ``dim``."""
    axes = torch.meshgrid(*(torch.arange(size) for size in index.shape), indexing="ij")
    return tuple(index if d == dim % index.ndim else axis for d, axis in enumerate(axes))


def _index_write(input: Any, dim: int, index: Any, source: Any, accumulate: bool) -> Any:
    if input.ndim == 0:
        input, source = input.reshape(1), source.reshape(1)
        return _index_write(input, 0, index.reshape(1), source, accumulate).reshape(())
    lines = torch.movedim(source, dim, 0) if source.ndim else source
    written = torch.index_put(torch.movedim(input, dim, 0), (index.reshape(-1),), lines, accumulate)
    return torch.movedim(written, 0, dim)


def _index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    return _index_write(input, dim, index, source if alpha == 1 else alpha * source, True)


def _index_copy(input: Any, dim: int, index: Any, source: Any) -> Any:
    return _index_write(input, dim, index, source, False)


def _index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    if not hasattr(value, "shape"):
        value = _scalar(value, input)
    return _index_write(input, dim, index, value, False)


def _masked_fill(input: Any, mask: Any, value: Any) -> Any:
    return torch.where(mask, value, input)


def _functional_unfold(input: Any, *args: Any, **kwargs: Any) -> Any:
    # torch has no integer kernel; float64 holds every position exactly
    return torch.nn.functional.unfold(input.double(), *args, **kwargs).long()


def _move(name: str, path: str, *samples: str) -> Op:
    return Op(name, path, Kind.MOVE, samples=samples)


PICKS = (
    _move("narrow", "narrow", "narrow(x, 1, 0, 2)", "x.narrow(-1, 1, 2)"),
    _move("select", "select", "select(x, 0, 1)", "x.select(1, -1)"),
    _move("index_select", "index_select", "index_select(x, 0, i)", "x.index_select(1, j)"),
    _move(
        "gather",
        "gather",
        "gather(x, 1, tensor([[0, 2], [1, 1]]))",
        "x.gather(0, tensor([[1, 0, 1]]))",
    ),
    _move("take", "take", "take(x, tensor([[5, 0, 0]]))", "x.take(i)"),
    _move(
        "take_along_dim",
        "take_along_dim",
        "take_along_dim(x, tensor([[2], [0]]), 1)",
        "take_along_dim(x, tensor([4, 1]))",
        "x.take_along_dim(tensor([[1, 0, 0]]), dim=0)",
    ),
    _move("masked_select", "masked_select", "masked_select(x, m)", "x.masked_select(x > y)"),
    _move("unfold", "Tensor.unfold", "x.unfold(1, 2, 1)"),
    Op(
        "functional.unfold",
        "nn.functional.unfold",
        Kind.MOVE,
        _functional_unfold,
        ("functional.unfold(B.reshape(1, 1, 3, 4), (2, 2), padding=1)",),
        note="blocks as columns, another function than the method unfold",
    ),
)

WRITES = (
    Op(
        "index_put",
        "index_put",
        Kind.SUM,
        _index_put,
        (
            "index_put(x, (i, j), y[0].narrow(0, 0, 2))",
            "index_put(x, (i,), b)",
            "index_put(x, (m,), s)",
            "x.index_put((tensor([1, 1, 0]),), y[[0, 1, 1]], accumulate=True)",
        ),
    ),
    Op(
        "scatter",
        "scatter",
        Kind.COMPOSITE,
        _scatter,
        (
            "scatter(x, 1, tensor([[2, 0], [1, 2]]), y[:, :2])",
            "x.scatter(0, tensor([[1, 0, 1]]), 2.5)",
            "scatter(x, 1, tensor([[0]]), value=3.0)",
        ),
    ),
    Op(
        "scatter_add",
        "scatter_add",
        Kind.COMPOSITE,
        _scatter_add,
        (
            "scatter_add(x, 1, tensor([[2, 2, 0], [1, 1, 1]]), y)",
            "x.scatter_add(0, tensor([[1, 0, 1], [0, 0, 1]]), y)",
        ),
    ),
    Op(
        "index_add",
        "index_add",
        Kind.COMPOSITE,
        _index_add,
        (
            "index_add(x, 1, tensor([0, 0, 2]), y)",
            "x.index_add(0, tensor([1, 1, 0]), S, alpha=2)",
        ),
    ),
    Op("index_copy", "index_copy", Kind.COMPOSITE, _index_copy, ("index_copy(x, 0, i, y)",)),
    Op(
        "index_fill",
        "index_fill",
        Kind.COMPOSITE,
        _index_fill,
        ("index_fill(x, 1, j, 2.5)", "x.index_fill(0, tensor([1]), s)"),
    ),
    Op(
        "masked_fill",
        "masked_fill",
        Kind.COMPOSITE,
        _masked_fill,
        ("masked_fill(x, m, 1.5)", "x.masked_fill(x > y, s)"),
    ),
    _move("masked_scatter", "masked_scatter", "masked_scatter(x, m, y)"),
    _move("diagonal_scatter", "diagonal_scatter", "diagonal_scatter(x, y[0].narrow(0, 0, 2))"),
    _move("select_scatter", "select_scatter", "select_scatter(x, b, 0, 1)"),
    _move("slice_scatter", "slice_scatter", "slice_scatter(x, y[:, :2], 1, 1, 3)"),
)

ROWS: tuple[Op, ...] = PICKS + WRITES
