"""Losses that ask for a margin between scores, distances or angles."""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.losses import reduce_loss, reduction_of
from vjp_cli.ops.table import Kind, Op

# The signatures with many parameters are torch's own.


def _triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    distance = torch.nn.functional.pairwise_distance
    near, far = distance(anchor, positive, p, eps), distance(anchor, negative, p, eps)
    if swap:
        far = torch.minimum(far, distance(positive, negative, p, eps))
    loss = torch.clamp(margin + near - far, min=0)
    return reduce_loss(loss, reduction_of(reduction, size_average, reduce))


# torch adds it to both squared norms.
_COSINE_EPS = 1e-12


def _cosine_embedding_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    squares = [torch.sum(x * x, -1) + _COSINE_EPS for x in (input1, input2)]
    cosine = torch.sum(input1 * input2, -1) / torch.sqrt(squares[0] * squares[1])
    alike = torch.where(target == 1, 1 - cosine, 0)
    apart = torch.where(target == -1, torch.clamp(cosine - margin, min=0), 0)
    return reduce_loss(alike + apart, reduction_of(reduction, size_average, reduce))


def _multi_margin_loss(
    input: Any,
    target: Any,
    p: int = 1,
    margin: float = 1.0,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    index = target.unsqueeze(-1)
    short = torch.clamp(margin - torch.gather(input, -1, index) + input, min=0) ** p
    if weight is not None:
        short = short * weight[index]
    others = torch.where(torch.arange(input.shape[-1]) == index, 0, short)
    loss = torch.sum(others, -1) / input.shape[-1]
    return reduce_loss(loss, reduction_of(reduction, size_average, reduce))


def _multilabel_margin_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """The labels of a row end at the first -1."""
    labels = (target >= 0).long().cumprod(-1).bool()
    index = torch.where(labels, target, 0)
    classes = torch.arange(input.shape[-1])
    named = ((index.unsqueeze(-1) == classes) & labels.unsqueeze(-1)).any(-2)
    scores = torch.gather(input, -1, index).unsqueeze(-1)
    short = torch.clamp(1 - (scores - input.unsqueeze(-2)), min=0)
    counted = torch.where(labels.unsqueeze(-1) & ~named.unsqueeze(-2), short, 0)
    loss = torch.sum(counted, (-2, -1)) / input.shape[-1]
    return reduce_loss(loss, reduction_of(reduction, size_average, reduce))


def _row(name: str, rule: Any, *samples: str, kinks: str) -> Op:
    path = f"nn.functional.{name}"
    written = tuple(f"{name}({sample})" for sample in samples)
    return Op(name, path, Kind.COMPOSITE, rule, written, kinks=kinks)


_AT_MARGIN = "where the margin is met exactly"

ROWS: tuple[Op, ...] = (
    _row(
        "triplet_margin_loss",
        _triplet_margin_loss,
        "x, y, A, margin=3.0",
        "x, y, A, 2.5, p=1, swap=True, reduction='none'",
        "b, y[0], A[0], 4.0, reduction='sum'",
        kinks=_AT_MARGIN + ", and where two inputs are equal",
    ),
    _row(
        "cosine_embedding_loss",
        _cosine_embedding_loss,
        "x, y, tensor([1, -1])",
        "x, y, tensor([-1, 1]), -0.5, reduction='none'",
        "b, y[0], tensor(1), reduction='sum'",
        kinks=_AT_MARGIN,
    ),
    _row(
        "multi_margin_loss",
        _multi_margin_loss,
        "x, j",
        "x, j, 2, 0.5, torch.tensor([1.0, 2.0, 0.5]).double(), reduction='none'",
        "b, j[0], reduction='sum'",
        kinks=_AT_MARGIN,
    ),
    _row(
        "multilabel_margin_loss",
        _multilabel_margin_loss,
        "x, tensor([[2, 0, -1], [1, -1, 0]])",
        "x, tensor([[2, 0, -1], [1, 2, 0]]), reduction='none'",
        "b, tensor([0, -1, 2]), reduction='sum'",
        kinks=_AT_MARGIN,
    ),
)
