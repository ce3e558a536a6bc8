"""Reverse accumulation: entries, sums of paths, doubts, and derivatives of derivatives."""

from collections.abc import Callable
from typing import Any

import numpy
import pytest
import torch
from flint import fmpq

from tests.tracing.helpers import doubts, floats, leaf
from vjp_cli.exact import reverse
from vjp_cli.exact.arrivals import Entries, ragged
from vjp_cli.numbers.scalar import exact, is_rational
from vjp_cli.tracing.tape import NodeKind, Tape


def entries(found: Entries) -> dict[tuple[int, int], float]:
    places = zip(found.rows.tolist(), found.positions.tolist(), strict=True)
    return dict(zip(places, floats(found.values), strict=True))


def jacobian(tape: Tape, output: Any, source: Any) -> dict[tuple[int, int], float]:
    return entries(reverse.jacobian(tape, output.node)[source.node])


@pytest.mark.parametrize(
    ("make", "numbers", "expected"),
    [
        (lambda x: 2 * (x + 2) ** 2, [1, 2], {(0, 0): 12, (1, 1): 16}),
        # two paths to the same element are one entry
        (lambda x: x * x, [3, 5], {(0, 0): 6, (1, 1): 10}),
        (lambda x: x + x + 3 * x, [1, 2], {(0, 0): 5, (1, 1): 5}),
        (lambda x: x[[0, 0, 1]], [1, 2], {(0, 0): 1, (1, 0): 1, (2, 1): 1}),
        (lambda x: torch.sum(x * x), [2, 3, 4], {(0, 0): 4, (0, 1): 6, (0, 2): 8}),
        (lambda x: x[:0], [1, 2], None),
        (lambda x: torch.nn.functional.pad(x, (1, 0)), [1, 2], {(1, 0): 1, (2, 1): 1}),
        (
            lambda x: torch.tensor([[1.0, 2], [3, 4], [5, 6]], dtype=torch.float64) @ x,
            [1, 1],
            {(0, 0): 1, (0, 1): 2, (1, 0): 3, (1, 1): 4, (2, 0): 5, (2, 1): 6},
        ),
        (lambda x: torch.outer(x, x)[0], [2, 3], {(0, 0): 4, (1, 0): 3, (1, 1): 2}),
    ],
)
def test_jacobian(
    make: Callable[[Any], Any], numbers: list[float], expected: dict[tuple[int, int], float] | None
) -> None:
    tape = Tape(200)
    x = leaf(tape, "x", numbers)
    found = reverse.jacobian(tape, make(x).node)
    assert (entries(found[x.node]) if found else None) == expected


def test_entries_are_in_the_order_of_row_and_column() -> None:
    tape = Tape(200)
    x = leaf(tape, "x", [1, 2, 3])
    found = reverse.jacobian(tape, (torch.flip(x, [0]) * x).node)[x.node]
    flat = (found.rows * 3 + found.positions).tolist()
    assert flat == sorted(set(flat)) == [0, 2, 4, 6, 8]
    assert floats(found.values) == [3, 1, 4, 3, 1]


def test_exact_zeros_are_rationals() -> None:
    tape = Tape(200)
    x = leaf(tape, "x", [2, 0, 3])
    found = reverse.jacobian(tape, torch.prod(x).node)[x.node]
    values = found.values.values.tolist()
    assert values == [0, 6, 0]
    assert all(is_rational(value) for value in values)


def test_what_no_path_reaches_is_not_there() -> None:
    tape = Tape(200)
    x, y = leaf(tape, "x", [1, 2]), leaf(tape, "y", [3, 4])
    inert = leaf(tape, "z", [5, 6])
    inert.node.active = False
    found = reverse.jacobian(tape, (x * inert).node)
    assert set(found) == {x.node}
    assert y.node not in found


def test_product_is_the_weighted_row() -> None:
    tape = Tape(200)
    x = leaf(tape, "x", [3, 4])
    y = torch.outer(x, x)
    v = tape.leaf("v", (2, 2), "float64", [exact(number) for number in (1, 10, 100, 0)])
    found = reverse.product(tape, y.node, v)[x.node]
    # x0² + 110·x0·x1
    assert entries(found) == {(0, 0): 6 + 440, (0, 1): 330}


def test_an_output_without_weight_contributes_nothing() -> None:
    tape = Tape(200)
    x = leaf(tape, "x", [0, 4])
    v = tape.leaf("v", (2,), "float64", [exact(0), exact(2)])
    found = reverse.product(tape, torch.sqrt(x).node, v)[x.node]
    assert entries(found) == {(0, 1): 0.5}
    assert doubts(tape) == []


@pytest.mark.parametrize(
    ("make", "numbers", "positions"),
    [
        (torch.sqrt, [4, 0, 9], [1]),
        (torch.log, [0, 1], [0]),
        (torch.reciprocal, [0, 1, 0], [0, 2]),
        (lambda x: x**0.25, [0, 1], [0]),
    ],
)
def test_singular_points_are_in_doubt(
    make: Callable[[Any], Any], numbers: list[float], positions: list[int]
) -> None:
    tape = Tape(200)
    x = leaf(tape, "x", numbers)
    reverse.jacobian(tape, make(x).node)
    assert doubts(tape) == [(positions, "the local derivative is not finite")]
    assert tape.doubts[0].node is not x.node


def test_a_second_pass_over_the_first_is_the_hessian() -> None:
    """f = x0²·x1³: ∇f = (2·x0·x1³, 3·x0²·x1²), at (3, 2)."""
    tape = Tape(200)
    x = leaf(tape, "x", [3, 2])
    first = reverse.jacobian(tape, (x[0] ** 2 * x[1] ** 3).node)[x.node]
    assert floats(first.values) == [48, 108]
    assert entries(reverse.jacobian(tape, first.values)[x.node]) == {
        (0, 0): 16,
        (0, 1): 72,
        (1, 0): 72,
        (1, 1): 108,
    }


def test_the_third_pass_too() -> None:
    tape = Tape(200)
    x = leaf(tape, "x", [2])
    node = (x**5).node
    values = []
    for _ in range(3):
        node = reverse.jacobian(tape, node)[x.node].values
        values.extend(floats(node))
    assert values == [80, 160, 240]


def test_the_place_of_a_derivative_is_that_of_its_operation() -> None:
    tape = Tape(200)
    x = leaf(tape, "x", [2])
    tape.place = "there"  # type: ignore[assignment]
    y = torch.sin(x)
    tape.place = None
    found = reverse.jacobian(tape, y.node)[x.node]
    assert found.values.place == "there"
    assert tape.place is None


def test_opaque_nodes_leave_everything_in_doubt() -> None:
    tape = Tape(200)
    x = leaf(tape, "x", [2, 3])
    values = numpy.array([fmpq(5)], dtype=object)
    node = tape.opaque([x.node], values, lambda _: values, (1,), "float64")
    found = reverse.jacobian(tape, node)[x.node]
    assert node.kind is NodeKind.OPAQUE
    assert (found.rows.tolist(), found.positions.tolist()) == ([0, 0], [0, 1])
    assert all(value.is_nan() for value in found.values.values.tolist())
    assert doubts(tape) == [([0], "evaluated without a formula")]


@pytest.mark.parametrize(
    ("group", "count", "index"),
    [
        ([0, 1, 0], 2, [[1, 3], [2, 0]]),
        ([1, 1, 1], 2, [[0, 0, 0], [1, 2, 3]]),
        ([], 0, []),
    ],
)
def test_ragged(group: list[int], count: int, index: list[list[int]]) -> None:
    assert ragged(numpy.array(group, dtype=int), count).tolist() == index
