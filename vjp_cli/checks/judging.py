"""The judgement of one problem by the means that it allows; and of problems beside it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from vjp_cli.checks.complex_judgement import judge_complex
from vjp_cli.checks.context import Context
from vjp_cli.checks.difference_judgement import judge_by_differences
from vjp_cli.checks.finite_difference import SECONDS, Differences
from vjp_cli.checks.judgement import Judgement, judge
from vjp_cli.checks.scaling import Scaling
from vjp_cli.derivatives.evaluation import Wanted, evaluate
from vjp_cli.exact.oracle import SlopeOracle
from vjp_cli.exact.side import answer
from vjp_cli.exact.tracing_program import Point
from vjp_cli.lazy import torch
from vjp_cli.program import Program
from vjp_cli.settings import Settings


def judged(context: Context, settings: Settings) -> Judgement:
    """Every entry judged: by formulas and slopes, by complex slopes, or by finite differences."""
    exact, deadline = context.exact, context.deadline
    if exact.is_complex or context.is_complex:
        return judge_complex(context, exact, jacobian=settings.jacobian, deadline=deadline)
    if exact.side is None:
        differences = Differences(context, context.reference, min(settings.timeout, SECONDS))
        return judge_by_differences(differences, exact.reason, jacobian=settings.jacobian)
    scaling = Scaling(context.program, context.point, settings, deadline, context.reference)
    oracle = SlopeOracle(context.reference, context.point, deadline)
    return judge(context.side, exact, scaling, oracle)


@dataclass(frozen=True)
class Beside:
    """A problem beside the one that was asked for: another program, point or v.

    Attributes:
        reference: where the truth is taken from.
        v: the cotangent; None for ones.
    """

    program: Program
    reference: Program
    inputs: "Mapping[str, torch.Tensor]"
    wrt: tuple[str, ...]
    v: "torch.Tensor | None" = None


def context_of(beside: Beside, context: Context, settings: Settings) -> Context:
    """The context of such a problem, evaluated by torch and exactly.

    Raises:
        VjpError: the evaluation failed.
    """
    held: list[torch.Tensor] = []

    def v_for(output: "torch.Tensor") -> "torch.Tensor":
        held.append(torch.ones_like(output) if beside.v is None else beside.v)
        return held[0]

    side = evaluate(beside.program, beside.inputs, Wanted(beside.wrt, v_for, settings.jacobian))
    point = Point(beside.inputs, beside.wrt, held[0])
    exact = answer(beside.reference, point, side.output, settings, context.deadline)
    return replace(
        context,
        program=beside.program,
        point=point,
        side=side,
        reference=beside.reference,
        exact=exact,
    )
