"""Ju by torch, judged as the derivative along u, and ⟨v, Ju⟩ = ⟨Jᵀv, u⟩."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from vjp_cli.arrays import array_of
from vjp_cli.checks.context import Context
from vjp_cli.checks.judge import Judge
from vjp_cli.checks.judgement import Judgement
from vjp_cli.checks.places import Places
from vjp_cli.checks.scaling import Scaling
from vjp_cli.checks.tally import Tally
from vjp_cli.checks.verdict import DOT_UNITS
from vjp_cli.derivatives.evaluation import TorchSide
from vjp_cli.derivatives.matrices import Dense
from vjp_cli.derivatives.tangent import Pushed, push
from vjp_cli.errors import InputError
from vjp_cli.exact.oracle import SlopeOracle
from vjp_cli.exact.side import ExactAnswer, answer
from vjp_cli.exact.tracing_program import Point
from vjp_cli.lazy import torch
from vjp_cli.line import STEP, Line
from vjp_cli.numbers.dtypes import FORMATS
from vjp_cli.report import Array, CheckResult, Tangent, TruthKind, Verdict
from vjp_cli.settings import Settings

NAME = "⟨v, Ju⟩ against ⟨Jᵀv, u⟩"


@dataclass(frozen=True)
class TangentPart:
    """What the report says of Ju, its judgement, and the identity."""

    value: Tangent
    judgement: Judgement
    check: CheckResult


def tangent_part(
    tangents: "Mapping[str, torch.Tensor]",
    name: str,
    context: Context,
    first: Judgement,
    settings: Settings,
) -> TangentPart:
    """Ju for these tangents; inputs without one do not move.

    Args:
        tangents: in the shapes of their inputs.
        name: of the output.
        context: the problem.
        first: the judgement of vᵀJ, for the identity.
        settings: the choices of the inspection.

    Raises:
        InputError: the problem is complex.
    """
    if context.is_complex:
        raise InputError("Ju needs real numbers", "leave out --u")
    inputs = context.point.inputs
    pushed = push(context.program, inputs, tangents, custom=context.side.custom)
    judgement = _judged(pushed, tangents, name, context, settings)
    assert judgement.vjp is not None
    count = context.side.output.numel()
    shape = tuple(context.side.output.shape)
    truths = judgement.vjp.truth[name]
    numbers = (None,) * count if pushed.jvp is None else array_of(pushed.jvp).values
    u = {n: tangents.get(n, torch.zeros_like(inputs[n])) for n in context.side.wrt}
    check, products = _identity(pushed, u, context, first)
    value = Tangent(
        {n: array_of(part) for n, part in u.items()},
        Array(shape, numbers),
        truths.map(lambda truth: float(truth.value) if truth.kind is TruthKind.VALUE else None),
        judgement.vjp,
        pushed.method,
        products,
    )
    return TangentPart(value, judgement, check)


def _judged(
    pushed: Pushed,
    tangents: "Mapping[str, torch.Tensor]",
    name: str,
    context: Context,
    settings: Settings,
) -> Judgement:
    """Ju judged entry by entry, as the J of the function of one step along u."""
    output = context.side.output
    line = Line(context.point.inputs, tangents)
    program, reference = (replace(each, line=line) for each in (context.program, context.reference))
    kind = getattr(torch, settings.dtype)
    point = Point({STEP: torch.zeros((), dtype=kind, device=settings.device)}, (STEP,))
    settings = replace(settings, jacobian=True)
    exact = _exact(context, answer(reference, point, output, settings, context.deadline))
    side = TorchSide(
        output,
        (STEP,),
        None,
        None if pushed.jvp is None else {STEP: Dense(pushed.jvp.reshape(-1, 1))},
        "" if pushed.jvp is not None else pushed.failure,
        backwards=context.side.backwards,
    )
    scaling = Scaling(program, point, settings, context.deadline, reference)
    judge = Judge(side, exact, scaling, SlopeOracle(reference, point, context.deadline))
    tally = Tally(output.ndim)
    found = tally.add("jvp", {name: Places(judge).matrix(STEP)}, {name: tuple(output.shape)})
    return Judgement(
        None,
        found,
        tuple(tally.checks),
        tuple(tally.findings),
        (),
        tally.fewest_digits,
        None,
        None,
    )


def _exact(context: Context, found: ExactAnswer) -> ExactAnswer:
    """The answer, unless the line has no point: x + 0·u is not x where x is infinite."""
    finite = all(bool(value.isfinite().all()) for value in context.point.inputs.values())
    return found if finite else replace(found, reason="an input is not finite")


def _identity(
    pushed: Pushed, u: "Mapping[str, torch.Tensor]", context: Context, first: Judgement
) -> tuple[CheckResult, tuple[float, float] | None]:
    """The same number from both sides: from Ju, and from vᵀJ."""
    v = context.point.v
    if v is None:
        return CheckResult(NAME, Verdict.UNCHECKED, reason="it needs v"), None
    if pushed.jvp is None or first.vjp_numbers is None:
        missing = "Ju" if pushed.jvp is None else "vᵀJ"
        return CheckResult(NAME, Verdict.UNCHECKED, reason=f"torch gives no {missing}"), None
    pulled = [
        pair
        for name, part in u.items()
        for pair in zip(_flat(part), first.vjp_numbers[name].values, strict=True)
    ]
    # what has no weight contributes nothing, not 0·NaN
    left = [(a, b) for a, b in zip(_flat(v), _flat(pushed.jvp), strict=True) if a]
    right = [(a, b) for a, b in pulled if a]
    if any(number is None for _, number in right):
        return CheckResult(NAME, Verdict.UNCHECKED, reason="torch gives no vᵀJ"), None
    products = (_sum(left), _sum(right))
    words = f"⟨v, Ju⟩ = {products[0]:.6g}, ⟨Jᵀv, u⟩ = {products[1]:.6g}"
    if not all(map(math.isfinite, products)):
        return CheckResult(NAME, Verdict.UNCHECKED, reason=f"not finite: {words}"), products
    size = sum(abs(a * b) for a, b in (*left, *right)) + _terms(context, u)
    form = FORMATS[context.dtype]
    gap = abs(products[0] - products[1])
    count = len(left) + len(right)
    ratio = gap / (DOT_UNITS * math.sqrt(max(count, 1)) * form.unit * size + form.subnormal)
    if gap > math.sqrt(form.unit) * size + form.subnormal:
        return CheckResult(NAME, Verdict.WRONG, 1, max_ratio=ratio, reason=words), products
    return CheckResult(NAME, Verdict.OK, 1, max_ratio=ratio or None, reason=words), products


def _flat(tensor: "torch.Tensor") -> list[float]:
    found: list[float] = tensor.detach().double().cpu().reshape(-1).tolist()
    return found


def _sum(pairs: list[tuple[float, Any]]) -> float:
    terms = [a * b for a, b in pairs]
    # fsum refuses opposite infinities
    return math.fsum(terms) if all(map(math.isfinite, terms)) else sum(terms)


def _terms(context: Context, u: "Mapping[str, torch.Tensor]") -> float:
    """Σ|v_i·J_ij·u_j|: what may have cancelled on the way to either number."""
    jacobian, v = context.side.jacobian, context.point.v
    if jacobian is None or v is None:
        return 0.0
    weights = v.double().cpu().reshape(-1).abs()
    total = 0.0
    for name, part in u.items():
        moved = jacobian[name].sizes().pushed(part.cpu().reshape(-1).abs())
        total += float(weights @ moved)
    return total if math.isfinite(total) else 0.0
