"""Errors in two precisions: what is rounding, also where one precision has no answer."""

import pytest
import torch

from vjp_cli.library import inspect
from vjp_cli.report import Verdict
from vjp_cli.settings import Settings


class OneDtype(torch.autograd.Function):
    """3·x, with a gradient that is a little off and takes one dtype alone."""

    @staticmethod
    def forward(ctx, x):  # type: ignore[no-untyped-def]
        return x * 3

    @staticmethod
    def backward(ctx, v):  # type: ignore[no-untyped-def]
        if v.dtype is not torch.float64:
            raise RuntimeError("expected scalar type Double")
        return v * 3 * (1 + 1e-7)


@pytest.mark.parametrize("jacobian", [False, True])
def test_a_backward_that_raises_in_the_other_precision_is_judged(jacobian: bool) -> None:
    settings = Settings(jacobian=jacobian, checks=(), remedies=False)
    x = torch.tensor([1.5, -2.0], dtype=torch.float64)

    def triple(x: torch.Tensor) -> torch.Tensor:
        return OneDtype.apply(x)  # type: ignore[no-any-return]

    report = inspect(triple, {"x": x}, torch.tensor([1.0, 2.0]).double(), settings=settings)
    assert report.judged_vjp is not None
    # nothing says that it is rounding: a relative 1e-7 is half of float64's digits
    assert list(report.judged_vjp.verdicts["x"].values) == [Verdict.WRONG] * 2
