"""The exit code from verdicts and settings."""

import pytest

from vjp_cli.checks import exit_code
from vjp_cli.report import Verdict
from vjp_cli.settings import Settings

HARMLESS = {v.value for v in Verdict} - {"wrong", "nan", "saturated", "missing"}


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (set(), 0),
        (HARMLESS, 0),
        ({"ok", "wrong"}, 1),
        ({"ok", "nan"}, 1),
        ({"saturated"}, 1),
        ({"ok", "missing"}, 3),
        ({"missing", "wrong"}, 1),
    ],
)
def test_default(found: set[str], code: int) -> None:
    assert exit_code.of({Verdict(word) for word in found}, 20.0, Settings()) == code


@pytest.mark.parametrize("verdict", list(Verdict))
def test_strict_fails_on_everything_but_ok(verdict: Verdict) -> None:
    expected = 0 if verdict is Verdict.OK else 1
    assert exit_code.of({Verdict.OK, verdict}, 20.0, Settings(strict=True)) == expected


def test_fail_on_replaces_the_default() -> None:
    settings = Settings(fail_on=frozenset({Verdict.KINK}))
    assert exit_code.of({Verdict.KINK}, 20.0, settings) == 1
    assert exit_code.of({Verdict.WRONG}, 20.0, settings) == 0
    assert exit_code.of({Verdict.MISSING}, 20.0, settings) == 3


@pytest.mark.parametrize(("fewest", "code"), [(9.9, 1), (10.0, 0), (10.1, 0)])
def test_digits_are_a_demand(fewest: float, code: int) -> None:
    assert exit_code.of({Verdict.IMPRECISE}, fewest, Settings(digits=10)) == code
    assert exit_code.of({Verdict.IMPRECISE}, fewest, Settings()) == 0
