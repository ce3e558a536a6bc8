"""A custom ``jvp``: Ju in forward mode against the exact J (torch's J where there is none)."""

import math
from typing import Any

from vjp_cli.checks.context import Context
from vjp_cli.checks.forward_mode import tangents_of
from vjp_cli.checks.graphs import form_of, unchecked, words_of
from vjp_cli.derivatives.custom import defines
from vjp_cli.derivatives.matrices import Sparse
from vjp_cli.derivatives.tangent import forward
from vjp_cli.frames import ENDINGS
from vjp_cli.lazy import numpy, torch
from vjp_cli.report import CheckResult, Verdict

NAME = "the jvp rule"


def applies(context: Context) -> bool:
    """Whether a Function defines one."""
    return any(defines(function, "jvp") for function in context.side.functions)


def check(context: Context) -> CheckResult:
    """Compare every element of Ju for a u of ±1."""
    if context.is_complex:
        return unchecked(NAME, "it needs real numbers")
    jacobian, of = _jacobian(context)
    if jacobian is None:
        return unchecked(NAME, "it needs the full J")
    tangents = tangents_of(context)
    names = [f.__name__ for f in context.side.functions if defines(f, "jvp")]
    who = f"the jvp of {', '.join(names)}"
    try:
        found = (
            forward(context.program, context.point.inputs, tangents)
            .detach()
            .reshape(-1)
            .double()
            .cpu()
        )
    except (Exception, *ENDINGS) as error:
        without = [f.__name__ for f in context.side.functions if not defines(f, "jvp")]
        if without:
            return unchecked(NAME, f"{', '.join(without)} has no jvp")
        reason = f"{who} fails: {words_of(error)}"
        return CheckResult(NAME, Verdict.MISSING, reason=reason)
    units = {name: tangents[name].reshape(-1).double() for name in jacobian}
    expected = sum((jacobian[name].pushed(u) for name, u in units.items()), torch.zeros_like(found))
    size = sum(
        (jacobian[name].sizes().pushed(u.abs()) for name, u in units.items()),
        torch.zeros_like(found),
    )
    form = form_of(context)
    gap = (found - expected).abs()
    finite = expected.isfinite()
    apart = finite & ~(gap <= math.sqrt(form.unit) * size + form.subnormal)
    if bool(apart.any()):
        row = int(apart.nonzero()[0])
        reason = (
            f"{who} gives (Ju)[{row}] = {found[row].item():.6g} for u = ±1, {of} J "
            f"{expected[row].item():.6g}"
        )
        return CheckResult(NAME, Verdict.WRONG, int(finite.sum()), reason=reason)
    return CheckResult(NAME, Verdict.OK, int(finite.sum()))


def _jacobian(context: Context) -> tuple[Any, str]:
    """J by input, and whose it is; a row with a doubt or without value is NaN."""
    exact = context.exact
    if exact.side is None or exact.reason or not exact.side.jacobian:
        return context.side.jacobian, "torch's"
    matrices = {}
    for name, matrix in exact.side.jacobian.items():
        values = torch.from_numpy(matrix.floats())
        doubtful = torch.from_numpy(numpy.isin(matrix.columns, [*exact.side.doubts[name]]))
        # at a kink any choice between the slopes is fair
        values[doubtful & (values != 0)] = math.nan
        matrices[name] = Sparse(matrix.shape, matrix.rows, matrix.columns, values)
    return matrices, "the exact"
