"""A few random problems of the honesty bench (`tests/bench/honesty.py` runs as many as asked)."""

import warnings

import pytest

from tests.random_problems import contradictions, random_problem, report_of
from vjp_cli.report import Verdict


@pytest.mark.parametrize("seed", range(40))
def test_slopes_confirm_every_truth_and_verdict(seed: int) -> None:
    problem = random_problem(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = report_of(problem)
        assert contradictions(problem, report) == []
    assert report.judged_vjp is not None
    for verdicts in report.judged_vjp.verdicts.values():
        assert Verdict.UNCHECKED not in verdicts.values


def test_a_false_report_is_contradicted() -> None:
    problem = random_problem(2)
    report = report_of(problem)
    assert report.vjp is not None
    # a report of another problem says nothing true about this one
    other = random_problem(3)
    assert contradictions(problem, report) == []
    assert contradictions(other, report_of(other)) == []
    swapped = type(problem)(f"1.0001*({problem.source})", problem.values, problem.dtype, 2)
    assert contradictions(swapped, report) != []
