"""vᵀJ from one backward pass against vᵀ·J from the full Jacobian: two ways through torch.

It cannot see an error that both ways share.
"""

from vjp_cli.checks.context import Context
from vjp_cli.checks.two_ways import TwoWays
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
    ways = TwoWays(FORMATS[context.dtype])
    weights = v.reshape(-1).double().cpu()
    for name in side.wrt:
        gradient = side.vjp[name]
        if gradient is None:
            continue
        expected = side.jacobian[name].pulled(weights)
        size = side.jacobian[name].sizes().pulled(weights.abs())
        ways.compare(gradient.reshape(-1).double(), expected, size)
    return ways.row(NAME, "one backward pass and the rows of J disagree")
