"""Rows that only rearrange elements: shapes, orders, joins, splits and constant zeros between.

A row without a rule is answered by torch's own function, applied to tensors of positions.
"""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op


def _move(
    name: str, path: str, *samples: str, aliases: tuple[str, ...] = (), lists: bool = False
) -> Op:
    return Op(name, path, Kind.MOVE, samples=samples, aliases=aliases, lists=lists)


def _pad(input: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Any:
    pairs = [(pad[k], pad[k + 1]) for k in range(0, len(pad), 2)]
    for offset, (before, after) in enumerate(pairs):
        dim = input.ndim - 1 - offset
        if mode == "constant":
            input = _surround(input, dim, (before, after), value or 0)
        else:
            index = _outside(mode, input.shape[dim], before, after)
            input = torch.index_select(input, dim, index)
    return input


def _surround(input: Any, dim: int, widths: tuple[int, int], value: float) -> Any:
    """``input`` between two blocks of ``value`` along ``dim``; a negative width cuts."""
    before, after = widths
    kept = input.shape[dim] + min(before, 0) + min(after, 0)

    def block(width: int) -> Any:
        shape = [max(width, 0) if d == dim else size for d, size in enumerate(input.shape)]
        return torch.full(shape, value, dtype=input.dtype, device=input.device)

    middle = torch.narrow(input, dim, max(-before, 0), kept)
    return torch.cat((block(before), middle, block(after)), dim)


def _outside(mode: str, size: int, before: int, after: int) -> Any:
    """Which of ``size`` elements stands at each place from -before to size + after - 1."""
    place = torch.arange(-before, size + after)
    if mode == "reflect":
        return (size - 1) - ((size - 1) - place.abs()).abs()
    if mode == "replicate":
        return place.clamp(0, size - 1)
    return place % size  # circular


SHAPES = (
    _move("reshape", "Tensor.reshape", "reshape(x, (3, 2))", "x.reshape(3, -1)", "x.reshape(-1)"),
    _move("view", "Tensor.view", "view(x, (3, 2))", "x.view(2, 1, -1)"),
    _move("view_as", "Tensor.view_as", "x.view_as(B.narrow(1, 0, 2))"),
    _move("reshape_as", "Tensor.reshape_as", "x.reshape_as(B.narrow(1, 0, 2))"),
    _move(
        "flatten",
        "flatten",
        "flatten(x)",
        "x.flatten(0, 1)",
        "flatten(s)",
        "x.unsqueeze(0).flatten(start_dim=1)",
    ),
    _move("ravel", "ravel", "ravel(x)", "x.t().ravel()"),
    _move("unflatten", "Tensor.unflatten", "x.flatten().unflatten(0, (3, 2))"),
    _move("squeeze", "squeeze", "squeeze(x.unsqueeze(0))", "x.view(2, 1, 3).squeeze(1)"),
    _move("unsqueeze", "unsqueeze", "unsqueeze(x, 1)", "x.unsqueeze(-1)"),
    _move(
        "expand",
        "Tensor.expand",
        "b.expand(2, -1)",
        "expand(b, (4, 3))",
        "s.expand(2)",
    ),
    _move("expand_as", "Tensor.expand_as", "b.expand_as(x)"),
    _move("broadcast_to", "broadcast_to", "broadcast_to(b, (2, 3))"),
    _move(
        "broadcast_tensors",
        "broadcast_tensors",
        "broadcast_tensors(x, b)[1]",
        "broadcast_tensors(s, b)[0]",
        lists=True,
    ),
    _move("atleast_1d", "atleast_1d", "atleast_1d(s)", "atleast_1d(x)", lists=True),
    _move("atleast_2d", "atleast_2d", "atleast_2d(b)", lists=True),
    _move("atleast_3d", "atleast_3d", "atleast_3d(x)", lists=True),
    _move("clone", "clone", "clone(x)", "x.clone()"),
    _move("contiguous", "Tensor.contiguous", "x.t().contiguous()"),
)

ORDERS = (
    _move("transpose", "transpose", "transpose(x, 0, 1)", "x.transpose(-1, 0)"),
    _move("swapaxes", "swapaxes", "swapaxes(x, 0, 1)", "x.swapaxes(axis0=0, axis1=1)"),
    _move("swapdims", "swapdims", "swapdims(x, 0, 1)"),
    _move("t", "t", "t(x)", "x.t()", "b.t()"),
    _move("permute", "Tensor.permute", "permute(x, (1, 0))", "x.permute(1, 0)"),
    _move(
        "movedim",
        "movedim",
        "movedim(x, 0, 1)",
        "x.view(1, 2, 3).movedim((0, 1), (2, 0))",
        aliases=("moveaxis",),
    ),
    _move("flip", "Tensor.flip", "flip(x, (0,))", "x.flip(0, 1)", "flip(x, dims=[1])"),
    _move("fliplr", "fliplr", "fliplr(x)", "x.fliplr()"),
    _move("flipud", "flipud", "flipud(x)"),
    _move("rot90", "rot90", "rot90(x)", "x.rot90(3, (1, 0))"),
    _move("roll", "roll", "roll(x, 1)", "roll(x, 1, 0)", "x.roll((1, -1), dims=(0, 1))"),
    _move("repeat", "Tensor.repeat", "x.repeat(2, 1)", "repeat(b, (2, 2))"),
    _move("tile", "Tensor.tile", "tile(x, (2,))", "x.tile(2, 1, 1)"),
    _move(
        "repeat_interleave",
        "repeat_interleave",
        "repeat_interleave(x, 2)",
        "x.repeat_interleave(2, dim=1)",
        "repeat_interleave(x, tensor([1, 3]), 0)",
    ),
)

JOINS = (
    _move(
        "stack", "stack", "stack((x, y))", "stack([x, y], dim=1)", "stack((s, s, s))", lists=True
    ),
    _move(
        "cat",
        "cat",
        "cat((x, y))",
        "cat([x, y], dim=-1)",
        "cat((x, b.view(1, 3)))",
        aliases=("concat", "concatenate"),
        lists=True,
    ),
    _move("hstack", "hstack", "hstack((x, y))", "hstack([b, b])", lists=True),
    _move("vstack", "vstack", "vstack((x, b))", aliases=("row_stack",), lists=True),
    _move("dstack", "dstack", "dstack((x, y))", lists=True),
    _move("column_stack", "column_stack", "column_stack((b, b))", lists=True),
    _move(
        "pixel_shuffle",
        "nn.functional.pixel_shuffle",
        "pixel_shuffle(B.reshape(4, 3, 1), 2)",
    ),
    _move(
        "pixel_unshuffle",
        "nn.functional.pixel_unshuffle",
        "pixel_unshuffle(B.reshape(1, 2, 6), 2)",
    ),
    _move("block_diag", "block_diag", "block_diag(x, b, s)", lists=True),
    _move("meshgrid", "meshgrid", "meshgrid(b, x[0], indexing='ij')[1]", lists=True),
    _move("split", "split", "split(b, 2)[1]", "x.split(2, dim=1)[0]", "split(x, [1, 2], 1)[1]"),
    _move("chunk", "chunk", "chunk(x, 2, 1)[0]", "x.chunk(2)[1]"),
    _move("unbind", "unbind", "unbind(x)[1]", "x.unbind(dim=1)[2]"),
    _move("tensor_split", "tensor_split", "tensor_split(x, 2, 1)[1]", "tensor_split(b, (1,))[1]"),
    _move("hsplit", "hsplit", "hsplit(x, 3)[1]"),
    _move("vsplit", "vsplit", "vsplit(x, 2)[0]"),
    _move("dsplit", "dsplit", "dsplit(x.view(1, 2, 3), 3)[2]"),
)

ZEROS = (
    _move("diag", "diag", "diag(b)", "diag(x)", "diag(b, -1)", "x.diag(1)"),
    _move("diagonal", "diagonal", "diagonal(x)", "x.diagonal(1)", "diagonal(x, 0, 1, 0)"),
    _move(
        "linalg.diagonal",
        "linalg.diagonal",
        "linalg.diagonal(x)",
        "linalg.diagonal(x.view(1, 2, 3), offset=1)",
    ),
    _move("diag_embed", "diag_embed", "diag_embed(x)", "diag_embed(b, offset=1)"),
    _move("tril", "tril", "tril(x)", "x.tril(-1)"),
    _move("triu", "triu", "triu(x)", "x.triu(diagonal=1)"),
    Op(
        "pad",
        "nn.functional.pad",
        Kind.COMPOSITE,
        _pad,
        (
            "pad(x, (1, 2))",
            "pad(x, (1, 0, 0, 2), value=1.5)",
            "pad(x, (-1, 1))",
            "pad(x, (1, 2), mode='reflect')",
            "pad(x, (3, 0), 'replicate')",
            "pad(x, (1, 2), mode='circular')",
        ),
    ),
)

ROWS: tuple[Op, ...] = SHAPES + ORDERS + JOINS + ZEROS
