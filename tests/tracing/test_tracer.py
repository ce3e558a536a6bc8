"""Tracers in the role of tensors: every way in which torch is called reaches a rule."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.tracing.helpers import floats, leaf
from vjp_cli.tracing.registry import row, torch_function
from vjp_cli.tracing.tape import NodeKind, Tape
from vjp_cli.tracing.tracer import Tracer, Untraceable

X = [1.5, -2.0, 0.25, 3.0, 4.0, -5.0]
T = torch.tensor([[2.0], [3.0]], dtype=torch.float64)
CALLS: list[Callable[[Any], Any]] = [
    lambda x: x + T,
    lambda x: T + x,
    lambda x: torch.add(T, x),
    lambda x: torch.add(T, x, alpha=3),
    lambda x: 2 - x,
    lambda x: T - x,
    lambda x: T.sub(x),
    lambda x: torch.rsub(x, 3),
    lambda x: x / 4,
    lambda x: 4 / x,
    lambda x: T / x,
    lambda x: T * x * T,
    lambda x: x**2,
    lambda x: x**-1.0,
    lambda x: 2**x,
    lambda x: T**x,
    lambda x: x @ T.new_ones(3, 1),
    lambda x: T.T @ x,
    lambda x: T.T.matmul(x),
    lambda x: -x,
    lambda x: +x,
    lambda x: abs(x),
    lambda x: x // 2,
    lambda x: x % 2,
    lambda x: T % x,
    lambda x: x.exp().sum(0),
    lambda x: x.T,
    lambda x: x.mT,
    lambda x: x.mH,
    lambda x: x.H,
    lambda x: T.type_as(x) * x,
    lambda x: x.type_as(T.float()),
    lambda x: x.new_tensor([1.0, 2.0, 3.0]) * x,
    lambda x: x.new_empty(3).fill_(2.0) * x,
    lambda x: x.cpu().contiguous(),
    lambda x: x.requires_grad_(),
    lambda x: x.squeeze_().t_(),
    lambda x: x.reshape(3, 2)[1:],
    lambda x: x[:, [2, 0]],
    lambda x: x[x > 0],
    lambda x: x[..., None],
    lambda x: torch.where(x > 0, x, 7),
    lambda x: torch.where(x > 0, 7, x * 2),
    lambda x: torch.stack(list(x)),
    lambda x: x.double(),
    lambda x: x.to(torch.float64),
    lambda x: x.data * 2,
    lambda x: x.max(1).values,
    lambda x: torch.cat([x, T], 1),
    lambda x: torch.nn.functional.relu(x, inplace=False),
]


@pytest.mark.parametrize("call", CALLS)
def test_the_same_as_torch(call: Callable[[Any], Any]) -> None:
    traced = call(leaf(Tape(200), "x", X, (2, 3)))
    real = call(torch.tensor(X, dtype=torch.float64).reshape(2, 3))
    assert tuple(traced.shape) == tuple(real.shape)
    assert traced.dtype == real.dtype
    assert floats(traced) == pytest.approx(real.reshape(-1).tolist(), rel=1e-14, abs=0)


def test_what_a_tensor_is_asked_for() -> None:
    x = leaf(Tape(100), "x", X, (2, 3), "float32")
    assert x.shape == torch.Size([2, 3])
    assert (x.size(), x.size(1), x.size(-1), x.dim(), x.ndim, x.numel()) == ((2, 3), 3, 3, 2, 2, 6)
    assert (x.dtype, x.device, len(x)) == (torch.float32, torch.device("cpu"), 2)
    assert (x.requires_grad, x.is_floating_point(), x.is_complex()) == (True, True, False)
    assert [part.shape for part in x] == [(3,), (3,)]
    assert (x.stride(), x.stride(0), x.is_contiguous(), x.layout) == (
        (3, 1),
        3,
        True,
        torch.strided,
    )
    assert (x.itemsize, x.element_size(), x.get_device(), x.is_cuda) == (4, 4, -1, False)
    assert (x.is_leaf, (x * 2).is_leaf, x.detach().is_leaf) == (True, False, True)
    assert (x * 2).requires_grad
    assert not (x.detach() * 2).requires_grad
    assert x.is_same_size(torch.ones(2, 3))
    assert (torch.numel(x), torch.is_floating_point(x), torch.is_complex(x)) == (6, True, False)
    with pytest.raises(TypeError):
        len(leaf(Tape(100), "s", [1], ()))


@pytest.mark.parametrize("name", ["no_such_method", "__dlpack__", "names"])
def test_what_it_does_not_have(name: str) -> None:
    with pytest.raises(AttributeError):
        getattr(leaf(Tape(100), "x", X), name)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: torch.bucketize(x, x),
        lambda x: torch.unique(x),
        lambda x: torch.exp(x, out=torch.zeros(6)),
        lambda x: torch.frexp(x),
    ],
)
def test_what_cannot_be_followed_is_named(call: Callable[[Any], Any]) -> None:
    with pytest.raises(Untraceable):
        call(leaf(Tape(100), "x", X))


def test_a_constant_exponent_belongs_to_the_formula() -> None:
    x = leaf(Tape(200), "x", [0.0, -2.0])
    square = x ** torch.tensor([2.0, 2.0])
    assert len(square.node.parents) == 1
    assert floats(square) == [0, 4]
    assert len((x**0.3).node.parents) == 2
    assert math.isnan(floats(x**0.5)[1])
    mixed = x ** torch.tensor([1.0, 2.0], dtype=torch.float64)
    assert floats(mixed) == [0, 4]


def test_detach_goes_on_unless_the_tape_is_frozen() -> None:
    going, frozen = Tape(100), Tape(100, frozen=True)
    assert leaf(going, "x", X).detach().node.active
    cut = leaf(frozen, "x", X).detach()
    assert not cut.node.active
    assert floats(cut) == X
    for tape in (going, frozen):
        [departure] = tape.departures
        assert "detach" in departure


def test_casts() -> None:
    x = leaf(Tape(100), "x", [1.75, -1.75])
    assert x.float().dtype == torch.float32
    assert x.double() is x
    assert x.long().tolist() == [1, -1]
    assert x.to(torch.bool).tolist() == [True, True]
    assert x.to(x.float()).dtype == torch.float32


def test_factories_are_exact_from_there_on() -> None:
    x = leaf(Tape(100), "x", X, (2, 3), "float32")
    made = torch.ones_like(x)
    assert isinstance(made, Tracer)
    assert (made.node.kind, made.dtype, made.node.active) == (
        NodeKind.CONSTANT,
        torch.float32,
        False,
    )


@pytest.mark.parametrize(
    ("function", "name", "swapped"),
    [
        (torch.exp, "exp", False),
        (torch.Tensor.exp, "exp", False),
        (torch.Tensor.__rsub__, "sub", True),
        (torch.Tensor.__pow__, "pow", False),
        (torch.nn.functional.softmax, "softmax", False),
        (torch.linalg.norm, "linalg.norm", False),
        (torch.norm, "norm", False),
        (torch.special.expit, "sigmoid", False),
    ],
)
def test_functions_find_their_rows(function: Any, name: str, swapped: bool) -> None:
    found = row(function)
    assert found is not None
    assert (found[0].name, found[1]) == (name, swapped)


def test_a_function_without_a_row() -> None:
    assert row(torch.frexp) is None
    found = row(torch.softmax)
    assert found is not None
    assert callable(torch_function(found[0]))
