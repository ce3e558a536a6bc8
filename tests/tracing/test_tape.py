"""The tape: nodes with exact values, at the precision asked for."""

import time

import numpy
import pytest
from flint import arb, fmpq

from vjp_cli.numbers.formula import formula, slots
from vjp_cli.numbers.scalar import exact, is_rational, to_float
from vjp_cli.tracing.rounded import Rounded
from vjp_cli.tracing.tape import NodeKind, OutOfTime, Tape

HERE = numpy.array([0, 1])


def test_moves_count_from_one_over_all_parents_and_zero_is_zero() -> None:
    tape = Tape(100)
    first = tape.leaf("a", (2,), "float64", [fmpq(5), fmpq(6)])
    second = tape.leaf("b", (1,), "float64", [fmpq(7)])
    moved = tape.move([first, second], numpy.array([3, 0, 1, 1]), (2, 2), "float64")
    assert moved.values.tolist() == [7, 0, 5, 5]
    assert (moved.kind, moved.shape, moved.size) == (NodeKind.MOVE, (2, 2), 4)


def test_sums_of_unequal_length_are_padded() -> None:
    tape = Tape(100)
    parent = tape.leaf("a", (3,), "float64", [fmpq(1), fmpq(10), fmpq(100)])
    total = tape.sum([parent], numpy.array([[1, 2, 3], [3, 0, 0]]), (2,), "float64")
    assert total.values.tolist() == [111, 100]
    nothing = tape.sum([parent], numpy.zeros((2, 0), dtype=int), (2,), "float64")
    assert nothing.values.tolist() == [0, 0]


def test_products() -> None:
    tape = Tape(100)
    left = tape.leaf("a", (2,), "float64", [fmpq(2), fmpq(3)])
    right = tape.leaf("b", (2,), "float64", [fmpq(5), fmpq(7)])
    maps = (numpy.array([[0, 1], [1, 1]]), numpy.array([[0, 1], [0, 1]]))
    node = tape.product(left, right, maps, (2,), "float64")
    assert node.values.tolist() == [2 * 5 + 3 * 7, 3 * 5 + 3 * 7]


def test_elementwise_with_broadcast_maps() -> None:
    tape = Tape(100)
    column = tape.leaf("a", (2,), "float64", [fmpq(2), fmpq(3)])
    scalar = tape.leaf("s", (), "float64", [fmpq(1, 3)])
    p, q = slots(2)
    rule = formula(p / q, 2)
    node = tape.elementwise(rule, [column, scalar], [HERE, HERE * 0], (2,), "float64")
    assert node.values.tolist() == [6, 9]


def test_an_exact_zero_of_the_cotangent_wins() -> None:
    tape = Tape(100)
    cotangent = tape.constant((2,), "float64", [fmpq(0), fmpq(2)])
    local = tape.constant((2,), "float64", [arb("nan"), fmpq(1, 2)])
    assert tape.scaled(cotangent, local, (HERE, HERE)).values.tolist() == [0, 1]


def test_activity_comes_from_the_parents() -> None:
    tape = Tape(100)
    inert = tape.constant((1,), "float64", [fmpq(1)])
    active = tape.leaf("x", (1,), "float64", [fmpq(1)])
    active.active = True
    index = numpy.array([1])
    assert not tape.move([inert], index, (1,), "float64").active
    assert tape.move([inert, active], index, (1,), "float64").active
    assert inert.serial < active.serial


def test_long_rationals_become_balls_of_the_tapes_precision() -> None:
    tape = Tape(300)
    parent = tape.leaf("x", (1,), "float64", [fmpq(1, 3**500)])
    node = tape.elementwise(formula(slots(1)[0] ** 2, 1), [parent], [HERE[:1]], (1,), "float64")
    [value] = node.values.tolist()
    assert not is_rational(value)
    assert 290 <= value.rel_accuracy_bits() <= 300


def test_rounding_in_the_precision_of_each_dtype() -> None:
    p, q = slots(2)
    for dtype, bits in (("float64", 53), ("float32", 24), ("bfloat16", 8)):
        tape = Tape(160)
        numbers = [exact(0.1), exact(3.0)]
        node = tape.leaf("x", (2,), dtype, numbers)
        # the inputs are exact, whatever the dtype
        rounded = Rounded()
        assert all(value.rad() == 0 for value in rounded.values(node).tolist())
        quotient = tape.elementwise(
            formula(p / q, 2), [node, node], [HERE, HERE[::-1]], (2,), dtype
        )
        found = rounded.values(quotient)
        assert [to_float(x) for x in found] == pytest.approx([0.1 / 3, 30], rel=2.0 ** (1 - bits))
        assert abs(found[0].rel_accuracy_bits() - bits) <= 3


def test_empty_doubts_are_not_kept() -> None:
    tape = Tape(100)
    node = tape.leaf("x", (2,), "float64", [fmpq(1), fmpq(2)])
    tape.doubt(node, numpy.array([], dtype=int), "nothing")
    assert tape.doubts == []
    tape.doubt(node, numpy.array([1]), "something")
    assert [doubt.reason for doubt in tape.doubts] == ["something"]


def test_a_deadline_ends_the_work() -> None:
    with pytest.raises(OutOfTime):
        Tape(100, deadline=time.monotonic() - 1).constant((), "float64", [fmpq(1)])
    assert Tape(100, deadline=time.monotonic() + 60).constant((), "float64", [fmpq(1)]).size == 1
