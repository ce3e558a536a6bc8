"""A vmap rule, written (``vmap``) or generated: a batch of three points against three single calls.

The batch is that of y, and of vᵀJ: ``torch.func.vmap`` over ``torch.func.vjp``.
"""

import math
from collections.abc import Callable
from typing import Any

from vjp_cli.checks.context import Context
from vjp_cli.checks.graphs import form_of, graph_of, numbers_like, unchecked, words_of
from vjp_cli.derivatives.custom import defines
from vjp_cli.frames import ENDINGS
from vjp_cli.lazy import torch
from vjp_cli.report import CheckResult, Verdict

NAME = "the vmap rule"
# relative distance of the points in a batch
_APART = 1 / 64
_POINTS = 3


def applies(context: Context) -> bool:
    """Whether a Function defines one, or asks for a generated one."""
    return any(map(_has_rule, context.side.functions))


def _has_rule(function: type) -> bool:
    return defines(function, "vmap") or defines(function, "generate_vmap_rule")


def check(context: Context) -> CheckResult:
    """Compare y and vᵀJ of the batch with those of each point alone."""
    without = [f.__name__ for f in context.side.functions if not _has_rule(f)]
    if without:
        return unchecked(NAME, f"{', '.join(without)} has no vmap rule")
    points = [_moved(context, k) for k in range(_POINTS)]
    v = numbers_like(context.side.output, context.seed).to(next(iter(points[0].values())))
    try:
        single = [_alone(context, point, v) for point in points]
    except (Exception, *ENDINGS) as error:
        return unchecked(NAME, f"the function raises nearby: {words_of(error)}")
    who = ", ".join(f.__name__ for f in context.side.functions)
    stacked = [torch.stack([point[name] for point in points]) for name in context.point.wrt]
    try:
        found = torch.func.vmap(_both(context, v))(*stacked)
    except (Exception, *ENDINGS) as error:
        words = words_of(error)
        if any(part in words for part in _NO_FAULT):
            return unchecked(NAME, f"torch.func.vmap cannot run the function: {words}")
        reason = f"under torch.func.vmap {who} fails: {words}"
        return CheckResult(NAME, Verdict.MISSING, reason=reason)
    names = ("y", *context.point.wrt)
    for k, name in enumerate(names):
        expected = torch.stack([parts[k] for parts in single])
        words = _difference(context, name, found[k], expected)
        if words:
            return CheckResult(NAME, Verdict.WRONG, reason=f"under torch.func.vmap {who} {words}")
    return CheckResult(NAME, Verdict.OK, sum(part.numel() for part in found))


# what torch.func.vmap says of code that it cannot run at all
_NO_FAULT = ("randomness", "data-dependent control flow", ".item()")


def _moved(context: Context, k: int) -> "dict[str, torch.Tensor]":
    """The point itself for k = 0, and others beside it."""
    found = {}
    for name in context.point.wrt:
        x = context.point.inputs[name]
        found[name] = x + k * _APART * numbers_like(x, context.seed + k) * (x.abs() + _APART)
    return found


def _alone(
    context: Context, point: "dict[str, torch.Tensor]", v: "torch.Tensor"
) -> "tuple[torch.Tensor, ...]":
    graph = graph_of(context, moved=point)
    return (graph.output.detach(), *(part.clone() for part in graph.vjp(v.clone()).values()))


def _both(context: Context, v: "torch.Tensor") -> Callable[..., Any]:
    """The function of the inputs that gives y and vᵀJ, by transforms of torch.func."""

    def run(*given: Any) -> Any:
        inputs = {**context.point.inputs, **dict(zip(context.point.wrt, given, strict=True))}
        return context.program(inputs)

    def both(*given: Any) -> Any:
        pair: Any = torch.func.vjp(run, *given)
        return (pair[0], *pair[1](v))

    return both


def _difference(
    context: Context, name: str, found: "torch.Tensor", expected: "torch.Tensor"
) -> str:
    what = "y" if name == "y" else f"vᵀJ for {name}"
    if found.shape != expected.shape:
        shapes = [tuple(part.shape[1:]) for part in (found, expected)]
        return f"gives {what} the shape {shapes[0]} in place of {shapes[1]}"
    finite = expected.isfinite()
    largest = float(expected[finite].abs().max()) if bool(finite.any()) else 0.0
    allowed = math.sqrt(form_of(context).unit) * largest
    apart = finite & ~((found - expected).abs() <= allowed)
    if not bool(apart.any()):
        return ""
    one, other = found[apart][0].item(), expected[apart][0].item()
    return f"gives {one:.6g} in place of {other:.6g} in {what}"
