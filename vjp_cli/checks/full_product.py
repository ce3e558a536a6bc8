"""vᵀJ from one backward pass against vᵀ·J from the full Jacobian: two ways through torch.

It cannot see an error that both ways share.
"""

import math

from vjp_cli.checks.context import Context
from vjp_cli.checks.verdict import DOT_UNITS
from vjp_cli.numbers.dtypes import FORMATS
from vjp_cli.report import CheckResult, Verdict

NAME = "vjp against v times the full J"


def check(context: Context) -> CheckResult:
    """Compare every entry within the rounding of a dot product."""
    side, v = context.side, context.point.v
    if context.is_complex:
        return CheckResult(NAME, Verdict.UNCHECKED, reason="it needs real numbers")
    if side.jacobian is None or side.vjp is None or v is None:
        return CheckResult(NAME, Verdict.UNCHECKED, reason="it needs v and the full J")
    form = FORMATS[context.dtype]
    weights = v.reshape(-1).double().cpu()
    compared, largest, apart = 0, 0.0, False
    for name in side.wrt:
        gradient = side.vjp[name]
        if gradient is None:
            continue
        found = gradient.reshape(-1).double()
        expected = side.jacobian[name].pulled(weights)
        size = side.jacobian[name].sizes().pulled(weights.abs())
        error = (found - expected).abs()
        finite = expected.isfinite() & found.isfinite()
        ratio = (error / (DOT_UNITS * form.unit * size + form.subnormal))[finite]
        compared += int(finite.sum())
        largest = max([largest, *ratio.tolist()])
        # what cancels inside a backward pass costs more than a dot product does, but not half the
        # digits
        apart |= bool((error > math.sqrt(form.unit) * size + form.subnormal)[finite].any())
    if apart:
        reason = "one backward pass and the rows of J disagree"
        return CheckResult(NAME, Verdict.WRONG, compared, max_ratio=largest, reason=reason)
    return CheckResult(NAME, Verdict.OK, compared, max_ratio=largest or None)
