"""Chains of functions, by their lines; the numbers are worked out by hand."""

from math import exp, isnan

import pytest
import torch

from tests.chain import functions
from tests.chain.helpers import chain_of, diagonal, equations, local, step


def sources(chain):
    return {each.name: each.source.partition(": ")[2] for each in chain.steps}


def test_lines_are_the_steps():
    x, w = torch.tensor([1.0, 2.0]), torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    chain = chain_of(functions.two_paths, {"x": x, "w": w}, wrt=("x",))
    assert sources(chain) == {
        "y": "return (a * b).sum()",
        "b": "b = torch.mul(h, 3)",
        "a": "a = h * h",
        "h": "h = w @ x",
        "x": "",
    }
    first = functions.two_paths.__code__.co_firstlineno
    assert step(chain, "h").source.startswith(f"functions.py line {first + 1}: ")
    assert step(chain, "b").source.startswith(f"functions.py line {first + 3}: ")


def test_numbers_and_formulas_of_lines():
    x, w = torch.tensor([1.0, 2.0]), torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    chain = chain_of(functions.two_paths, {"x": x, "w": w}, wrt=("x",))
    # h = 1, 2, 3; y = Σ 3·h³
    assert local(chain, "a", "h").jacobian.nested() == diagonal(2.0, 4.0, 6.0)
    assert equations(local(chain, "a", "h")) == ["da[i]/dh[i] = 2*h[i]"]
    assert local(chain, "a", "h").handed.nested() == [6.0, 24.0, 54.0]
    assert local(chain, "b", "h").handed.nested() == [3.0, 12.0, 27.0]
    assert step(chain, "h").cotangent.nested() == [9.0, 36.0, 81.0]
    assert local(chain, "h", "x").jacobian.nested() == w.tolist()
    assert step(chain, "x").cotangent.nested() == [90.0, 117.0]
    assert chain.identity[0].agrees


def test_custom_function_is_one_step_and_on_trial():
    chain = chain_of(functions.cube, {"x": torch.tensor([1.0, 2.0])})
    assert [each.name for each in chain.steps] == ["y", "b", "a", "x"]
    found = local(chain, "b", "a")
    # 2·a² at 2 and 3 in place of 3·a²
    assert found.jacobian.nested() == diagonal(8.0, 18.0)
    assert found.truth.nested() == diagonal(12.0, 27.0)
    assert found.agrees is False
    assert equations(found) == ["db[i]/da[i] = 3*a[i]**2"]
    assert local(chain, "a", "x").agrees
    [row] = chain.identity
    assert row.product.nested() == row.jacobian.nested() == [8.0, 18.0]
    assert row.truth.nested() == [12.0, 27.0]


def test_backward_that_raises():
    chain = chain_of(functions.raising, {"x": torch.tensor([1.0, 3.0])}, [1.0, 1.0])
    assert local(chain, "b", "a").jacobian is None
    assert local(chain, "b", "a").truth.nested() == diagonal(2.0, 2.0)
    assert local(chain, "a", "x").jacobian.nested() == diagonal(2.0, 6.0)
    assert "the backward pass of b raised: not today" in chain.notes
    assert chain.identity[0].product is None


def test_every_execution_of_a_line_is_a_step():
    chain = chain_of(functions.loop, {"x": torch.tensor([0.5])}, [1.0])
    # 2·x² at ½ is ½ again, with the slope 4·½ = 2
    assert [each.name for each in chain.steps] == ["y", "x#3", "x#2", "x"]
    assert [each.product.nested() for each in chain.steps] == [[[1.0]], [[2.0]], [[4.0]], [[8.0]]]


def test_writes_in_place():
    chain = chain_of(functions.writes, {"x": torch.tensor([0.5, 3.0])}, [1.0, 10.0, 100.0])
    assert list(sources(chain).values()) == [
        "return out + 1",
        "out.mul_(10)",
        "out[1] = x[1] * (out[0] + 1)",
        "out[0] = x[0] * 2",
        "",
    ]
    assert [each.value.nested() for each in chain.steps[:4]] == [
        [11.0, 61.0, 1.0],
        [10.0, 60.0, 0.0],
        [1.0, 6.0, 0.0],
        [1.0, 0.0, 0.0],
    ]
    # y = 20·x0 + 1, 10·x1·(2·x0 + 1) + 1, 1
    assert chain.identity[0].product.nested() == [[20.0, 0.0], [60.0, 20.0], [0.0, 0.0]]
    assert chain.identity[0].agrees


def test_nan_enters_at_its_line():
    chain = chain_of(functions.masked, {"x": torch.tensor([-1.0, 4.0])}, [1.0, 1.0])
    assert {each.name: [m.kind for m in each.marks] for each in chain.steps if each.marks} == {
        "r": ["nan", "nan"]
    }
    assert isnan(step(chain, "x").cotangent.nested()[0])


def test_the_calls_of_a_single_line():
    chain = chain_of(functions.one_line, {"x": torch.tensor([0.0, 1.0], dtype=torch.float64)})
    first = functions.one_line.__code__.co_firstlineno
    assert [(each.name, each.source) for each in chain.steps] == [
        ("y", f"functions.py line {first + 1}: sum"),
        ("t2", f"functions.py line {first + 1}: exp"),
        ("t1", f"functions.py line {first + 1}: mul"),
        ("x", ""),
    ]
    assert local(chain, "t2", "t1").jacobian.nested() == diagonal(1.0, pytest.approx(exp(2)))
    assert equations(local(chain, "t2", "t1")) == ["dt2[i]/dt1[i] = exp(t1[i])"]


def test_a_single_call_has_the_text_of_its_line():
    chain = chain_of(functions.one_call, {"x": torch.tensor([3.0])}, [1.0])
    assert sources(chain) == {"y": "return Cube.apply(x)", "x": ""}
    assert local(chain, "y", "x").jacobian.nested() == [[18.0]]
    assert local(chain, "y", "x").truth.nested() == [[27.0]]


def test_lines_of_a_helper():
    chain = chain_of(functions.helped, {"x": torch.tensor([1.0, 2.0])}, [1.0, 1.0])
    # a = 2, 5; b = 5, 26; y = 2·((x² + 1)² + 1), so 8·x·(x² + 1)
    assert list(sources(chain).values())[:3] == ["return b * 2", "return q + 1", "q = z * z"]
    assert chain.identity[0].product.nested() == diagonal(16.0, 80.0)
    assert all(part.agrees for each in chain.steps for part in each.local.values())


def test_a_module():
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.nn.Parameter(torch.tensor([2.0, 3.0]))

        def forward(self, x):
            h = self.scale * x
            return h.sum()

    chain = chain_of(Layer(), {"x": torch.tensor([1.0, 10.0])})
    assert local(chain, "h", "scale").jacobian.nested() == diagonal(1.0, 10.0)
    assert step(chain, "scale").cotangent.nested() == [1.0, 10.0]
    assert step(chain, "x").cotangent.nested() == [2.0, 3.0]


def test_a_hook_belongs_to_the_step_it_hangs_on():
    chain = chain_of(functions.with_a_hook, {"x": torch.tensor([1.0])}, [1.0])
    # h = 2·x, but what comes back through it is made ten times as large
    assert local(chain, "h", "x").jacobian.nested() == [[20.0]]
    assert chain.identity[0].product.nested() == [[80.0]]
    assert chain.identity[0].agrees
