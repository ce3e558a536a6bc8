"""A backward that can be called once only, or writes where it must not, is found and named."""

import pytest
import torch
from torch.autograd import Function

from tests.checks.custom import report_of, row
from vjp_cli.report import Verdict
from vjp_cli.settings import Check

X = [[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]]


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.extra = x.clone()
        ctx.stack = [2.0]
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


class Handing(Square):
    """Returns grad_output itself, which is no writing."""

    @staticmethod
    def forward(ctx, x):
        return x + 1

    @staticmethod
    def backward(ctx, g):
        return g


class Popping(Square):
    @staticmethod
    def backward(ctx, g):
        return ctx.stack.pop() * ctx.saved_tensors[0] * g


class Counting(Square):
    @staticmethod
    def backward(ctx, g):
        factor = ctx.stack[0]
        ctx.stack[0] = 3.0
        return factor * ctx.saved_tensors[0] * g


class WritingSaved(Square):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return x.data.mul_(2) * g


class WritingSavedLoudly(Square):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return x.mul_(2) * g


class WritingAttribute(Square):
    @staticmethod
    def backward(ctx, g):
        return ctx.extra.mul_(2) * g


class WritingCotangent(Square):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g.mul_(2) * x


class ClippingCotangent(Square):
    """Changes no number of a cotangent that is small."""

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g.clamp_(-10, 10)


@pytest.mark.parametrize("function", [Square, Handing])
def test_a_backward_that_can_be_called_again(function: type[Function]) -> None:
    found = row(Check.REPEATED, lambda x: function.apply(x), x=X)
    assert (found.verdict, found.compared, found.reason) == (Verdict.OK, 6, "")


@pytest.mark.parametrize(
    ("function", "verdict", "words"),
    [
        (Popping, Verdict.MISSING, "it raises the second time: IndexError: pop from empty list"),
        (Counting, Verdict.WRONG, ": the backward changes its state"),
        (WritingSaved, Verdict.WRONG, ": WritingSaved.backward writes into its saved tensors"),
        (
            WritingSavedLoudly,
            Verdict.MISSING,
            "it raises the second time: WritingSavedLoudly.backward writes into its saved tensors:"
            " one of the variables needed for gradient computation has been modified",
        ),
        (WritingAttribute, Verdict.WRONG, ": WritingAttribute.backward writes into ctx.extra"),
        (ClippingCotangent, Verdict.WRONG, "ClippingCotangent.backward writes into grad_output"),
        (
            WritingCotangent,
            Verdict.WRONG,
            "WritingCotangent.backward writes into grad_output, which other branches of a graph "
            "share: clone it first",
        ),
    ],
)
def test_a_backward_that_cannot(function: type[Function], verdict: Verdict, words: str) -> None:
    found = row(Check.REPEATED, lambda x: function.apply(x), x=X)
    assert found.verdict is verdict
    assert words in found.reason


def test_the_numbers_of_both_calls_are_told() -> None:
    found = row(Check.REPEATED, lambda x: Counting.apply(x), x=[3.0])
    # v is one of ±¼, ±½, ±¾, ±1
    first, second = found.reason.split(" in place of ")
    assert float(second.split(" at ")[0]) * 1.5 == float(first.split()[-1])


def test_what_a_backward_writes_does_not_reach_the_judgement() -> None:
    # vᵀJ = 2·x·v = 12·1, 2·(-1)·10: the first call is right, and v is what was given
    report = report_of(lambda x: WritingCotangent.apply(x), {"x": [6.0, -1.0]}, v=[1.0, 10.0])
    assert report.vjp["x"].values == (12.0, -20.0)
    assert report.v.values == (1.0, 10.0)
    assert report.verdict is Verdict.OK


def test_the_first_call_is_judged_where_the_second_raises() -> None:
    report = report_of(lambda x: Popping.apply(x), {"x": [6.0, -1.0]}, v=[1.0, 10.0])
    assert report.vjp["x"].values == (12.0, -20.0)
    assert report.judged_vjp.verdicts["x"].values == (Verdict.OK, Verdict.OK)
    assert report.verdict is Verdict.MISSING
    assert report.exit_code == 3


def test_the_functions_are_as_they_were() -> None:
    before = dict(vars(Counting))
    row(Check.REPEATED, lambda x: Counting.apply(x), x=X)
    assert dict(vars(Counting)) == before


def test_a_graph_without_a_custom_backward_has_no_row() -> None:
    report = report_of(lambda x: x * x, {"x": X}, *Check)
    names = [row.name for row in report.checks]
    assert names == [
        "jacobian against the exact derivative",
        "vjp against v times the full J",
        "the same numbers twice",
        "forward mode against reverse mode",
        "finite differences",
    ]
    assert torch.is_grad_enabled()
