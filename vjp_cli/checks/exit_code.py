"""From verdicts and settings to the exit code."""

from collections.abc import Set

from vjp_cli.errors import ExitCode
from vjp_cli.report import Verdict
from vjp_cli.settings import Settings


def of(found: Set[Verdict], fewest_digits: float, settings: Settings) -> int:
    """0, 1 for a verdict that fails, or 3 where torch gave no number.

    Args:
        found: the verdicts of all entries and checks.
        fewest_digits: the correct digits of the least precise entry.
        settings: say which verdicts fail.
    """
    if settings.strict and found - {Verdict.OK}:
        return ExitCode.WRONG
    if found & settings.fail_on:
        return ExitCode.WRONG
    if settings.digits is not None and fewest_digits < settings.digits:
        return ExitCode.WRONG
    if Verdict.MISSING in found:
        return ExitCode.EVALUATION
    return ExitCode.OK
