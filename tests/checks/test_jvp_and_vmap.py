"""Rules for forward mode and for batches, where a Function has them."""

import pytest
import torch
from torch.autograd import Function

from tests.checks.custom import report_of, row
from vjp_cli.report import Verdict
from vjp_cli.settings import Check

X = [1.0, -2.0, 3.0]


class Square(Function):
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.save_for_forward(inputs[0])

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g

    @staticmethod
    def jvp(ctx, tangent):
        return 2 * ctx.saved_tensors[0] * tangent

    @staticmethod
    def vmap(info, in_dims, x):
        return Square.apply(x), in_dims[0]


class WrongTangent(Square):
    @staticmethod
    def jvp(ctx, tangent):
        return ctx.saved_tensors[0] * tangent


class RaisingTangent(Square):
    @staticmethod
    def jvp(ctx, tangent):
        raise KeyError("tangent")


class WrongBackward(Square):
    """Its jvp is right, and judged by the truth."""

    @staticmethod
    def backward(ctx, g):
        return ctx.saved_tensors[0] * g


class WrongBatch(Square):
    @staticmethod
    def vmap(info, in_dims, x):
        return Square.apply(x) * (1 + torch.arange(3.0, dtype=x.dtype)[:, None]), in_dims[0]


class RaisingBatch(Square):
    @staticmethod
    def vmap(info, in_dims, x):
        raise KeyError("batch")


class Generated(Square):
    generate_vmap_rule = True
    vmap = Function.vmap


def test_a_right_jvp() -> None:
    found = row(Check.JVP_RULE, lambda x: Square.apply(x), x=X)
    assert (found.verdict, found.compared, found.reason) == (Verdict.OK, 3, "")


def test_a_jvp_is_judged_by_the_truth() -> None:
    found = row(Check.JVP_RULE, lambda x: WrongBackward.apply(x), x=X)
    assert (found.verdict, found.compared) == (Verdict.OK, 3)


def test_a_wrong_jvp() -> None:
    # J is diag(2, -4, 6): Ju is ±2 in its first element, and half of that is told
    found = row(Check.JVP_RULE, lambda x: WrongTangent.apply(x), x=X)
    assert found.verdict is Verdict.WRONG
    told = found.reason.removeprefix("the jvp of WrongTangent gives (Ju)[0] = ")
    assert told in ("1 for u = ±1, the exact J 2", "-1 for u = ±1, the exact J -2")


def test_a_jvp_that_raises() -> None:
    found = row(Check.JVP_RULE, lambda x: RaisingTangent.apply(x), x=X)
    assert found.verdict is Verdict.MISSING
    assert found.reason.startswith("the jvp of RaisingTangent fails: ")
    assert "KeyError: 'tangent'" in found.reason


@pytest.mark.parametrize("function", [Square, Generated])
def test_a_right_vmap_rule(function: type[Function]) -> None:
    found = row(Check.VMAP_RULE, lambda x: function.apply(x), x=X)
    # y and vᵀJ at three points
    assert (found.verdict, found.compared, found.reason) == (Verdict.OK, 18, "")


def test_a_wrong_vmap_rule() -> None:
    found = row(Check.VMAP_RULE, lambda x: WrongBatch.apply(x), x=X)
    assert found.verdict is Verdict.WRONG
    assert found.reason.startswith("under torch.func.vmap WrongBatch gives ")
    found = row(Check.VMAP_RULE, lambda x: RaisingBatch.apply(x), x=X)
    assert found.verdict is Verdict.MISSING
    assert found.reason.startswith("under torch.func.vmap RaisingBatch fails: ")
    assert "KeyError: 'batch'" in found.reason


def test_no_rule_no_row() -> None:
    class Plain(Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, g):
            return 2 * g

    report = report_of(lambda x: Plain.apply(x), {"x": X}, Check.JVP_RULE, Check.VMAP_RULE)
    assert [row.name for row in report.checks if "rule" in row.name] == []
