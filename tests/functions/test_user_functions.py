"""The tracer goes through functions as users write them, and says where it does not."""

from typing import Any

import pytest
import torch

from tests.functions import helpers
from vjp_cli.errors import EvaluationError
from vjp_cli.report import Report, Verdict


def report_of(name: str, *args: Any, **kwargs: Any) -> Report:
    return helpers.report_of("user_functions.py", name, *args, **kwargs)


@pytest.mark.parametrize(
    ("name", "truth"),
    [
        # J is diagonal in all of these; v = 1, 10, 100
        ("square", ["2.0", "40.0", "600.0"]),
        ("third_derivative", ["48.0", "960.0", "14400.0"]),
        # the gradient of z³ at 2x is 12x², its derivative 24x
        ("functional", ["24.0", "480.0", "7200.0"]),
        ("branches", ["2.0", "40.0", "600.0"]),
        ("default", ["3.0", "30.0", "300.0"]),
        ("printing", ["2.0", "20.0", "200.0"]),
    ],
)
def test_right_functions_are_ok(name: str, truth: list[str]) -> None:
    report = report_of(name)
    assert report.verdict is Verdict.OK, report.notes
    assert report.judged_vjp is not None
    assert [entry.value for entry in report.judged_vjp.truth["x"].values] == truth


def test_a_wrong_backward_is_found_with_its_truth() -> None:
    report = report_of("cube")
    assert (report.verdict, report.exit_code) == (Verdict.WRONG, 1)
    assert report.vjp is not None
    assert report.vjp["x"].values == (1.0, 40.0, 900.0)
    assert report.judged_vjp is not None
    # 3x² times 1, 10, 100
    assert [t.value for t in report.judged_vjp.truth["x"].values] == ["3.0", "120.0", "2700.0"]


def test_factories_are_exact_constants() -> None:
    report = report_of("factories")
    assert report.verdict is Verdict.OK
    assert report.judged_vjp is not None
    assert report.judged_vjp.truth["x"].values[0].value == "0.100000000000000005551115123126"


def test_item_assignment_and_writes_in_place() -> None:
    report = report_of("filled")
    assert report.verdict is Verdict.OK, report.notes
    assert report.jacobian is not None
    # out = 3·(x0·x1 + 1, 2·x0 + 1, 2·x1 + 1) at (1, 2, 3)
    assert report.jacobian["x"].nested() == [[6.0, 3.0, 0.0], [6.0, 0.0, 0.0], [0.0, 6.0, 0.0]]


def test_a_cotangent_inside() -> None:
    report = report_of("weighted", x="1,2,3", g="4,5,6")
    assert report.verdict is Verdict.OK, report.notes
    assert report.vjp is not None
    # ∂(2·x·g): by x 2·g·v, by g 2·x·v
    assert report.vjp["x"].values == (8.0, 100.0, 1200.0)
    assert report.vjp["g"].values == (2.0, 40.0, 600.0)


def test_the_truth_of_another_function() -> None:
    report = report_of("cube", against="cube")
    assert report.verdict is Verdict.WRONG
    # square against cube: the two are not the same function, so nothing is judged
    assert report_of("square", against="cube").verdict is Verdict.UNCHECKED


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("raising", r"raising raised ValueError: no luck \(line \d+\)"),
        ("two", "two returned 2 tensors in a tuple"),
    ],
)
def test_failures_of_the_function(name: str, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        report_of(name)


def test_prints_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    report_of("printing")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "a word" in captured.err


def test_everything_replaced_is_put_back() -> None:
    modules = [
        torch,
        torch.autograd.functional,
        torch.autograd.function._SingleLevelFunction,
        torch._functorch.apis,
        torch._functorch.eager_transforms,
        torch.nn.functional,
    ]
    before = [dict(module.__dict__) for module in modules]
    report_of("third_derivative")
    report_of("written_view")
    assert [dict(module.__dict__) for module in modules] == before


def test_none_for_a_gradient_is_missing_in_j_too() -> None:
    report = report_of("forgets_the_target", None, x="1,2", t="0,5")
    assert (report.verdict, report.exit_code) == (Verdict.MISSING, 3)
    assert report.judged_jacobian is not None
    # y = (x - t)²: -2(x - t) on the diagonal, for which there is no number
    verdicts = report.judged_jacobian.verdicts["t"].values
    assert verdicts == (Verdict.MISSING, Verdict.OK, Verdict.OK, Verdict.MISSING)
    causes = {finding.cause for finding in report.findings}
    assert causes == {
        "no path of torch's graph leads back to t, or the backward of Forgets returns None for it"
    }
