"""Rows that look up the rows of a table by index."""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op
from vjp_cli.tracing.tracer import Untraceable

# The signatures are torch's own.


def _embedding(
    input: Any,
    weight: Any,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    if max_norm is not None:
        raise Untraceable("embedding with max_norm, which rewrites its table")
    return weight[input]


def _weighted_embedding(
    input: Any,
    weight: Any,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    """A function whose derivative is torch's: none by the padding, or less by frequent rows."""
    rows = weight[input]
    if scale_grad_by_freq:
        count = input.flatten().bincount()[input]
        rows = rows / count.unsqueeze(-1)
    if padding_idx is None:
        return rows
    padding = padding_idx % weight.shape[0]
    return torch.where((input == padding).unsqueeze(-1), 0, rows)


ROWS: tuple[Op, ...] = (
    Op(
        "embedding",
        "nn.functional.embedding",
        Kind.COMPOSITE,
        _embedding,
        (
            "embedding(j, S)",
            "embedding(tensor([[0, 1], [1, 1], [2, 1]]), B)",
            "embedding(tensor(1), x)",
        ),
        note="max_norm is refused: it rewrites the table",
        departure="embedding scales the derivative by padding_idx and scale_grad_by_freq",
        as_written=_weighted_embedding,
    ),
)
