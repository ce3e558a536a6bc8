"""The second derivative through a custom backward: of ⟨vᵀJ, w⟩ by the inputs and by v.

torch differentiates the operations that the backward makes. What the backward takes from elsewhere
(an intermediate saved in forward, ``.data``, NumPy) is a constant to it, and its part of the second
derivative is lost without a word. The truth is the exact second derivative; where there is none,
differences of vᵀJ along one direction, with an error bar.
"""

import math
from dataclasses import dataclass
from typing import Any

from vjp_cli.checks.context import Context
from vjp_cli.checks.differences import slope_of_vjp
from vjp_cli.checks.graphs import (
    RAISES,
    Gradients,
    at,
    form_of,
    graph_of,
    numbers_like,
    unchecked,
    words_of,
)
from vjp_cli.exact.derivatives import settled
from vjp_cli.exact.matrices import Matrix
from vjp_cli.exact.second import COTANGENT, SecondOrder, second_order
from vjp_cli.exact.tracing_program import Point
from vjp_cli.frames import ENDINGS
from vjp_cli.lazy import torch
from vjp_cli.numbers.scalar import is_finite, to_float
from vjp_cli.report import CheckResult, Verdict
from vjp_cli.tracing.node import OutOfTime
from vjp_cli.tracing.tracer import Untraceable

NAME = "double backward"
_REMEDY = (
    ": save inputs and outputs only and compute with torch in backward, or mark it "
    "once_differentiable, so that torch raises"
)


@dataclass(frozen=True)
class Double:
    """What torch gives.

    Attributes:
        v: the cotangent, nowhere 0.
        w: the weights of vᵀJ.
        first: vᵀJ.
        second: the gradients of ⟨vᵀJ, w⟩, and that by v under ``COTANGENT``.
    """

    v: "torch.Tensor"
    w: Gradients
    first: Gradients
    second: Gradients


def check(context: Context) -> CheckResult:
    """Compare torch's second derivative with the exact one, or with differences."""
    if context.is_complex:
        return unchecked(NAME, "it needs real numbers")
    try:
        graph = graph_of(context)
        graph.vjp(numbers_like(graph.output, context.seed))
    except (Exception, *ENDINGS):
        return unchecked(NAME, RAISES)
    try:
        double = _double(context)
    except (Exception, *ENDINGS) as error:
        words = words_of(error)
        if "once_differentiable" in words:
            return unchecked(NAME, "once_differentiable: torch raises for a second derivative")
        return unchecked(NAME, f"no second derivative: torch raises '{words}'")
    exact = _exact(context, double)
    if exact is None:
        return _by_differences(context, double)
    return _by_truth(context, double, exact)


def _double(context: Context) -> Double:
    """Two backward passes.

    The second is a plain ``backward``: ``autograd.grad`` skips the node by which
    ``once_differentiable`` raises, since it leads to no input.
    """
    graph = graph_of(context)
    v = numbers_like(graph.output, context.seed).requires_grad_()
    first = graph.vjp(v, differentiable=True)
    w = {name: numbers_like(part, context.seed + 1) for name, part in first.items()}
    total = torch.stack([(part * w[name]).sum() for name, part in first.items()]).sum()
    if total.requires_grad:
        backward: Any = total.backward
        backward()
    leaves = {**{name: graph.leaves[name] for name in graph.wrt}, COTANGENT: v}
    second = {
        name: torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
        for name, leaf in leaves.items()
    }
    return Double(v.detach(), w, {name: part.detach() for name, part in first.items()}, second)


def _exact(context: Context, double: Double) -> SecondOrder | None:
    """The exact second derivative; None where the tracer does not follow the program as it is."""
    exact = context.exact
    if exact.side is None or exact.reason or exact.side.traced.tape.departures:
        return None
    point = Point(context.point.inputs, context.point.wrt, double.v)
    try:
        return second_order(context.reference, point, double.w, context.deadline)
    except (OutOfTime, Untraceable):
        return None


def _by_truth(context: Context, double: Double, exact: SecondOrder) -> CheckResult:
    kinks = [(name, next(iter(found))) for name, found in exact.side.doubts.items() if found]
    if kinks:
        # it may be in the second derivative by any other element
        return unchecked(
            NAME, f"a kink at {_where(context, *kinks[0])} leaves it a matter of choice"
        )
    half = math.sqrt(form_of(context).unit)
    largest = 0.0
    for name, part in double.first.items():
        first = {k: to_float(value) for k, value in enumerate(exact.first[name])}
        size = _largest(first)
        largest = max(largest, size)
        if _apart(part, _finite(first), half * size) is not None:
            return unchecked(NAME, "the first derivative is wrong already")
    compared = 0
    for name, matrix in exact.side.jacobian.items():
        truth = _finite(_dense(matrix))
        compared += len(truth)
        part = double.second[name]
        element = _apart(part, truth, half * max(largest, _largest(truth)))
        if element is not None:
            found = part.reshape(-1)[element].item()
            return _lost(context, (name, element), f"{found:.6g}, the truth {truth[element]:.6g}")
    return CheckResult(NAME, Verdict.OK, compared, order=2)


def _dense(matrix: Matrix) -> dict[int, float]:
    """The exact second derivative by element; NaN where its digits are not certain."""
    found = dict.fromkeys(range(matrix.shape[1]), 0.0)
    for column, value in zip(matrix.columns.tolist(), matrix.values.tolist(), strict=True):
        found[column] = to_float(value) if is_finite(value) and settled(value) else math.nan
    return found


def _finite(truth: dict[int, float]) -> dict[int, float]:
    """What can be compared."""
    return {k: value for k, value in truth.items() if math.isfinite(value)}


def _largest(truth: dict[int, float]) -> float:
    return max((abs(value) for value in truth.values() if math.isfinite(value)), default=0.0)


def _apart(part: "torch.Tensor", truth: dict[int, float], allowed: float) -> int | None:
    """The first element that is further from the truth than allowed; NaN is far from all."""
    numbers = part.reshape(-1).tolist()
    return next((k for k, value in truth.items() if not abs(numbers[k] - value) <= allowed), None)


def _where(context: Context, name: str, element: int) -> str:
    shape = (context.side.output if name == COTANGENT else context.point.inputs[name]).shape
    return at(("v" if name == COTANGENT else name, element), shape)


def _lost(context: Context, place: tuple[str, int], numbers: str) -> CheckResult:
    where = _where(context, *place)
    reason = f"the derivative of vᵀJ (weighted) by {where} is {numbers}{_REMEDY}"
    return CheckResult(NAME, Verdict.WRONG, reason=reason, order=2)


def _by_differences(context: Context, double: Double) -> CheckResult:
    try:
        slopes = slope_of_vjp(context, double.v, double.w)
    except (Exception, *ENDINGS) as error:
        return unchecked(NAME, f"the function raises nearby: {words_of(error)}")
    for name, slope in slopes.items():
        found = float((double.second[name].double() * slope.direction.double()).sum())
        if not slope.certain:
            return unchecked(NAME, "neither an exact second derivative nor certain differences")
        if slope.contradicts(found):
            what = "v" if name == COTANGENT else "the inputs"
            reason = (
                f"along a direction of {what} it is {found:.6g}, differences of vᵀJ give "
                f"{slope.value:.6g} ± {slope.bar:.1g}{_REMEDY}"
            )
            return CheckResult(NAME, Verdict.WRONG, len(slopes), reason=reason, order=2)
    reason = "by differences of vᵀJ along random directions"
    return CheckResult(NAME, Verdict.OK, len(slopes), reason=reason, order=2)
