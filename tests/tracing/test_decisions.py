"""Comparisons, orderings and roundings: exact, repeatable, with their ties noted."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from flint import arb, fmpq

from tests.tracing.helpers import doubts, floats, leaf
from vjp_cli.numbers.scalar import exact
from vjp_cli.tracing.decisions import order
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer

NAN = math.nan


def test_masks_are_real_tensors() -> None:
    tape = Tape(100)
    x = leaf(tape, "x", [1, 2, 3])
    mask = x > 1.5
    assert isinstance(mask, torch.Tensor)
    assert mask.tolist() == [False, True, True]
    assert (mask & ~(x >= 2.5)).tolist() == [False, True, False]
    assert doubts(tape) == []


def test_a_tie_is_noted_at_its_element() -> None:
    tape = Tape(100)
    x = leaf(tape, "x", [1, 2, 3])
    y = leaf(tape, "y", [3, 2], (2, 1))
    assert (x <= y).tolist() == [[True, True, True], [True, True, False]]
    assert doubts(tape) == [([1, 2], "a comparison is tied"), ([0, 1], "a comparison is tied")]


def test_a_constant_has_no_tie() -> None:
    tape = Tape(100)
    inert = leaf(tape, "x", [1, 2])
    inert.node.active = False
    assert (inert == 1).tolist() == [True, False]
    assert doubts(tape) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [("lt", False), ("le", False), ("gt", False), ("ge", False), ("eq", False), ("ne", True)],
)
def test_nan_compares_false(name: str, expected: bool) -> None:
    tape = Tape(100)
    x = leaf(tape, "x", [NAN])
    assert getattr(torch, name)(x, 0.0).tolist() == [expected]
    assert getattr(torch, name)(torch.tensor([NAN]), 0.0).tolist() == [expected]
    assert doubts(tape) == []


def test_one_argument_tests() -> None:
    x = leaf(Tape(100), "x", [1, NAN, math.inf, -math.inf])
    assert torch.isnan(x).tolist() == [False, True, False, False]
    assert torch.isinf(x).tolist() == [False, False, True, True]
    assert torch.isfinite(x).tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (fmpq(1), fmpq(2), (-1, False)),
        (fmpq(1), fmpq(1), (0, True)),
        # undecided: the midpoints decide, and it counts as a tie
        (arb(1, 0.5), arb(1.25, 0.5), (-1, True)),
        (arb(1, 0.5), fmpq(1), (0, True)),
        (arb("nan"), fmpq(1), (None, False)),
    ],
)
def test_order(left: object, right: object, expected: object) -> None:
    assert order(left, right) == expected


Make = Callable[[Any], Any]


@pytest.mark.parametrize(
    ("make", "numbers", "result", "tied"),
    [
        (lambda x: torch.argsort(x), [3, 1, 2], [1, 2, 0], []),
        (lambda x: torch.argsort(x, descending=True), [3, 1, 2], [0, 2, 1], []),
        (lambda x: torch.argsort(x), [2, 1, 2, 0], [3, 1, 0, 2], [0, 2]),
        (lambda x: torch.argsort(x), [NAN, 1, math.inf], [1, 2, 0], []),
        (lambda x: torch.argmax(x), [1, 3, 2], 1, []),
        (lambda x: torch.argmax(x), [3, 1, 3], 0, [0, 2]),
        (lambda x: torch.argmax(x), [3, 3, 4], 2, []),
        (lambda x: torch.argmin(x), [2, 1, 1, 5], 1, [1, 2]),
        (lambda x: torch.argmax(x), [5, NAN, 7], 1, []),
        (lambda x: torch.argmin(x, 0, True), [5, 4], [1], []),
    ],
)
def test_orderings(make: Make, numbers: list[float], result: object, tied: list[int]) -> None:
    tape = Tape(100)
    assert make(leaf(tape, "x", numbers)).tolist() == result
    assert [k for positions, _ in doubts(tape) for k in positions] == tied
    # torch itself puts them so, where there is no tie
    if not tied:
        assert make(torch.tensor(numbers, dtype=torch.float64)).tolist() == result


def test_orderings_along_an_axis() -> None:
    x = leaf(Tape(100), "x", [1, 5, 3, 4, 2, 6], (2, 3))
    assert torch.argmax(x, 1).tolist() == [1, 2]
    assert torch.argmax(x, dim=0, keepdim=True).tolist() == [[1, 0, 1]]
    assert torch.argsort(x, 0).tolist() == [[0, 1, 0], [1, 0, 1]]
    assert torch.argmax(x).tolist() == 5


def test_an_empty_line_has_no_maximum() -> None:
    with pytest.raises(IndexError):
        torch.argmax(leaf(Tape(100), "x", []))


@pytest.mark.parametrize(
    ("name", "numbers", "levels", "tied"),
    [
        ("floor", [1.5, -1.5, 2, 0], [1, -2, 2, 0], [2, 3]),
        ("ceil", [1.5, -1.5, 2], [2, -1, 2], [2]),
        ("trunc", [1.5, -1.5, 0, -2], [1, -1, 0, -2], [3]),
        ("sign", [1.5, -1.5, 0], [1, -1, 0], [2]),
        ("floor", [math.inf, 1e300], [math.inf, 1e300], [1]),
    ],
)
def test_steps(name: str, numbers: list[float], levels: list[float], tied: list[int]) -> None:
    tape = Tape(100)
    result = getattr(torch, name)(leaf(tape, "x", numbers))
    assert floats(result) == levels
    assert not result.node.active
    assert doubts(tape) == ([(tied, f"{name} jumps here")] if tied else [])


def test_a_step_of_a_ball_near_a_jump_is_in_doubt() -> None:
    tape = Tape(100)
    node = tape.leaf("x", (3,), "float64", [arb(1.25, 0.125), arb(2, "1e-20"), arb(-0.25, 0.125)])
    node.active = True
    assert floats(torch.floor(Tracer(tape, node))) == [1, 2, -1]
    assert [positions for positions, _ in doubts(tape)] == [[1]]


def test_exact_comparison_sees_below_the_float_grid() -> None:
    tape = Tape(100)
    node = tape.leaf("x", (1,), "float64", [exact(1.0) + fmpq(1, 2**1200)])
    node.active = True
    assert (Tracer(tape, node) > 1.0).tolist() == [True]
    assert doubts(tape) == []
