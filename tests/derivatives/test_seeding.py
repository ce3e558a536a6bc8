"""A cotangent enters torch's backward pass exactly as ``y.backward(v)`` lets it."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from vjp_cli.derivatives.seeding import gradients

PROGRAMS: list[Callable[[Tensor, Tensor], Tensor]] = [
    lambda x, k: k @ x,
    lambda x, k: torch.softmax(x, 0) * k[:, :1],
    lambda x, k: torch.sin(x).sum() + k.sum(),
    lambda x, k: (k * x).T,
    lambda x, k: (k * x)[:0],
    lambda x, k: torch.exp(30 * x) / (1 + torch.exp(30 * x)) + 0 * k[:, :1],
]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_bit_for_bit_the_gradient_of_backward(
    program: Callable[[Tensor, Tensor], Tensor], dtype: torch.dtype
) -> None:
    generator = torch.Generator().manual_seed(3)
    leaves = [
        torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()
        for shape in ((4,), (3, 4))
    ]
    output = program(*leaves)
    v = torch.randn(output.shape, generator=generator, dtype=torch.float64).to(dtype)
    found = gradients(output, leaves, v)
    program(*leaves).backward(v)
    for gradient, leaf in zip(found, leaves, strict=True):
        assert gradient is not None
        assert leaf.grad is not None
        assert gradient.dtype == leaf.grad.dtype == dtype
        assert torch.equal(gradient, leaf.grad)


def test_no_path_gives_none_and_grad_is_left_alone() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = torch.tensor(3.0, requires_grad=True)
    found = gradients(x * 2, [x, z], torch.tensor([1.0, 10.0]))
    assert found[0] is not None
    assert found[0].tolist() == [2, 20]
    assert found[1] is None
    assert x.grad is None


def test_further_cotangents_can_follow() -> None:
    x = torch.tensor([3.0], requires_grad=True)
    y = x * x
    for weight in (1.0, 5.0):
        [found] = gradients(y, [x], torch.tensor([weight]))
        assert found is not None
        assert found.tolist() == [6 * weight]


def test_nan_and_infinity_go_through_as_they_are() -> None:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    [found] = gradients(x * 2, [x], torch.tensor([float("inf"), float("nan"), -0.0]))
    assert found is not None
    assert str(found.tolist()) == "[inf, nan, -0.0]"


class Broken(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, cotangent):
        raise RuntimeError("no derivative here")


def test_a_failing_backward_is_torchs_own_error() -> None:
    x = torch.tensor([1.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="no derivative here"):
        gradients(Broken.apply(x), [x], torch.ones(1))
