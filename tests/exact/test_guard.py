"""The guard, the infinite inputs and the oracle: what may judge, and where it is asked."""

import math
import time
from typing import Any

import pytest
import sympy
import torch

from tests.wrong_ops import plant
from vjp_cli.exact.derivatives import exact_side
from vjp_cli.exact.guard import disagreement
from vjp_cli.exact.infinite import is_infinite
from vjp_cli.exact.limits import Tendency
from vjp_cli.exact.oracle import SlopeOracle
from vjp_cli.exact.side import answer
from vjp_cli.exact.tracing_program import Point, tracer_of
from vjp_cli.expression import parse
from vjp_cli.numbers.scalar import to_float
from vjp_cli.ops.table import Kind
from vjp_cli.program import Program
from vjp_cli.settings import Settings

FAR = 1e12


def point(*numbers: float, v: list[float] | None = None) -> Point:
    cotangent = None if v is None else torch.tensor(v, dtype=torch.float64)
    return Point({"x": torch.tensor(numbers, dtype=torch.float64)}, ("x",), cotangent)


def guard(expression: str, numbers: list[float], found: list[float] | None = None) -> str:
    """What the guard says of torch's output, or of other numbers in its place."""
    program, where = Program(parse(expression)), point(*numbers)
    trace = tracer_of(program, where)
    side = exact_side(trace, jacobian=True, deadline=FAR)
    output = program(where.inputs)
    if found is not None:
        output = torch.tensor(found, dtype=torch.float64)
    return disagreement(program, where, side, output)


@pytest.mark.parametrize(
    ("expression", "numbers"),
    [
        ("2*(x+2)**2", [1, 2, 3]),
        ("exp(x)*sin(x)", [0.5, -1]),
        # rounding and overflow hide the agreement at the point itself
        ("(1 + x) - 1", [1e-17]),
        ("exp(x)/exp(x)", [800]),
        ("norm(x)", [3e200, 4e200]),
        ("log(x)", [0, -1]),
        ("x[:0]", [1]),
        ("relu(x)", [0]),
    ],
)
def test_torch_agrees_with_the_tracer(expression: str, numbers: list[float]) -> None:
    assert guard(expression, numbers) == ""


@pytest.mark.parametrize(
    ("expression", "numbers", "found"),
    [("2*x", [1, 2], [2, 4.01]), ("exp(x)", [1, 2], [math.e, math.nan])],
)
def test_the_points_nearby_decide(
    expression: str, numbers: list[float], found: list[float]
) -> None:
    """A y that lost digits at the point alone: the program agrees nearby, so it may judge."""
    assert guard(expression, numbers, found) == ""


def test_a_plainly_other_number_needs_no_further_point() -> None:
    assert "(element 1)" in guard("2*x", [1, 2], [2, 4.1])


def test_another_function_is_never_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, "other", torch.cos, sympy.sin)
    assert "the tracer's y differs from torch's y (element 0)" in guard("other(x)", [1, 2])
    plant(monkeypatch, "nearly", lambda x: torch.sin(x) * (1 + 1e-6), sympy.sin)
    assert "(element 1)" in guard("cat([sin(x[:1]), nearly(x[1:])])", [1, 2])
    plant(monkeypatch, "same", torch.sin, sympy.sin)
    assert guard("same(x)", [1, 2]) == ""


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [([1, 2], False), ([1, math.inf], True), ([-math.inf], True), ([math.inf, math.nan], False)],
)
def test_is_infinite(numbers: list[float], expected: bool) -> None:
    assert is_infinite(point(*numbers)) is expected


def sides(slopes: Any) -> list[Any]:
    return [
        side.tendency if side.value is None else to_float(side.value)
        for side in (slopes.left, slopes.right)
    ]


@pytest.mark.parametrize(
    ("expression", "numbers", "position", "expected"),
    [
        ("tanh(x)", [math.inf], 0, [[0, 0]]),
        ("3*x", [-math.inf, 1], 0, [[3, 3], [0, 0]]),
        ("x*x", [math.inf], 0, [[Tendency.PLUS_INFINITY] * 2]),
        ("x[:1]*x[1:]", [math.inf, 2], 0, [[2, 2]]),
        ("logsumexp(x, 0)", [-math.inf, -math.inf], 0, [[Tendency.NONE] * 2]),
        ("logsumexp(x, 0)", [-math.inf, 0], 1, [[1, 1]]),
    ],
)
def test_infinite_inputs_are_limits(
    expression: str, numbers: list[float], position: int, expected: list[Any]
) -> None:
    oracle = SlopeOracle(Program(parse(expression)), point(*numbers), FAR)
    found = oracle.column("x", position)
    assert found is not None
    assert [sides(slopes) for slopes in found.rows] == expected


def test_the_oracle_remembers_and_keeps_to_its_time() -> None:
    oracle = SlopeOracle(Program(parse("abs(x)")), point(0, 1, v=[2, 3]), FAR)
    found = oracle.column("x", 0)
    assert found is oracle.column("x", 0)
    assert found is not None
    assert found.weighted is not None
    assert sides(found.weighted) == [-2, 2]
    late = SlopeOracle(Program(parse("abs(x)")), point(0), time.monotonic() - 1)
    assert late.column("x", 0) is None


@pytest.mark.parametrize(
    ("expression", "deadline", "reason"),
    [
        ("2*x", FAR, ""),
        ("2*x", 0.0, "timeout"),
        ("odd(x)", FAR, "the tracer cannot follow torch.frexp"),
    ],
)
def test_answers_have_reasons(
    expression: str, deadline: float, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, "odd", torch.sin, lambda x: torch.frexp(x)[0], Kind.COMPOSITE)
    program, where = Program(parse(expression)), point(1, 2)
    found = answer(program, where, program(where.inputs), Settings(), deadline)
    assert found.reason.startswith(reason)
    assert bool(found.reason) == bool(reason)
    assert (found.side is None) == bool(reason)
