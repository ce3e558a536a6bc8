"""A backward that needs all of its inputs to require a gradient is found."""

import pytest
from torch.autograd import Function

from tests.checks.custom import report_of, row
from vjp_cli.report import Verdict
from vjp_cli.settings import Check

K = [[1.0, 2.0, -1.0], [0.5, 3.0, 2.0]]
X = [[1.0], [-2.0], [0.25]]


class Product(Function):
    @staticmethod
    def forward(ctx, k, x):
        ctx.save_for_backward(k, x)
        return k @ x

    @staticmethod
    def backward(ctx, g):
        k, x = ctx.saved_tensors
        first = g @ x.T if ctx.needs_input_grad[0] else None
        second = k.T @ g if ctx.needs_input_grad[1] else None
        return first, second


class Exchanged(Product):
    """Asks for the need of the other input."""

    @staticmethod
    def backward(ctx, g):
        k, x = ctx.saved_tensors
        first = g @ x.T if ctx.needs_input_grad[1] else None
        second = k.T @ g if ctx.needs_input_grad[0] else None
        return first, second


class Saving(Product):
    """Saves only what is needed, and forgets that in backward."""

    @staticmethod
    def forward(ctx, k, x):
        ctx.save_for_backward(*([k] if ctx.needs_input_grad[1] else []), x)
        return k @ x

    @staticmethod
    def backward(ctx, g):
        k, x = ctx.saved_tensors
        return g @ x.T, k.T @ g


class Refusing(Product):
    @staticmethod
    def forward(ctx, k, x):
        assert k.requires_grad
        return Product.forward(ctx, k, x)


def test_each_alone_is_as_together() -> None:
    found = row(Check.SINGLE_INPUTS, lambda k, x: Product.apply(k, x), k=K, x=X)
    assert (found.verdict, found.compared, found.reason) == (Verdict.OK, 9, "")


@pytest.mark.parametrize(
    ("function", "verdict", "words"),
    [
        (Exchanged, Verdict.WRONG, "with requires_grad for k alone the gradient is 0 in place of "),
        (
            Saving,
            Verdict.MISSING,
            "with requires_grad for k alone: ValueError: not enough values to unpack (expected 2, "
            "got 1); ask ctx.needs_input_grad",
        ),
        (Refusing, Verdict.MISSING, "with requires_grad for x alone: "),
    ],
)
def test_one_that_needs_all(function: type[Function], verdict: Verdict, words: str) -> None:
    found = row(Check.SINGLE_INPUTS, lambda k, x: function.apply(k, x), k=K, x=X)
    assert found.verdict is verdict
    assert found.reason.startswith(words)


def test_one_input_is_always_alone() -> None:
    report = report_of(lambda k: Product.apply(k, k.T), {"k": K}, Check.SINGLE_INPUTS)
    assert [row.name for row in report.checks if row.name == "one input at a time"] == []


def test_random_numbers_are_no_fault() -> None:
    def noisy(k, x):
        return Product.apply(k, x) * (1 + 0 * k.sum()).bernoulli()

    found = row(Check.SINGLE_INPUTS, noisy, k=[[0.0, 0.0]], x=[[1.0], [2.0]])
    assert found.verdict is Verdict.OK
