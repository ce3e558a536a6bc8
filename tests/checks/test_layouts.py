"""A backward that relies on how its cotangent lies in memory is found."""

import pytest
import torch
from torch.autograd import Function

from tests.checks.custom import report_of, row
from vjp_cli.report import Verdict
from vjp_cli.settings import Check

X = [[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]]


class Double(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g


class Cloning(Double):
    """In place, on a copy."""

    @staticmethod
    def backward(ctx, g):
        return g.clone(memory_format=torch.contiguous_format).mul_(2)


class InPlace(Double):
    @staticmethod
    def backward(ctx, g):
        return g.mul_(2)


class Viewing(Double):
    @staticmethod
    def backward(ctx, g):
        return (2 * g).clone(memory_format=torch.preserve_format).view(-1).view(g.shape)


class Memory(Double):
    """Reads memory as a kernel with a data pointer does."""

    @staticmethod
    def backward(ctx, g):
        if g.untyped_storage().nbytes() < g.numel() * g.element_size():
            return 2 * g
        flat = g.as_strided((g.numel(),), (1,), g.storage_offset() // 2)
        return 2 * flat.reshape(g.shape)


@pytest.mark.parametrize("function", [Double, Cloning])
def test_any_layout_will_do(function: type[Function]) -> None:
    found = row(Check.LAYOUTS, lambda x: function.apply(x), x=X)
    # four layouts of six numbers
    assert (found.verdict, found.compared) == (Verdict.OK, 24)


@pytest.mark.parametrize(
    ("function", "verdict", "words"),
    [
        (
            InPlace,
            Verdict.MISSING,
            "the backward raises for an expanded cotangent (as of y.sum()): unsupported operation",
        ),
        (
            Viewing,
            Verdict.MISSING,
            "the backward raises for a transposed cotangent: view size is not compatible",
        ),
        (Memory, Verdict.WRONG, "for a transposed cotangent the backward gives "),
    ],
)
def test_a_layout_that_fails(function: type[Function], verdict: Verdict, words: str) -> None:
    found = row(Check.LAYOUTS, lambda x: function.apply(x), x=X)
    assert found.verdict is verdict
    assert words in found.reason


@pytest.mark.parametrize("x", [3.0, [3.0], [[[3.0]]]])
def test_one_element_has_one_layout(x: object) -> None:
    report = report_of(lambda x: Double.apply(x), {"x": x}, Check.LAYOUTS)
    assert [row.name for row in report.checks if "layout" in row.name] == []


def test_a_vector_has_two() -> None:
    assert row(Check.LAYOUTS, lambda x: Double.apply(x), x=[1.0, 2.0, 3.0]).compared == 6
