"""Numbers of large nodes: in full, at some elements, near, and rounded all tell the same."""

import numpy
import pytest
import torch

from vjp_cli.exact.derivatives import differentiate
from vjp_cli.exact.tracing_program import Point, tracer_of
from vjp_cli.expression import parse
from vjp_cli.numbers.scalar import Number, ball, exact, is_finite, precision, to_float
from vjp_cli.program import Program
from vjp_cli.settings import LIMITS
from vjp_cli.tracing.node import Node, OutOfTime
from vjp_cli.tracing.rounded import Rounded
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer

N = LIMITS.waiting_elements + 37

EXPRESSIONS = [
    "sin(x)*exp(-x**2) + sigmoid(x)",
    "x[1:-1]*(1 - x[1:-1]) + 0.1*(x[2:] - 2*x[1:-1] + x[:-2])",
    "relu(x) + where(x > 0.25, x**3, abs(x))",
    "softmax(x, 0)*x.flip(0)",
    "cat((x.reshape(-1, 3).sum(1), erf(x)))",
    "cumsum(x, 0)/norm(x)",
    "(x.reshape(-1, 3) @ [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).reshape(-1)",
    "exp(detach(x))*x + lgamma(x + 3)",
]


def node(expression: str, *, deadline: float | None = None) -> tuple[Node, Node]:
    """y, and vᵀJ for an uneven v, on a tape of their own."""
    size = N - N % 3
    x = torch.linspace(-1, 1, size, dtype=torch.float64)
    program = Program(parse(expression))
    count = program({"x": x}).numel()
    v = torch.linspace(1, 2, count, dtype=torch.float64)
    traced = tracer_of(program, Point({"x": x}, ("x",), v))(Tape(160, deadline=deadline))
    side = differentiate(traced, jacobian=False)
    assert side.vjp is not None
    found = side.vjp["x"].node
    assert found is not None
    return traced.output, found


def same(left: Number, right: Number) -> bool:
    """Whether two certain numbers are one."""
    return bool(ball(left).overlaps(ball(right)))


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_some_elements_are_those_of_the_whole(expression: str) -> None:
    for part, whole in zip(node(expression), node(expression), strict=True):
        assert part.waits
        positions = numpy.array([0, 7, part.size // 2, part.size - 1, 7])
        some = part.at(positions)
        assert part.waits
        assert sorted(some) == sorted({*positions.tolist()})
        everything = whole.values
        assert not whole.waits
        assert all(same(number, everything[k]) for k, number in some.items())
        assert all(is_finite(number) for number in some.values())


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_near_numbers_hold_the_exact_ones(expression: str) -> None:
    for each in node(expression):
        near = each.near
        assert each.waits or "erf" in expression or "lgamma" in expression
        truth = each.values
        for k in range(each.size):
            with precision(200):
                distance = abs(to_float(truth[k] - _exactly(near.value[k])))
            assert distance <= float(near.error[k]) * (1 + 1e-9) + 1e-300, k
        assert float(near.error.max()) < 1e-12


def _exactly(value: numpy.longdouble) -> Number:
    high = float(value)
    return exact(high) + exact(float(value - numpy.longdouble(high)))


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_rounded_elements_have_the_radii_of_the_whole(expression: str) -> None:
    for each in node(expression):
        positions = numpy.array([3, each.size - 1])
        some = Rounded().at(each, positions)
        everything = Rounded().values(each)
        for k in positions.tolist():
            assert to_float(some[k].rad()) == to_float(everything[k].rad())


def test_a_leaf_with_one_element_moved() -> None:
    tape = Tape(160)
    leaf = tape.leaf("x", (N,), "float64", numpy.linspace(0, 1, N))
    assert leaf.waits
    leaf.near  # noqa: B018
    leaf.move(5, leaf.at(numpy.array([5]))[5] + 1)
    assert leaf.waits
    assert float(leaf.near.value[5]) == pytest.approx(1 + 5 / (N - 1))
    assert to_float(leaf.at(numpy.array([5, 6]))[5]) == pytest.approx(1 + 5 / (N - 1))
    assert to_float(leaf.values[5]) == pytest.approx(1 + 5 / (N - 1))
    assert to_float(leaf.values[6]) == pytest.approx(6 / (N - 1))


def test_ties_of_a_large_comparison_are_found_exactly() -> None:
    tape = Tape(160)
    numbers = numpy.linspace(1, 2, N)
    numbers[17] = 0.0
    leaf = tape.leaf("x", (N,), "float64", numbers)
    leaf.active = True
    mask = Tracer(tape, leaf) > 0
    assert mask.sum().item() == N - 1
    assert not mask[17]
    assert [doubt.positions.tolist() for doubt in tape.doubts] == [[17]]
    assert leaf.waits


def test_a_deadline_ends_work_that_waited() -> None:
    _, vjp = node("sin(x)", deadline=1e12)
    assert isinstance(vjp.numbers, Tape)
    vjp.numbers.deadline = 0.0
    for ask in (lambda: vjp.values, lambda: vjp.near, lambda: vjp.at(numpy.array([1]))):
        with pytest.raises(OutOfTime):
            ask()
    with pytest.raises(OutOfTime):
        Rounded().values(vjp)
