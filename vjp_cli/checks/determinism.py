"""The same numbers twice.

A linear algebra library may differ in the last bits between two runs, as where an array lies in
memory decides how it is summed; random numbers and global state differ in all of them.
"""

from vjp_cli.checks.context import Context
from vjp_cli.checks.sizes import largest_of
from vjp_cli.derivatives.evaluation import Wanted, evaluate
from vjp_cli.errors import EvaluationError
from vjp_cli.functions.body import UserFunction
from vjp_cli.lazy import torch
from vjp_cli.report import CheckResult, Verdict

NAME = "the same numbers twice"
# differences up to so many units of the largest number are those of another order of summation
_LAST_BITS = 64


def check(context: Context) -> CheckResult:
    """Evaluate y and vᵀJ a second time."""
    v = context.point.v
    wanted = Wanted(context.point.wrt, lambda output: v, jacobian=False)
    again = evaluate(context.program, context.point.inputs, wanted)
    body = context.program.body
    if isinstance(body, UserFunction) and not _close(context.side.output, again.output):
        raise EvaluationError(
            f"{body.source.name} gives different results for the same inputs",
            "it keeps a state between calls, or draws random numbers in a way that cannot be "
            "repeated: no derivative of it can be trusted",
        )
    pairs = [(context.side.output, again.output)]
    if context.side.vjp is not None and again.vjp is not None:
        for name in context.point.wrt:
            first, second = context.side.vjp[name], again.vjp[name]
            if first is not None and second is not None:
                pairs.append((first, second))
    compared = sum(first.numel() for first, _ in pairs)
    if not all(_close(first, second) for first, second in pairs):
        reason = "two runs give different numbers"
        return CheckResult(NAME, Verdict.WRONG, compared, reason=reason)
    return CheckResult(NAME, Verdict.OK, compared)


def _close(first: "torch.Tensor", second: "torch.Tensor") -> bool:
    if _same(first, second):
        return True
    if not first.is_floating_point() and not first.is_complex():
        return False
    allowed = _LAST_BITS * torch.finfo(first.dtype).eps * largest_of(first)
    return torch.allclose(first, second, rtol=0, atol=allowed, equal_nan=True)


def _same(first: "torch.Tensor", second: "torch.Tensor") -> bool:
    """Bitwise equality; NaN equals NaN."""
    equal = (first == second) | (first.isnan() & second.isnan())
    return first.shape == second.shape and bool(equal.all())
