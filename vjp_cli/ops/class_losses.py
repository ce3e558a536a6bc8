"""Losses of a target class: of its index, or of the probabilities of all classes.

Classes lie along the second axis of an input with a batch, along the only axis of one without.
"""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.losses import reduce_loss, reduction_of
from vjp_cli.ops.table import Kind, Op


def _class_axis(input: Any) -> int:
    return 0 if input.ndim == 1 else 1


def _mean_over_weights(loss: Any, share: Any, reduction: str) -> Any:
    """A mean divides by the weights of the targets that count, not by their number."""
    if reduction == "mean":
        return loss.sum() / share.sum()
    return reduce_loss(loss, reduction)


# The signatures with many parameters are torch's own.


def _nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    share = _share(input, target, weight, ignore_index)
    loss = _picked(-input, target, share, ignore_index)
    return _mean_over_weights(loss, share, reduction_of(reduction, size_average, reduce))


def _share(input: Any, target: Any, weight: Any, ignore_index: int) -> Any:
    """The weight of each target; 0 for one that is ignored."""
    kept = target != ignore_index
    if weight is None:
        return kept.to(input.dtype)
    return torch.where(kept, weight[torch.where(kept, target, 0)], 0)


def _picked(values: Any, target: Any, share: Any, ignore_index: int) -> Any:
    """The weighted value at each target class; 0 for a target that is ignored."""
    axis = _class_axis(values)
    kept = target != ignore_index
    index = torch.where(kept, target, 0).unsqueeze(axis)
    return torch.where(kept, torch.gather(values, axis, index).squeeze(axis) * share, 0)


def _cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    reduction = reduction_of(reduction, size_average, reduce)
    axis = _class_axis(input)
    classes = input.shape[axis]
    surprise = -torch.log_softmax(input, axis)
    weighted = surprise if weight is None else surprise * _along(weight, input)
    if target.shape == input.shape:
        smooth = target * (1 - label_smoothing) + label_smoothing / classes
        loss = (weighted * smooth).sum(axis)
        return reduce_loss(loss, reduction)
    share = _share(input, target, weight, ignore_index)
    loss = _picked(surprise, target, share, ignore_index)
    if label_smoothing > 0:
        spread = torch.where(target != ignore_index, weighted.sum(axis), 0)
        loss = loss * (1 - label_smoothing) + spread * (label_smoothing / classes)
    return _mean_over_weights(loss, share, reduction)


def _along(weight: Any, input: Any) -> Any:
    """``weight``, one for each class, shaped to lie along the class axis of ``input``."""
    after = input.ndim - _class_axis(input) - 1
    return weight.reshape(-1, *(1 for _ in range(after)))


def _multilabel_soft_margin_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    logsigmoid = torch.nn.functional.logsigmoid
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    loss = loss if weight is None else loss * weight
    each = loss.sum(-1) / input.shape[-1]
    return reduce_loss(each, reduction_of(reduction, size_average, reduce))


_CUBE = "B.reshape(2, 3, 2)"

ROWS = (
    Op(
        "nll_loss",
        "nn.functional.nll_loss",
        Kind.COMPOSITE,
        _nll_loss,
        (
            "nll_loss(x, j)",
            "nll_loss(x, j, weight=b)",
            "nll_loss(x, j, b, reduction='sum')",
            "nll_loss(x, j, b, ignore_index=int(j[0]))",
            "nll_loss(x, j, reduction='none')",
            "nll_loss(b, j[0])",
            f"nll_loss({_CUBE}, torch.stack((j, j)), b)",
        ),
        domain=(0.1, 2.0),
    ),
    Op(
        "cross_entropy",
        "nn.functional.cross_entropy",
        Kind.COMPOSITE,
        _cross_entropy,
        (
            "cross_entropy(x, j)",
            "cross_entropy(x, j, weight=torch.exp(b))",
            "cross_entropy(x, j, reduction='sum')",
            "cross_entropy(x, j, reduction='none')",
            "cross_entropy(x, j, torch.exp(b), ignore_index=int(j[1]))",
            "cross_entropy(x, j, torch.exp(b), label_smoothing=0.25)",
            "cross_entropy(x, j, ignore_index=int(j[1]), label_smoothing=0.25)",
            "cross_entropy(x, y)",
            "cross_entropy(x, y, b, reduction='sum', label_smoothing=0.25)",
            "cross_entropy(x, y, b, reduction='none')",
            "cross_entropy(b, j[0])",
            "cross_entropy(b, y[0], label_smoothing=0.25)",
            f"cross_entropy({_CUBE}, torch.stack((j, j)), b, label_smoothing=0.25)",
            f"cross_entropy({_CUBE}, {_CUBE} + 1, b)",
        ),
        domain=(0.1, 2.0),
        note="a target of the shape of the input holds probabilities, any other class indices",
    ),
    Op(
        "multilabel_soft_margin_loss",
        "nn.functional.multilabel_soft_margin_loss",
        Kind.COMPOSITE,
        _multilabel_soft_margin_loss,
        (
            "multilabel_soft_margin_loss(x, y)",
            "multilabel_soft_margin_loss(x, y, b, reduction='none')",
        ),
    ),
)
