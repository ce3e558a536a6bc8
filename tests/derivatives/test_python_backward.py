"""Custom Functions are found in torch's graph, with the arguments that an input comes in by."""

from pathlib import Path

import torch
from torch.autograd.function import once_differentiable

from vjp_cli.derivatives.python_backward import python_backwards

FILE = Path(__file__)
LINES = FILE.read_text().splitlines()


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, n, x, w, label):
        return n * x * w

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        return None, g, g, None


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return 2 * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def vjp(ctx, g):
        return 2 * g


def leaves(*names: str) -> dict[str, torch.Tensor]:
    return {name: torch.ones(3, requires_grad=True) for name in names}


def test_a_graph_of_torch_alone_has_none() -> None:
    given = leaves("x")
    assert python_backwards((given["x"] * 2).sum(), given) == ()
    assert python_backwards(torch.ones(2), given) == ()


def test_the_place_of_a_backward_and_the_arguments_of_each_input() -> None:
    given = leaves("a", "b", "c")
    # a comes in as the second argument, b as the third, c beside the Function
    y = Scale.apply(3, given["a"] + 1, given["b"], "label").exp() * given["c"]
    [found] = python_backwards(y, given)
    assert (found.name, found.file) == ("Scale", str(FILE))
    # the decorators belong to it
    assert LINES[found.line - 1] == "    @staticmethod"
    assert found.arguments == {"a": (1,), "b": (2,)}


def test_constants_are_no_arguments_of_an_input() -> None:
    given = leaves("b")
    [found] = python_backwards(Scale.apply(3, torch.ones(3), given["b"], None), given)
    assert found.arguments == {"b": (2,)}


def test_one_function_called_twice_is_one() -> None:
    given = leaves("a", "b")
    y = Scale.apply(1, given["a"], given["b"], "") + Scale.apply(1, given["b"], given["b"], "")
    [found] = python_backwards(y, given)
    assert found.arguments == {"a": (1,), "b": (1, 2)}


def test_several_functions_and_the_name_vjp() -> None:
    given = leaves("a", "b")
    found = python_backwards(Twice.apply(Scale.apply(1, given["a"], given["b"], "")), given)
    assert [each.name for each in found] == ["Twice", "Scale"]
    assert LINES[found[0].line].strip() == "def vjp(ctx, g):"
    assert found[0].arguments == {}
