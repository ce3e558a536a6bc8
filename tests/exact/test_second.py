"""The exact derivative of ⟨vᵀJ, w⟩, with numbers by hand."""

import time

import torch

from vjp_cli.exact.second import COTANGENT, second_order
from vjp_cli.exact.tracing_program import Point
from vjp_cli.expression import parse
from vjp_cli.numbers.scalar import to_float
from vjp_cli.program import Program


def tensor(values: object) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def test_a_cube() -> None:
    point = Point({"x": tensor([2.0, -1.0])}, ("x",), tensor([1.0, 3.0]))
    found = second_order(
        Program(parse("x**3")), point, {"x": tensor([5.0, 0.5])}, time.monotonic() + 20
    )
    # vᵀJ = 3·x²·v; by x: 6·x·v·w; by v: 3·x²·w
    assert [to_float(value) for value in found.first["x"]] == [12.0, 9.0]
    values = {n: [to_float(v) for v in m.values] for n, m in found.side.jacobian.items()}
    assert values == {"x": [60.0, -9.0], COTANGENT: [60.0, 1.5]}


def test_a_product_of_two_inputs() -> None:
    inputs = {"k": tensor([[1.0, 2.0, 3.0]]), "x": tensor([[1.0], [0.0], [-1.0]])}
    weights = {"k": tensor([[1.0, 10.0, 100.0]]), "x": tensor([[2.0], [3.0], [4.0]])}
    point = Point(inputs, ("k", "x"), tensor([[5.0]]))
    found = second_order(Program(parse("k @ x")), point, weights, time.monotonic() + 20)
    # y = k·x: ⟨vᵀJ, w⟩ = v·(x·w_k + k·w_x)
    values = {n: [to_float(v) for v in m.values] for n, m in found.side.jacobian.items()}
    assert values == {
        "k": [10.0, 15.0, 20.0],
        "x": [5.0, 50.0, 500.0],
        COTANGENT: [1.0 - 100.0 + 2.0 + 6.0 + 12.0],
    }
