"""What a backward returns: how many gradients, of which shape and dtype, and for which inputs."""

import pytest
import torch
from torch.autograd import Function

from tests.checks.custom import report_of, row
from vjp_cli.report import Verdict
from vjp_cli.settings import Check

K = [[1.0, 2.0, -1.0], [0.5, 3.0, 2.0]]
B = [1.0, -2.0, 0.25]


class Add(Function):
    """k + factor·b, b broadcast over the rows of k."""

    @staticmethod
    def forward(ctx, k, b, factor):
        ctx.factor = factor
        return k + factor * b

    @staticmethod
    def backward(ctx, g):
        return g, ctx.factor * g.sum(0), None


class Broadcast(Add):
    """torch itself sums the gradient of b over the rows: right, if untidy."""

    @staticmethod
    def backward(ctx, g):
        return g, ctx.factor * g, None


class Trailing(Add):
    """torch lets further Nones pass."""

    @staticmethod
    def backward(ctx, g):
        return g, ctx.factor * g.sum(0), None, None


class TooFew(Add):
    @staticmethod
    def backward(ctx, g):
        return g, ctx.factor * g.sum(0)


class TooMany(Add):
    @staticmethod
    def backward(ctx, g):
        return g, ctx.factor * g.sum(0), None, g


class Summed(Add):
    @staticmethod
    def backward(ctx, g):
        return g.sum(0), ctx.factor * g.sum(0), None


class Transposed(Add):
    @staticmethod
    def backward(ctx, g):
        return g.T, ctx.factor * g.sum(0), None


class Nothing(Add):
    @staticmethod
    def backward(ctx, g):
        return g, None, None


class ForNumber(Add):
    @staticmethod
    def backward(ctx, g):
        return g, ctx.factor * g.sum(0), g.sum()


class Number(Add):
    @staticmethod
    def backward(ctx, g):
        return g, 1.0, None


class Narrow(Add):
    @staticmethod
    def backward(ctx, g):
        return g.float(), ctx.factor * g.sum(0), None


class Wide(Add):
    @staticmethod
    def backward(ctx, g):
        return g.double(), ctx.factor * g.sum(0), None


class Raising(Add):
    @staticmethod
    def backward(ctx, g):
        raise KeyError("factor")


class Ignoring(Add):
    """Its second input is not used at all, so None is right."""

    @staticmethod
    def forward(ctx, k, b, factor):
        return factor * k

    @staticmethod
    def backward(ctx, g):
        return 2 * g, None, None


class Rounding(Ignoring):
    """Constant in b up to jumps, so None is right."""

    @staticmethod
    def forward(ctx, k, b, factor):
        return factor * k + b.floor()


def adding(function: type[Function]):
    def adding(k, b):
        return function.apply(k, b, 2.0)

    return adding


@pytest.mark.parametrize("function", [Add, Broadcast, Trailing, Ignoring, Rounding, Wide])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_torch_takes(function: type[Function], dtype: str) -> None:
    found = row(Check.RETURNED, adding(function), dtype, k=K, b=B)
    assert (found.verdict, found.reason) == (Verdict.OK, "")
    assert found.compared == (4 if function is Trailing else 3)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (
            TooFew,
            "TooFew.backward returns 2 gradients, forward takes 3 inputs beside ctx: return one "
            "for each, None for what is no tensor",
        ),
        (TooMany, "TooMany.backward returns 4 gradients, forward takes 3 inputs beside ctx"),
        (Summed, "Summed.backward returns the shape 3 for input 0, which has 2x3: sum over"),
        (Transposed, "Transposed.backward returns the shape 3x2 for input 0, which has 2x3"),
        (Nothing, "Nothing.backward returns None for input 1, on which the output depends"),
        (
            ForNumber,
            "ForNumber.backward returns a gradient for input 2, which is no tensor: return None",
        ),
        (Number, "Number.backward returns a float for input 1: return a tensor"),
        (Raising, "Raising.backward raises: KeyError: 'factor'"),
    ],
)
def test_what_torch_refuses(function: type[Function], words: str) -> None:
    found = row(Check.RETURNED, adding(function), k=K, b=B)
    assert found.verdict is Verdict.MISSING
    assert found.reason.startswith(words)


def test_digits_that_are_lost() -> None:
    found = row(Check.RETURNED, adding(Narrow), k=K, b=B)
    assert found.verdict is Verdict.IMPRECISE
    assert found.reason == (
        "Narrow.backward returns float32 for input 0, which is float64: torch casts it, the digits "
        "are lost"
    )
    # nothing is lost in float32
    assert row(Check.RETURNED, adding(Narrow), "float32", k=K, b=B).verdict is Verdict.OK


def test_a_gradient_that_nobody_asks_for_may_be_missing() -> None:
    constant = torch.tensor([1, 2, 3])
    found = row(Check.RETURNED, lambda k, b: Nothing.apply(k, b, 2.0), k=K, b=constant)
    assert found.verdict is Verdict.OK


def test_the_report_of_a_backward_that_torch_refuses() -> None:
    report = report_of(adding(TooFew), {"k": K, "b": B}, *Check, v=[[1.0, 2, 3], [4, 5, 6]])
    assert (report.verdict, report.exit_code) == (Verdict.MISSING, 3)
    verdicts = {row.name: row.verdict for row in report.checks}
    assert verdicts["what the backward returns"] is Verdict.MISSING
    # the others have nothing to say then
    assert verdicts["the backward called twice"] is Verdict.UNCHECKED
    assert verdicts["linear in the cotangent"] is Verdict.UNCHECKED
    assert verdicts["double backward"] is Verdict.UNCHECKED
    assert {row.reason for row in report.checks[-4:]} == {"the backward raises"}
