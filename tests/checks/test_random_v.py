"""vᵀJ for a random v, where J is not built."""

from typing import Any

import torch

from vjp_cli import inspect
from vjp_cli.report import CheckResult, Report, Verdict
from vjp_cli.settings import Settings

NAME = "vjp for a random v"
POINT = {"x": torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)}


class RightForOnes(torch.autograd.Function):
    """x², whose backward adds what is 0 for a v of equal elements."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        [x] = ctx.saved_tensors
        return 2 * x * g + (g - g.mean())


def row(report: Report) -> CheckResult | None:
    return next((check for check in report.checks if check.name == NAME), None)


def test_an_error_that_cancels_for_ones() -> None:
    settings = Settings(jacobian=False)
    report = inspect(lambda x: RightForOnes.apply(x), POINT, torch.ones(3), settings=settings)
    assert report.checks[0].verdict is Verdict.OK
    found = row(report)
    assert found is not None
    assert (found.verdict, found.compared) == (Verdict.WRONG, 3)
    assert found.reason.startswith("wrong at x[0]: ")
    assert report.verdict is Verdict.WRONG
    assert report.exit_code == 1


def test_a_right_one() -> None:
    report = inspect("x**2", POINT, torch.ones(3), settings=Settings(jacobian=False))
    assert row(report) == CheckResult(NAME, Verdict.OK, 3, max_ulp=0.0, max_ratio=0.0)
    assert report.verdict is Verdict.OK


def test_no_row_where_j_is_built_or_y_has_one_element() -> None:
    assert row(inspect("x**2", POINT, torch.ones(3))) is None
    assert row(inspect("sum(x**2)", POINT, settings=Settings(jacobian=False))) is None
