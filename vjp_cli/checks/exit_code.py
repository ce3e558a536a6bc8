"""From verdicts and settings to the exit code."""

from vjp_cli.checks.judgement import Judgement
from vjp_cli.errors import ExitCode
from vjp_cli.report import Verdict
from vjp_cli.settings import Settings


def of(judgement: Judgement, settings: Settings) -> int:
    """0, 1 for a verdict that fails, or 3 where torch gave no number."""
    found = set(judgement.verdicts)
    if settings.strict and found - {Verdict.OK}:
        return ExitCode.WRONG
    if found & settings.fail_on:
        return ExitCode.WRONG
    if settings.digits is not None and judgement.fewest_digits < settings.digits:
        return ExitCode.WRONG
    if Verdict.MISSING in found:
        return ExitCode.EVALUATION
    return ExitCode.OK
