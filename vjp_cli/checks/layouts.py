"""vᵀJ for cotangents of equal values in other places of memory.

``y.sum().backward()`` sends an expanded cotangent (one number, strides 0), a transposed y a
transposed one: a backward that writes into it, calls ``view(-1)`` or reads its memory goes wrong.
"""

from collections.abc import Iterator

from vjp_cli.checks.context import Context
from vjp_cli.checks.graphs import (
    RAISES,
    Gradients,
    Graph,
    count,
    differing,
    graph_of,
    numbers_at,
    numbers_like,
    unchecked,
    words_of,
)
from vjp_cli.frames import ENDINGS
from vjp_cli.lazy import torch
from vjp_cli.report import CheckResult, Verdict

NAME = "cotangents of any memory layout"


def applies(context: Context) -> bool:
    """Whether there is a custom backward, and a y with more than one element to lay out."""
    return context.side.custom and context.side.output.numel() > 1


def check(context: Context) -> CheckResult:
    """Compare each layout with its contiguous copy."""
    graph = graph_of(context)
    compared = 0
    for words, v in _layouts(graph.output, context.seed):
        try:
            expected = graph.vjp(v.clone(memory_format=torch.contiguous_format))
        except (Exception, *ENDINGS):
            return unchecked(NAME, RAISES)
        failed = _compared(context, graph, words, v, expected)
        if failed is not None:
            return failed
        compared += count(expected)
    return CheckResult(NAME, Verdict.OK, compared)


def _compared(
    context: Context,
    graph: Graph,
    words: str,
    v: "torch.Tensor",
    expected: Gradients,
) -> CheckResult | None:
    """The row for a layout that fails; None for one that does not."""
    kept = {name: part.clone() for name, part in expected.items()}
    values = v.clone()
    try:
        found = graph.vjp(v)
    except (Exception, *ENDINGS) as error:
        reason = f"the backward raises for {words}: {words_of(error)}"
        return CheckResult(NAME, Verdict.MISSING, reason=reason)
    place = differing(context, values, found, kept)
    if place is None:
        return None
    reason = f"for {words} the backward gives {numbers_at(place, found, kept)}"
    return CheckResult(NAME, Verdict.WRONG, count(kept), reason=reason)


def _layouts(output: "torch.Tensor", seed: int) -> "Iterator[tuple[str, torch.Tensor]]":
    one = numbers_like(output.new_zeros(()), seed)
    yield "an expanded cotangent (as of y.sum())", one.expand(output.shape)
    if output.ndim > 1:
        row = numbers_like(output.new_zeros(output.shape[1:]), seed)
        yield "a cotangent expanded along an axis (as of y.sum(0))", row.expand(output.shape)
        axes = tuple(reversed(range(output.ndim)))
        memory = numbers_like(output.new_zeros(output.shape[::-1]), seed)
        yield "a transposed cotangent", memory.permute(axes)
    wide = numbers_like(output.new_zeros((*output.shape, 2)), seed)
    yield "a cotangent with gaps in memory", wide[..., 1]
