"""vᵀJ for a random v, where J is not built: v times J may be right where J is wrong.

For one v an error of J can cancel; for a random one it does with probability 0.
"""

from dataclasses import replace

from vjp_cli.checks.context import Context
from vjp_cli.checks.judging import Beside, context_of, judged
from vjp_cli.errors import VjpError
from vjp_cli.lazy import torch
from vjp_cli.report import CheckResult, Verdict
from vjp_cli.settings import Settings

NAME = "vjp for a random v"


def applies(context: Context) -> bool:
    """Whether vᵀJ alone is compared, and another v would say more."""
    side = context.side
    if context.exact.side is None or context.exact.reason or context.is_complex:
        return False
    if side.vjp is None or context.point.v is None or side.jacobian is not None:
        return False
    # what is no number for one v is none for most
    finite = all(g is None or bool(g.isfinite().all()) for g in side.vjp.values())
    return finite and side.output.numel() > 1


def check(context: Context) -> CheckResult:
    """Judge every entry for a normally distributed v."""
    generator = torch.Generator().manual_seed(context.seed)
    output = context.side.output
    v = torch.randn(output.shape, generator=generator, dtype=torch.float64).to(output)
    beside = Beside(context.program, context.reference, context.point.inputs, context.side.wrt, v)
    settings = Settings(dtype=context.dtype, seed=context.seed, jacobian=False)
    try:
        judgement = judged(context_of(beside, context, settings), settings)
    except VjpError as error:
        return CheckResult(NAME, Verdict.UNCHECKED, reason=error.message)
    row = replace(judgement.checks[0], name=NAME)
    if row.verdict is Verdict.OK:
        return row
    first = judgement.findings[0]
    place = first.where.removeprefix("vjp.")
    return replace(row, reason=f"{first.verdict} at {place}: {first.cause}")
