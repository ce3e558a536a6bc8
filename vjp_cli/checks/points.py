"""The same problem at further random points: one point proves little about a backward.

An input that is positive (or negative) throughout stays so, and all keep their size, so that most
points lie where the function is made for. v is random too.
"""

import json

from vjp_cli.checks.context import Context
from vjp_cli.errors import VjpError, shorten
from vjp_cli.lazy import torch
from vjp_cli.report import Array, CheckResult, Finding, Point, Report, Verdict, worst
from vjp_cli.values import Value

NAME = "further random points"
# of a point in a message; --reproduce has it in full
_SHOWN = 160


def applies(context: Context) -> bool:
    """Whether points are asked for."""
    return context.points > 0


def check(context: Context) -> CheckResult:
    """Judge each point; the worst verdict counts, with the first point that has it."""
    generator = torch.Generator().manual_seed(context.seed + 1)
    reports: list[tuple[str, Report]] = []
    failures: list[str] = []
    outside = 0
    for _ in range(context.points):
        inputs = {name: _drawn(value, generator) for name, value in context.point.inputs.items()}
        v = _drawn(torch.zeros_like(context.side.output), generator)
        try:
            report = context.again(inputs, v)
        except VjpError as error:
            failures.append(f"{error.message} at {_options(inputs, v)}")
            continue
        if _finite(report):
            reports.append((_options(inputs, v), report))
        else:
            outside += 1
    return _row(context.points, reports, failures, outside)


def _row(
    count: int, reports: list[tuple[str, Report]], failures: list[str], outside: int
) -> CheckResult:
    """One row of all points; those outside the domain and those that failed are said."""
    left = []
    if outside:
        left.append(f"at {outside} of {count} points y is not finite")
    if failures:
        left.append(f"{len(failures)} of {count} points failed: {failures[0]}")
    if not reports:
        return CheckResult(NAME, Verdict.UNCHECKED, reason="; ".join(left))
    compared = sum(_compared(report) for _, report in reports)
    verdict = worst({report.verdict for _, report in reports})
    words, point = [], None
    if verdict is not Verdict.OK:
        bad = [(where, report) for where, report in reports if report.verdict is verdict]
        words.append(f"{verdict} at {len(bad)} of {count} points, first {_first(*bad[0])}")
        point = Point(bad[0][1].inputs, bad[0][1].v)
    return CheckResult(NAME, verdict, compared, reason="; ".join([*words, *left]), point=point)


def _drawn(tensor: "torch.Tensor", generator: "torch.Generator") -> Value:
    """Random numbers in the shape, the size and the signs of a tensor, rounded to its dtype."""
    wide = torch.complex128 if tensor.is_complex() else torch.float64
    noise = torch.randn(tensor.shape, generator=generator, dtype=wide)
    known = tensor.detach().cpu().to(wide)
    sizes = known[known.isfinite() & (known != 0)].abs()
    size = float(sizes.square().mean().sqrt()) if sizes.numel() else 1.0
    if not known.is_complex() and known.numel() and bool((known > 0).all() | (known < 0).all()):
        noise = noise.exp() * known.sign()
    made = (size * noise).to(tensor.dtype)
    numbers = made.to(wide).reshape(-1).tolist()
    return Value(tuple(tensor.shape), tuple(numbers))


def _finite(report: Report) -> bool:
    values = torch.tensor(report.output.value.values)
    return bool(values.isfinite().all())


def _compared(report: Report) -> int:
    return sum(check.compared for check in report.checks if "derivative" in check.name)


def _first(where: str, report: Report) -> str:
    found = [finding for finding in report.findings if finding.verdict is report.verdict]
    return f"{_words(found[0])} at {where}" if found else f"at {where}"


def _words(finding: Finding) -> str:
    if finding.truth:
        return f"{finding.where}: torch {finding.torch}, truth {finding.truth}"
    slopes = f"slopes {finding.left}, {finding.right}" if finding.left else finding.cause
    return f"{finding.where}: torch {finding.torch}, {slopes}"


def _options(inputs: dict[str, Value], v: Value) -> str:
    """The point as options of the command line."""
    parts = [f"--{name}={_text(value)}" for name, value in (*inputs.items(), ("v", v))]
    return shorten(" ".join(parts), _SHOWN)


def _text(value: Value) -> str:
    if not value.shape:
        return str(value.numbers[0])
    if len(value.shape) == 1 and value.numbers:
        return ",".join(map(str, value.numbers)) + ("," if len(value.numbers) == 1 else "")
    nested = Array(value.shape, tuple(map(str, value.numbers))).nested()
    return json.dumps(nested, separators=(",", ":")).replace('"', "")
