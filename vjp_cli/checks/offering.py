"""Remedies that the program itself has verified at the point."""

from collections.abc import Callable
from dataclasses import replace

from vjp_cli.checks.remedies import candidates
from vjp_cli.expression import Expression
from vjp_cli.progress import stage
from vjp_cli.report import Finding, Report, Truth, TruthKind, Verdict

# Verdicts that a rewriting may help, and those with which a rewritten expression is right.
_HURT = (Verdict.NAN, Verdict.SATURATED, Verdict.WRONG, Verdict.IMPRECISE)
_RIGHT = (Verdict.OK, Verdict.KINK, Verdict.POLE)


def with_remedies(
    report: Report, expression: Expression, inspect: Callable[[str], Report | None]
) -> Report:
    """The report with a remedy in every finding that one helps.

    Args:
        report: the report of the expression.
        expression: what was inspected.
        inspect: the pipeline, for another expression with the same inputs, v and settings; None
            when it fails.
    """
    if not any(finding.verdict in _HURT for finding in report.findings):
        return report
    stage("other ways to write it")
    findings = list(report.findings)
    for source in candidates(expression.statements):
        if all(finding.remedy or finding.verdict not in _HURT for finding in findings):
            break
        other = inspect(source)
        if other is None or not _same_value(report, other):
            continue
        findings = [
            replace(finding, remedy=source) if _helps(finding, report, other) else finding
            for finding in findings
        ]
    return replace(report, findings=tuple(findings))


def _same_value(report: Report, other: Report) -> bool:
    """Whether the two outputs agree, up to the rounding that the remedy may be there to cure."""
    if report.output.value.shape != other.output.value.shape:
        return False
    pairs = zip(report.output.value.values, other.output.value.values, strict=True)
    return all(not _finite(a) or abs(a - b) <= max(1e-3 * abs(a), 1e-9) for a, b in pairs)


def _finite(number: complex) -> bool:
    return abs(number) < float("inf")


def _helps(finding: Finding, report: Report, other: Report) -> bool:
    """Whether the entry of the finding is right, with the same truth, in the other report."""
    if finding.remedy or finding.verdict not in _HURT:
        return False
    target, _, rest = finding.where.partition(".")
    name, _, index = rest.partition("[")
    judged = other.judged_vjp if target == "vjp" else other.judged_jacobian
    if judged is None or name not in judged.verdicts:
        return False
    verdicts = judged.verdicts[name]
    position = 0
    for size, coordinate in zip(verdicts.shape, index.rstrip("]").split(","), strict=False):
        position = position * size + int(coordinate)
    truth = judged.truth[name].values[position]
    return verdicts.values[position] in _RIGHT and _same_truth(finding, truth)


def _same_truth(finding: Finding, truth: Truth) -> bool:
    if truth.kind is TruthKind.SLOPES:
        return (finding.left, finding.right) == (truth.left, truth.right)
    if not finding.truth or not truth.value:
        return False
    first, second = float(finding.truth), float(truth.value)
    return abs(first - second) <= 1e-12 * abs(first)
