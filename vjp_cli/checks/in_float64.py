"""A backward written in Python, on trial in float64 as well.

The digits of a short format hide errors: bfloat16 cannot show one of 1 %. The same function at the
same (rounded) point is judged again in float64. Where it computes with fewer digits even so, as
with ``x.float()`` inside, an error that these may cause is not held against it.
"""

import math
from dataclasses import replace

from vjp_cli.checks.context import Context
from vjp_cli.checks.contradiction import brief
from vjp_cli.checks.diagnosis import NOTE
from vjp_cli.derivatives.evaluation import TorchSide, Wanted, evaluate
from vjp_cli.derivatives.watching import conversions
from vjp_cli.errors import VjpError
from vjp_cli.lazy import torch
from vjp_cli.numbers.dtypes import FORMATS, FloatFormat
from vjp_cli.report import CheckResult, Finding, Report, Verdict, worst
from vjp_cli.values import Value

NAME = "the same backward in float64"
_SHORT = ("float32", "float16", "bfloat16")
_HURT = (Verdict.WRONG, Verdict.NAN, Verdict.SATURATED)


def applies(context: Context) -> bool:
    """Whether a backward in Python met a short format."""
    return context.side.custom and context.dtype in _SHORT


def check(context: Context) -> CheckResult:
    """Judge the same point in float64."""
    try:
        side, form = _evaluated(context)
        if side.failure or side.output.dtype != torch.float64:
            return _unchecked(side.failure or f"it returns {side.output.dtype} there")
        point = context.point
        inputs = {name: _value(tensor) for name, tensor in point.inputs.items()}
        v = None if point.v is None else _value(point.v)
        report = context.again(inputs, v, "float64")
    except VjpError as error:
        return _unchecked(error.message)
    return _row(report, form)


def _evaluated(context: Context) -> tuple[TorchSide, FloatFormat]:
    """The function in float64, and the fewest digits that it computes with there."""
    point = context.point
    inputs = {
        name: value.double() if value.is_floating_point() else value
        for name, value in point.inputs.items()
    }

    v = None if point.v is None else point.v.double()

    def v_for(output: "torch.Tensor") -> "torch.Tensor":
        return torch.ones_like(output) if v is None or output.dtype != v.dtype else v

    program = replace(context.program, dtype="float64")
    with conversions() as converted:
        side = evaluate(program, inputs, Wanted(point.wrt, v_for, jacobian=False))
    form: FloatFormat = converted.coarsest
    return side, form


def _row(report: Report, form: FloatFormat) -> CheckResult:
    exact = [check for check in report.checks if check.name.endswith("the exact derivative")]
    compared = sum(check.compared for check in exact)
    allowed = 0.0 if form is FORMATS["float64"] else form.tolerated
    bad = [f for f in report.findings if f.verdict in _HURT and _relative(f) > allowed]
    if not bad and not compared and report.verdict is not Verdict.OK:
        reasons = [finding.cause for finding in report.findings] or list(report.notes)
        return _unchecked("; ".join(reasons[:1]))
    if not bad:
        return CheckResult(NAME, Verdict.OK, compared)
    first = max(bad, key=lambda finding: (finding.verdict.severity, _relative(finding)))
    verdict = worst([finding.verdict for finding in bad])
    return CheckResult(NAME, verdict, compared, reason=_words(first, report))


def _words(finding: Finding, report: Report) -> str:
    truth = f"the truth is {float(finding.truth):.10g}" if finding.truth else "no slope is that"
    error = _relative(finding)
    size = f", a relative error of {brief(error)}" if math.isfinite(error) else ""
    relations = [note for note in report.notes if note.startswith(NOTE)]
    return "; ".join([f"{finding.where}: torch has {finding.torch}, {truth}{size}", *relations])


def _relative(finding: Finding) -> float:
    """|torch - truth| / |truth|; inf where that has no meaning."""
    if finding.torch is None or not finding.truth:
        return math.inf
    truth = float(finding.truth)
    error = abs(finding.torch - truth)
    return error / abs(truth) if truth and math.isfinite(error) else math.inf


def _unchecked(reason: str) -> CheckResult:
    return CheckResult(NAME, Verdict.UNCHECKED, reason=reason)


def _value(tensor: "torch.Tensor") -> Value:
    return Value(tuple(tensor.shape), tuple(tensor.detach().cpu().double().reshape(-1).tolist()))
