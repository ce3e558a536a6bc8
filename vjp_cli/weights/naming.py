"""Judgements of several gradients in one report: each says which one it speaks of."""

from dataclasses import replace

from vjp_cli.checks.judgement import Judgement

_TARGET = "vjp"


def renamed(judgement: Judgement, where: str, words: str) -> Judgement:
    """A judgement of a vᵀJ under another name.

    Args:
        judgement: with findings at ``vjp.x[0]`` and a check ``vjp against …``.
        where: in the place of ``vjp`` in the findings.
        words: in the place of ``vjp`` in the names of the checks.
    """
    return replace(
        judgement,
        checks=tuple(
            replace(check, name=words + check.name.removeprefix(_TARGET))
            if check.name.startswith(_TARGET)
            else replace(check, name=f"{check.name} ({words})")
            for check in judgement.checks
        ),
        findings=tuple(
            replace(finding, where=where + finding.where.removeprefix(_TARGET))
            for finding in judgement.findings
        ),
    )
