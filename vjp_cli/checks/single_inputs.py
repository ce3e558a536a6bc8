"""Gradients asked for one input at a time: a backward may rely on all of them being asked for."""

from vjp_cli.checks.context import Context
from vjp_cli.checks.graphs import (
    RAISES,
    Gradients,
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

NAME = "one input at a time"
# each costs an evaluation
MOST_INPUTS = 12


def applies(context: Context) -> bool:
    """Whether there is a custom backward, and more than one input."""
    return context.side.custom and len(context.point.wrt) > 1


def check(context: Context) -> CheckResult:
    """Compare with the gradients asked for together."""
    v = numbers_like(context.side.output, context.seed)
    names = context.point.wrt[:MOST_INPUTS]
    try:
        together = _vjp(context, context.point.wrt, v)
        again = _vjp(context, context.point.wrt, v)
    except (Exception, *ENDINGS):
        return unchecked(NAME, RAISES)
    if differing(context, v, again, together) is not None:
        return unchecked(NAME, "two runs give different numbers")
    for name in names:
        alone = f"with requires_grad for {name} alone"
        try:
            found = _vjp(context, (name,), v)
        except (Exception, *ENDINGS) as error:
            reason = f"{alone}: {words_of(error)}; ask ctx.needs_input_grad"
            return CheckResult(NAME, Verdict.MISSING, reason=reason)
        expected = {name: together[name]}
        place = differing(context, v, found, expected)
        if place is not None:
            reason = f"{alone} the gradient is {numbers_at(place, found, expected)}"
            return CheckResult(NAME, Verdict.WRONG, reason=reason)
    left = len(context.point.wrt) - len(names)
    compared = count({name: together[name] for name in names})
    return CheckResult(
        NAME, Verdict.OK, compared, reason=f"{left} inputs not tried" if left else ""
    )


def _vjp(context: Context, wrt: tuple[str, ...], v: "torch.Tensor") -> Gradients:
    graph = graph_of(context, wrt)
    return {name: part.clone() for name, part in graph.vjp(v.to(graph.output).clone()).items()}
