"""Forward mode against reverse mode: Ju by dual numbers, and by the rows of J, for a random ±1 u.

Every entry of J weighs 1 in such a u. The check proves that both modes of torch agree, not that
either is the derivative.
"""

import math

from vjp_cli.checks.context import Context
from vjp_cli.derivatives.tangent import forward
from vjp_cli.errors import VjpError
from vjp_cli.lazy import torch
from vjp_cli.numbers.dtypes import FORMATS
from vjp_cli.report import CheckResult, Verdict

NAME = "forward mode against reverse mode"
# |Σ| of n rounded terms grows like √n (criteria 5.6, with C = 8)
_UNITS = 8


def check(context: Context) -> CheckResult:
    """Compare every element of Ju."""
    side = context.side
    if context.is_complex:
        return CheckResult(NAME, Verdict.UNCHECKED, reason="it needs real numbers")
    if side.jacobian is None:
        return CheckResult(NAME, Verdict.UNCHECKED, reason="it needs the full J")
    tangents = tangents_of(context)
    try:
        found = forward(context.program, context.point.inputs, tangents).reshape(-1).double().cpu()
    except (VjpError, RuntimeError) as error:
        reason = f"torch has no forward mode here: {str(error).strip().splitlines()[0]}"
        return CheckResult(NAME, Verdict.UNCHECKED, reason=reason)
    form = FORMATS[context.dtype]
    expected = torch.zeros_like(found)
    size = torch.zeros_like(found)
    count = 1
    for name in side.wrt:
        direction = tangents[name].reshape(-1).double()
        expected += side.jacobian[name].pushed(direction)
        size += side.jacobian[name].sizes().pushed(direction.abs())
        count += direction.numel()
    finite = expected.isfinite() & found.isfinite()
    gap = (found - expected).abs()
    allowed = _UNITS * math.sqrt(count) * form.unit * size + form.subnormal
    ratios = (gap / allowed)[finite].tolist()
    largest = max(ratios, default=0.0)
    if bool((gap > math.sqrt(form.unit) * size + form.subnormal)[finite].any()):
        # J itself is judged against the exact derivative, so this speaks of forward mode alone
        reason = "torch's forward mode gives other numbers than its reverse mode"
        return CheckResult(NAME, Verdict.UNCHECKED, len(ratios), max_ratio=largest, reason=reason)
    return CheckResult(NAME, Verdict.OK, len(ratios), max_ratio=largest or None)


def tangents_of(context: Context) -> "dict[str, torch.Tensor]":
    """A random u of ±1 for each input."""
    generator = torch.Generator().manual_seed(context.seed)
    return {
        name: torch.randint(0, 2, context.point.inputs[name].shape, generator=generator) * 2 - 1
        for name in context.side.wrt
    }
