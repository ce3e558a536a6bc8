"""Custom Functions are found in a graph, and what they do is seen as it is."""

import torch
from torch.autograd import Function

from vjp_cli.derivatives.custom import defines, watching
from vjp_cli.derivatives.python_backward import python_backwards


class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return factor * x

    @staticmethod
    def backward(ctx, g):
        return (ctx.factor * g).float(), None


class Later(Function):
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def vjp(ctx, g):
        return 2 * ctx.saved_tensors[0] * g


class Child(Scale):
    pass


def leaf() -> torch.Tensor:
    return torch.tensor([[1.0, -2.0, 3.0]], dtype=torch.float64, requires_grad=True)


def test_the_functions_of_a_graph() -> None:
    x = leaf()
    assert python_backwards(x * x, {}) == ()
    assert python_backwards(x, {}) == ()
    found = python_backwards(Scale.apply(Later.apply(x) + Scale.apply(x, 2.0), 3.0), {})
    assert [backward.function for backward in found] == [Scale, Later]


def test_what_a_function_defines() -> None:
    assert defines(Later, "setup_context")
    assert defines(Later, "vjp")
    assert not defines(Later, "backward")
    assert defines(Child, "backward")
    assert not defines(Child, "generate_vmap_rule")


def test_raw_results_are_seen() -> None:
    x = leaf()
    with watching([Scale, Later]) as watch:
        y = Scale.apply(Later.apply(x), 3.0)
        # another name of backward, and the cast that torch makes of float32
        torch.autograd.grad(y.sum(), x)
    later, scale = watch.calls
    assert (later.function, scale.function) == (Later, Scale)
    assert (later.needed, scale.needed) == ((True,), (True, False))
    assert scale.arguments[1] == 3.0
    [pull] = scale.pulls
    assert pull.results[0].dtype is torch.float32
    assert pull.results[1] is None
    assert [part.tolist() for part in later.pulls[0].results] == [[[6.0, -12.0, 18.0]]]


def test_a_backward_that_is_inherited_is_left_so() -> None:
    with watching([Child]):
        assert "backward" in vars(Child)
    assert "backward" not in vars(Child)
    assert "forward" not in vars(Child)
