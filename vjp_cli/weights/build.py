"""Everything about v and u that was asked for, in one place for the report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vjp_cli.checks.context import Context
from vjp_cli.checks.judgement import Judgement
from vjp_cli.lazy import torch
from vjp_cli.report import Accumulation, CheckResult, Contributions, Loss, Tangent
from vjp_cli.request import Request
from vjp_cli.settings import Settings
from vjp_cli.weights.contributions import contributions_part
from vjp_cli.weights.loss import loss_part
from vjp_cli.weights.several import several_part
from vjp_cli.weights.tangent import tangent_part


@dataclass(frozen=True)
class Weighed:
    """What was asked for, its judgements, and what it took.

    Attributes:
        checks: further rows, which are of torch against itself.
        passes: the backward passes for further v.
    """

    loss: Loss | None = None
    accumulation: Accumulation | None = None
    contributions: Contributions | None = None
    tangent: Tangent | None = None
    judgements: tuple[Judgement, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    passes: int = 0


@dataclass(frozen=True)
class Weighing:
    """A request with what it became at its point.

    Attributes:
        output: the name of the output.
        further: the v after the first one.
        tangents: u by input.
    """

    request: Request
    settings: Settings
    output: str
    further: "Sequence[torch.Tensor]"
    tangents: "Mapping[str, torch.Tensor] | None"


def weighed(weighing: Weighing, context: Context, first: Judgement) -> Weighed:
    """All of it, judged.

    Args:
        weighing: what was asked for.
        context: the problem with its first v.
        first: its judgement.

    Raises:
        VjpError: something that does not go with the problem, or a failing evaluation.
    """
    settings = weighing.settings
    judgements: list[Judgement] = []
    checks: list[CheckResult] = []
    loss = several = contributions = tangent = None
    if weighing.request.loss is not None:
        loss = loss_part(weighing.request.loss, context, settings)
        judgements += loss.judgements
        checks.append(loss.check)
    if weighing.further:
        several = several_part(weighing.further, context, first, settings)
        judgements += several.judgements
        checks.append(several.check)
    if settings.contributions:
        contributions = contributions_part(_sum(context.point.v, weighing.further), context)
    if weighing.tangents is not None:
        tangent = tangent_part(weighing.tangents, weighing.output, context, first, settings)
        judgements.append(tangent.judgement)
        checks.append(tangent.check)
    return Weighed(
        None if loss is None else loss.value,
        None if several is None else several.value,
        contributions,
        None if tangent is None else tangent.value,
        tuple(judgements),
        tuple(checks),
        several.passes if several else 0,
    )


def _sum(v: "torch.Tensor | None", further: "Sequence[torch.Tensor]") -> "torch.Tensor | None":
    for each in further:
        v = each if v is None else v + each
    return v
