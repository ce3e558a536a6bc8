"""vᵀJ is linear in v, whatever is done to the cotangent."""

import pytest
import torch
from torch.autograd import Function

from tests.checks.custom import row
from vjp_cli.report import Verdict
from vjp_cli.settings import Check


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


class Squared(Square):
    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g * g


class Shifted(Square):
    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g + 1


class Normed(Square):
    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g / g.norm()


class Clipped(Square):
    """Right for every cotangent up to 10."""

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g.clamp(-10, 10)


class Thresholded(Square):
    """Right for every cotangent that is not small."""

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * torch.where(g.abs() < 0.01, 0, g)


class Root(Function):
    """Its derivative at 0 is infinite, and 0 times that is NaN in any right backward."""

    @staticmethod
    def forward(ctx, x):
        y = torch.sqrt(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        return g / (2 * ctx.saved_tensors[0])


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_a_linear_backward(dtype: str) -> None:
    found = row(Check.LINEARITY, lambda x: Square.apply(x), dtype, x=[[1.0, -0.3, 7.0]])
    assert (found.verdict, found.reason) == (Verdict.OK, "")
    assert found.compared == (9 if dtype == "float16" else 12)


def test_an_infinite_derivative() -> None:
    found = row(Check.LINEARITY, lambda x: Root.apply(x), x=[0.0, 4.0])
    assert (found.verdict, found.reason) == (Verdict.OK, "")


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (Squared, "it is not: for v = 2·a + 3·b vᵀJ is "),
        (Shifted, "it is not: for v = 0 vᵀJ is 1 in place of 0 at x[0,0]"),
        (Normed, "it is not: for v = 0 vᵀJ is nan in place of 0 at x[0,0]"),
        (Clipped, "it is not: for v = 256·a vᵀJ is "),
        (Thresholded, "it is not: for v = a/256 vᵀJ is "),
    ],
)
def test_one_that_is_not(function: type[Function], words: str) -> None:
    found = row(Check.LINEARITY, lambda x: function.apply(x), x=[[1.0, -0.3, 7.0]])
    assert found.verdict is Verdict.WRONG
    assert found.reason.startswith(words)


@pytest.mark.parametrize("x", [2.0, [[2.0], [-1.0]]])
def test_other_shapes(x: object) -> None:
    assert row(Check.LINEARITY, lambda x: Square.apply(x), x=x).verdict is Verdict.OK
    assert row(Check.LINEARITY, lambda x: Clipped.apply(x), x=x).verdict is Verdict.WRONG
