"""Losses that compare two tensors element by element."""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op


def reduction_of(reduction: str, size_average: bool | None, reduce: bool | None) -> str:
    """``reduction``, unless one of torch's two older switches is given: they win over it."""
    if size_average is None and reduce is None:
        return reduction
    averaged = "sum" if size_average is False else "mean"
    return "none" if reduce is False else averaged


def reduce_loss(loss: Any, reduction: str) -> Any:
    """``loss`` averaged (``mean``), summed (``sum``) or as it is (``none``)."""
    if reduction == "mean":
        return loss.mean()
    return loss.sum() if reduction == "sum" else loss


def _weighted(loss: Any, weight: Any, reduction: str) -> Any:
    """The mean is taken over the weights."""
    total = reduce_loss(loss * weight, "sum" if reduction == "mean" else reduction)
    return total / weight.sum() if reduction == "mean" else total


# The signatures below are torch's own.


def _mse_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    loss = (input - target) ** 2
    if weight is not None:
        return _weighted(loss, weight, reduction)
    return reduce_loss(loss, reduction_of(reduction, size_average, reduce))


def _l1_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    loss = torch.abs(input - target)
    if weight is not None:
        return _weighted(loss, weight, reduction)
    return reduce_loss(loss, reduction_of(reduction, size_average, reduce))


def _smooth_l1_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Any:
    distance = torch.abs(input - target)
    loss = distance
    if beta > 0:
        square = (input - target) ** 2 / (2 * beta)
        loss = torch.where(distance < beta, square, distance - beta / 2)
    return reduce_loss(loss, reduction_of(reduction, size_average, reduce))


def _huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Any:
    distance = torch.abs(input - target)
    square = (input - target) ** 2 / 2
    loss = torch.where(distance <= delta, square, delta * (distance - delta / 2))
    return reduce_loss(loss if weight is None else loss * weight, reduction)


def _binary_cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    # xlogy: a target of 0 or 1 leaves one logarithm out
    loss = -(torch.xlogy(target, input) + torch.xlogy(1 - target, 1 - input))
    loss = loss if weight is None else loss * weight
    return reduce_loss(loss, reduction_of(reduction, size_average, reduce))


def _binary_cross_entropy_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Any:
    logsigmoid = torch.nn.functional.logsigmoid
    positive = target * logsigmoid(input)
    positive = positive if pos_weight is None else pos_weight * positive
    loss = -(positive + (1 - target) * logsigmoid(-input))
    loss = loss if weight is None else loss * weight
    return reduce_loss(loss, reduction_of(reduction, size_average, reduce))


def _kl_div(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Any:
    if log_target:
        loss = torch.exp(target) * (target - input)
    else:
        loss = torch.xlogy(target, target) - target * input
    if reduction == "batchmean":
        return loss.sum() / input.shape[0]
    return reduce_loss(loss, reduction_of(reduction, size_average, reduce))


def _soft_margin_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    loss = torch.log1p(torch.exp(-target * input))
    return reduce_loss(loss, reduction_of(reduction, size_average, reduce))


def _hinge_embedding_loss(
    input: Any,
    target: Any,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    far = torch.where(target == -1, torch.clamp(margin - input, min=0), 0)
    near = torch.where(target == 1, input, 0)
    return reduce_loss(near + far, reduction_of(reduction, size_average, reduce))


def _margin_ranking_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    loss = torch.clamp(-target * (input1 - input2) + margin, min=0)
    return reduce_loss(loss, reduction_of(reduction, size_average, reduce))


def _row(name: str, rule: Any, *samples: str, kinks: str = "", note: str = "") -> Op:
    path = f"nn.functional.{name}"
    written = tuple(f"{name}({sample})" for sample in samples)
    return Op(name, path, Kind.COMPOSITE, rule, written, (0.1, 0.9), kinks, note=note)


_REDUCTIONS = ("x, y", "x, y, reduction='sum'", "x, y, reduction='none'")

ROWS = (
    _row("mse_loss", _mse_loss, *_REDUCTIONS),
    _row("l1_loss", _l1_loss, *_REDUCTIONS, kinks="where input and target are equal"),
    _row(
        "smooth_l1_loss",
        _smooth_l1_loss,
        *_REDUCTIONS,
        "x, 9*y, beta=0.25",
        "x, y, beta=0.0",
        kinks="with beta 0: where input and target are equal",
    ),
    _row("huber_loss", _huber_loss, *_REDUCTIONS, "x, 9*y, delta=0.25", "x, 9*y, 'sum', 0.5"),
    _row(
        "binary_cross_entropy",
        _binary_cross_entropy,
        *_REDUCTIONS,
        "x, m.double()",
        "x, y, weight=b",
        note="the logarithms are not cut at -100, as torch's are",
    ),
    _row(
        "binary_cross_entropy_with_logits",
        _binary_cross_entropy_with_logits,
        *_REDUCTIONS,
        "8*x - 4, m.double()",
        "x, y, weight=b",
        "x, y, pos_weight=b",
    ),
    _row(
        "kl_div",
        _kl_div,
        "x, y, reduction='sum'",
        "x, y, reduction='none'",
        "x, y, reduction='batchmean'",
        "x, y, reduction='batchmean', log_target=True",
    ),
    _row("soft_margin_loss", _soft_margin_loss, *_REDUCTIONS, "x, 2.0*m - 1"),
    _row(
        "hinge_embedding_loss",
        _hinge_embedding_loss,
        "3*x, 2*m.long() - 1",
        "3*x, 2*m.long() - 1, 0.5, reduction='sum'",
        kinks="where a target of -1 meets an input equal to the margin",
    ),
    _row(
        "margin_ranking_loss",
        _margin_ranking_loss,
        "x, y, 2.0*m - 1",
        "x, y, 2.0*m - 1, margin=0.25, reduction='none'",
        kinks="where the inputs differ by exactly the margin",
    ),
)
