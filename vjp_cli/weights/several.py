"""Several v: the vᵀJ of each, and what ``.grad`` holds after all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Context as Digits
from typing import Any

from vjp_cli.arrays import array_of
from vjp_cli.checks.context import Context
from vjp_cli.checks.judgement import Judgement
from vjp_cli.checks.judging import Beside, context_of, judged
from vjp_cli.derivatives.evaluation import attempt
from vjp_cli.derivatives.seeding import accumulate
from vjp_cli.lazy import torch
from vjp_cli.numbers.dtypes import format_of
from vjp_cli.report import (
    Accumulation,
    Array,
    CheckResult,
    Pull,
    Truth,
    TruthKind,
    Verdict,
    value_of,
)
from vjp_cli.settings import Settings
from vjp_cli.weights.naming import renamed

NAME = ".grad after all v against the sum of the vᵀJ"
_DIGITS = Digits(prec=40)


@dataclass(frozen=True)
class SeveralPart:
    """What the report says of several v, and the judgements of all but the first."""

    value: Accumulation
    judgements: tuple[Judgement, ...]
    check: CheckResult
    passes: int


def several_part(
    further: "Sequence[torch.Tensor]", context: Context, first: Judgement, settings: Settings
) -> SeveralPart:
    """Every further v judged like the first, and the sum."""
    assert context.point.v is not None
    without = replace(settings, jacobian=False)
    pulls = [_pull(context.point.v, first)]
    judgements, passes = [], 0
    for number, v in enumerate(further, start=1):
        beside = Beside(
            context.program, context.reference, context.point.inputs, context.side.wrt, v
        )
        found = _with_jacobian(context_of(beside, context, without), context)
        passes += found.side.vjp_passes
        judgement = judged(found, without)
        pulls.append(_pull(v, judgement))
        judgements.append(renamed(judgement, f"vjp[{number}]", f"vjp of v {number + 1}"))
    total, failure = _total(context, [context.point.v, *further])
    value = Accumulation(
        tuple(pulls), _numbers(total, context, pulls), _exact(pulls, context.side.wrt)
    )
    return SeveralPart(value, tuple(judgements), _check(value, failure, context), passes)


def _with_jacobian(found: Context, base: Context) -> Context:
    """The exact J is that of the first v: the rounding of vᵀJ is measured by its terms."""
    if found.exact.side is None or base.exact.side is None:
        return found
    side = replace(found.exact.side, jacobian=base.exact.side.jacobian)
    return replace(found, exact=replace(found.exact, side=side))


def _pull(v: "torch.Tensor", judgement: Judgement) -> Pull:
    return Pull(array_of(v), judgement.vjp_numbers, judgement.vjp_truth_numbers, judgement.vjp)


def _total(
    context: Context, vs: "Sequence[torch.Tensor]"
) -> "tuple[dict[str, torch.Tensor | None] | None, str]":
    """What ``.grad`` of each input holds after a backward pass for every v on one graph."""
    names = context.side.wrt
    leaves = {
        name: value.detach().clone().requires_grad_(name in names)
        for name, value in context.point.inputs.items()
    }
    output = context.program(leaves)

    def run() -> "dict[str, torch.Tensor | None]":
        if output.requires_grad:
            for v in vs:
                accumulate(output, v.clone())
        grads = {name: leaves[name].grad for name in names}
        return {name: None if grad is None else grad.cpu() for name, grad in grads.items()}

    return attempt(run, custom=context.side.custom)


def _numbers(
    total: "Mapping[str, torch.Tensor | None] | None", context: Context, pulls: Sequence[Pull]
) -> Mapping[str, Array[Any]] | None:
    """``.grad`` as numbers; where it is None, 0 if every vᵀJ is, else no number."""
    if total is None:
        return None
    found: dict[str, Array[Any]] = {}
    for name, grad in total.items():
        if grad is not None:
            found[name] = array_of(grad)
            continue
        parts = [None if pull.vjp is None else pull.vjp[name].values for pull in pulls]
        zero = all(part is not None and set(part) <= {0.0} for part in parts)
        x = context.point.inputs[name]
        nothing: tuple[Any, ...] = ((0.0 if zero else None),) * x.numel()
        found[name] = Array(tuple(x.shape), nothing)
    return found


def _exact(pulls: Sequence[Pull], names: Sequence[str]) -> Mapping[str, Array[Any]] | None:
    """The sum of the exact vᵀJ."""
    judged = [pull.judged for pull in pulls if pull.judged is not None]
    if len(judged) < len(pulls):
        return None
    found = {}
    for name in names:
        truths = [each.truth[name] for each in judged]
        columns = zip(*(array.values for array in truths), strict=True)
        found[name] = Array(truths[0].shape, tuple(map(_sum_of, columns)))
    return found


def _sum_of(truths: Sequence[Truth]) -> Any:
    if any(truth.kind is not TruthKind.VALUE for truth in truths):
        return None
    if any(truth.value.endswith("j)") for truth in truths):
        return sum(map(value_of, truths))
    total = _DIGITS.create_decimal(0)
    for truth in truths:
        total = _DIGITS.add(total, _DIGITS.create_decimal(truth.value))
    return float(total)


def _check(value: Accumulation, failure: str, context: Context) -> CheckResult:
    """The accumulation itself adds rounding and nothing else."""
    if value.total is None:
        reason = f"a second backward pass on the same graph raises: {failure}"
        return CheckResult(NAME, Verdict.UNCHECKED, reason=reason)
    form = format_of(str(context.side.output.dtype).removeprefix("torch."))
    compared, largest = 0, 0.0
    for name, array in value.total.items():
        parts = [pull.vjp[name].values for pull in value.pulls if pull.vjp is not None]
        if len(parts) < len(value.pulls):
            return CheckResult(NAME, Verdict.UNCHECKED, reason="one of the vᵀJ is missing")
        for found, *terms in zip(array.values, *parts, strict=True):
            if found is None or any(term is None for term in terms):
                continue
            gap, size = abs(found - sum(terms)), sum(map(abs, terms))
            if gap != gap or size == float("inf"):
                continue
            compared += 1
            largest = max(largest, gap / (len(terms) * form.unit * size + form.subnormal))
    if largest > 1:
        reason = "what the backward passes leave in .grad is not the sum of their vᵀJ"
        return CheckResult(NAME, Verdict.WRONG, compared, max_ratio=largest, reason=reason)
    return CheckResult(NAME, Verdict.OK, compared, max_ratio=largest or None)
