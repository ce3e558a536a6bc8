"""The loss of a sequence that is aligned with a longer one: connectionist temporal classification.

Graves et al., Connectionist Temporal Classification (2006): the forward algorithm on probabilities,
which exact numbers neither under- nor overflow.
"""

from itertools import pairwise
from math import inf
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op


def _ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:
    steps, labels = _numbers(input_lengths), _labels(targets, _numbers(target_lengths))
    probabilities = torch.exp(_with_batch(log_probs))
    losses = [
        _surprise(probabilities[: steps[n], n], _extended(line, blank), zero_infinity)
        for n, line in enumerate(labels)
    ]
    return _reduced(losses, labels, reduction, log_probs.ndim == 2)


def _logits_ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:
    """A function whose derivative is what torch returns for that of ``ctc_loss``.

    The sums of all probabilities have the derivatives that torch adds; behind a log_softmax they
    are constant, so there the two agree.
    """
    steps, labels = _numbers(input_lengths), _labels(targets, _numbers(target_lengths))
    probabilities = torch.exp(_with_batch(log_probs))
    losses = []
    for n, line in enumerate(labels):
        seen = probabilities[: steps[n], n]
        path = _extended(line, blank)
        loss = _surprise(seen, path, zero_infinity)
        losses.append(loss if _shortest(path) > steps[n] else loss + seen.sum())
    return _reduced(losses, labels, reduction, log_probs.ndim == 2)


def _numbers(lengths: Any) -> list[int]:
    values = lengths.tolist() if hasattr(lengths, "tolist") else lengths
    return [int(value) for value in (values if isinstance(values, list | tuple) else [values])]


def _with_batch(log_probs: Any) -> Any:
    """Shape (steps, N, classes)."""
    return log_probs if log_probs.ndim == 3 else log_probs.unsqueeze(1)


def _labels(targets: Any, lengths: list[int]) -> list[list[int]]:
    """The labels of each target: the rows of a padded table, or one line cut into pieces."""
    if targets.ndim == 2:
        return [row[:size] for row, size in zip(targets.tolist(), lengths, strict=True)]
    line = iter(targets.tolist())
    return [[next(line) for _ in range(size)] for size in lengths]


def _extended(labels: list[int], blank: int) -> list[int]:
    """The labels with a blank around each."""
    path = [blank]
    for label in labels:
        path += [label, blank]
    return path


def _shortest(path: list[int]) -> int:
    """The least steps that the path takes: equal neighbours need the blank between them."""
    labels = path[1::2]
    return len(labels) + sum(a == b for a, b in pairwise(labels))


def _surprise(probabilities: Any, path: list[int], zero_infinity: bool) -> Any:
    """-log of the probability of all alignments.

    Args:
        probabilities: shape (steps, classes).
        path: what ``_extended`` gives.
        zero_infinity: whether an impossible alignment costs nothing.
    """
    steps = probabilities.shape[0]
    if _shortest(path) > steps or not steps:
        certain = not steps and len(path) == 1
        impossible = 0.0 if zero_infinity or certain else inf
        return torch.full((), impossible, dtype=probabilities.dtype)
    emitted = torch.index_select(probabilities, 1, torch.tensor(path))
    skips = torch.tensor([k > 1 and path[k] != path[k - 2] for k in range(len(path))])
    alpha = torch.where(torch.arange(len(path)) < 2, emitted[0], 0)
    pad = torch.nn.functional.pad
    for step in range(1, steps):
        skipped = torch.where(skips, pad(alpha, (2, -2)), 0)
        alpha = (alpha + pad(alpha, (1, -1)) + skipped) * emitted[step]
    loss = -torch.log(alpha[-2:].sum())
    return torch.where(torch.isinf(loss), 0, loss) if zero_infinity else loss


def _reduced(losses: list[Any], labels: list[list[int]], reduction: str, alone: bool) -> Any:
    loss = torch.stack(losses)
    if reduction == "mean":
        # each loss is shared among its labels first
        return (loss / torch.tensor([max(len(line), 1) for line in labels])).mean()
    if reduction == "sum":
        return loss.sum()
    return loss.squeeze(0) if alone else loss


_LINES = "log_softmax(B.reshape(4, 1, 3), -1)"
_PAIRS = "log_softmax(stack((B.T, S[[0, 1, 2, 0]]), 1), -1)"

ROWS: tuple[Op, ...] = (
    Op(
        "ctc_loss",
        "nn.functional.ctc_loss",
        Kind.COMPOSITE,
        _ctc_loss,
        (
            f"ctc_loss({_LINES}, tensor([[1, 2]]), tensor([4]), tensor([2]))",
            f"ctc_loss({_LINES}, tensor([[1, 1]]), (4,), (2,), reduction='sum')",
            f"ctc_loss({_PAIRS}, tensor([[1, 2], [2, 0]]), (4, 3), (2, 1), reduction='none')",
            f"ctc_loss({_PAIRS}, tensor([0, 2, 0]), (3, 4), (1, 2), blank=1)",
            "ctc_loss(log_softmax(B.T, -1), tensor([2]), tensor(3), tensor(1), reduction='none')",
            f"ctc_loss({_PAIRS}, tensor([2, 2, 2, 1]), (4, 2), (3, 1), zero_infinity=True)",
        ),
        note="torch's derivative holds for log-probabilities that come from log_softmax",
        departure="ctc_loss has the derivative by the logits behind a log_softmax",
        as_written=_logits_ctc_loss,
    ),
)
