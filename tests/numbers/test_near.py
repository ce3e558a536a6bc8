"""Near numbers: every error that they state holds, and exact zeros stay exact."""

import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from flint import arb, fmpq

from vjp_cli.numbers import functions, near, near_functions
from vjp_cli.numbers.near import Near
from vjp_cli.numbers.scalar import ball, exact, precision

BITS = 400


def fraction(value: Any) -> fmpq:
    """The exact value of an extended float."""
    high = float(value)
    return fmpq(*high.as_integer_ratio()) + fmpq(
        *float(value - numpy.longdouble(high)).as_integer_ratio()
    )


def numbers(seed: int, low: float, high: float, count: int = 60) -> Near:
    """Numbers in a range, a third of them without error, the others with one of many sizes."""
    source = random.Random(seed)
    values = numpy.array([source.uniform(low, high) for _ in range(count)], numpy.longdouble)
    sizes = [source.uniform(0, 2.0 ** -source.randrange(12, 70)) for _ in range(count)]
    errors = numpy.array([0 if k % 3 == 0 else sizes[k] for k in range(count)], numpy.longdouble)
    return Near(values, errors)


def corners(x: Near, k: int) -> list[Any]:
    """The ends and the middle of what a number may be."""
    value, error = fraction(x.value[k]), fraction(x.error[k])
    return [value - error, value, value + error]


def holds(found: Near, k: int, truth: Any) -> bool:
    """Whether the exact number lies within the stated error."""
    with precision(BITS):
        distance = abs(ball(truth) - fraction(found.value[k]))
        return bool(distance <= fraction(found.error[k]))


UNARY = [
    ("exp", -30, 30), ("expm1", -3, 3), ("log", 1e-3, 50), ("log1p", -0.9, 50), ("sin", -40, 40),
    ("cos", -40, 40), ("sinh", -5, 5), ("cosh", -5, 5), ("tanh", -5, 5), ("atan", -9, 9),
    ("asinh", -9, 9), ("Abs", -9, 9),
]  # fmt: skip


@pytest.mark.parametrize(("name", "low", "high"), UNARY)
def test_a_functions_error_holds_everything_that_it_may_be(
    name: str, low: float, high: float
) -> None:
    function = functions.FUNCTIONS[name]
    x = numbers(1, low, high)
    counterpart = near_functions.counterpart(function)
    assert counterpart is not None
    found = counterpart(x)
    assert found.is_finite.all()
    with precision(BITS):
        for k in range(len(x.value)):
            assert all(holds(found, k, function(end)) for end in corners(x, k)), k
            # and says something: at most the argument's error at the steepest slope, and rounding
            exactly_known = x.error[k] == 0
            assert not exactly_known or found.error[k] <= 1e-17 * max(1, abs(found.value[k]))


@pytest.mark.parametrize("exponent", [2, 3, 7, -1, -2])
def test_integer_powers(exponent: int) -> None:
    x = numbers(2, 0.2, 3)
    found = near_functions.counterpart(functions.IntegerPower(exponent))(x)  # type: ignore[misc]
    with precision(BITS):
        for k in range(len(x.value)):
            assert all(holds(found, k, end**exponent) for end in corners(x, k))


BINARY: list[tuple[Callable[..., Near], Callable[[Any, Any], Any]]] = [
    (near.add, lambda a, b: a + b),
    (near.multiply, lambda a, b: a * b),
    (near.divide, lambda a, b: a / b),
    (near.scale, lambda a, b: a * b),
    (near_functions.power, functions.power),
]


@pytest.mark.parametrize(("function", "truth"), BINARY)
def test_two_arguments(function: Callable[..., Near], truth: Callable[[Any, Any], Any]) -> None:
    left, right = numbers(3, 0.3, 4), numbers(4, 0.5, 6)
    found = function(left, right)
    assert found.is_finite.all()
    with precision(BITS):
        for k in range(len(left.value)):
            for a in corners(left, k):
                assert all(holds(found, k, truth(ball(a), ball(b))) for b in corners(right, k))


def test_sums_of_rows_that_cancel() -> None:
    parts = [numbers(5 + k, -1, 1) for k in range(7)]
    terms = Near(
        numpy.stack([part.value for part in parts], 1), numpy.stack([p.error for p in parts], 1)
    )
    found = near.sum_rows(terms)
    for k in range(len(found.value)):
        for end in range(3):
            total = sum((corners(part, k)[end] for part in parts), fmpq(0))
            assert holds(found, k, total)


def test_what_is_exactly_zero() -> None:
    zero, one, nan = near.of_plain([0.0]), near.of_plain([1.5]), near.of_plain([float("nan")])
    some = Near(one.value, numpy.array([1e-9], numpy.longdouble))
    with numpy.errstate(all="ignore"):
        assert near.multiply(zero, some).is_zero.all()
        assert near.add(one, near.negate(one)).is_zero.all()
        # 0.1 + 0.2 - 0.3 is not 0 in doubles, and exactly that in extended floats
        tenth = near.add(near.of_plain([0.1]), near.of_plain([0.2]))
        assert float(near.add(tenth, near.of_plain([-0.3])).value[0]) == 2.0**-55
        assert not near.add(some, near.negate(one)).is_zero.any()
        assert near.scale(zero, nan).is_zero.all()
        assert not near.multiply(zero, nan).is_zero.any()
        assert not near.divide(one, zero).is_finite.any()
        assert not near_functions.log(zero).is_finite.any()
        assert not near_functions.sqrt(near.of_plain([-1.0])).is_finite.any()
        assert near_functions.sqrt(zero).is_zero.all()


def test_products_below_the_smallest_number_are_not_called_zero() -> None:
    small = near.of_plain([5e-324] * 3)
    found = small
    for _ in range(20):
        found = near.multiply(found, small)
    assert (found.value == 0).all()
    assert not found.is_zero.any()


def test_exact_numbers_as_two_doubles() -> None:
    with precision(BITS):
        third, root, huge = fmpq(1, 3), arb(2).sqrt(), fmpq(10) ** 400
    given = [exact(0.1), third, root, huge, arb("nan"), fmpq(0), fmpq(1, 2**1200)]
    found = near.of_exact(given)
    assert [bool(x) for x in found.is_finite] == [True, True, True, False, False, True, True]
    assert found.error[0] == 0 == found.error[5]
    with precision(BITS):
        assert all(holds(found, k, given[k]) for k in (0, 1, 2, 5, 6))
    assert 0 < found.error[1] < 1e-18


def test_signs_are_certain_only_where_the_errors_allow() -> None:
    left = Near(
        numpy.array([1, 2, 1, 1, numpy.nan], numpy.longdouble),
        numpy.array([0, 0, 0, 1e-9, 0], numpy.longdouble),
    )
    right = near.of_plain([2.0, 1.0, 1.0, 1.0 + 1e-10, 0.0])
    signs, certain = near.signs(left, right)
    assert certain.tolist() == [True, True, True, False, False]
    assert signs[:3].tolist() == [-1, 1, 0]


@pytest.mark.parametrize("name", ["erf", "gamma", "digamma", "tan", "acos"])
def test_functions_without_a_counterpart(name: str) -> None:
    assert near_functions.counterpart(functions.FUNCTIONS[name]) is None


def one(value: float, error: float = 0.0) -> Near:
    return Near(numpy.array([value], numpy.longdouble), numpy.array([error], numpy.longdouble))


def test_zero_divided_by_a_number_is_exactly_zero() -> None:
    found = near.divide(one(0.0), one(3.0, 1e-18))
    assert (found.value[0], found.error[0]) == (0, 0)
    # by what may be 0 it is not known
    assert numpy.isnan(near.divide(one(0.0), one(1.0, 2.0)).error[0])


@pytest.mark.parametrize(
    ("value", "error", "known"),
    [(1.0, 0.0, True), (numpy.inf, 0.0, False), (1.0, numpy.inf, False), (1.0, numpy.nan, False)],
)
def test_a_number_is_known_where_it_and_its_error_are_finite(
    value: float, error: float, known: bool
) -> None:
    assert bool(one(value, error).is_finite[0]) is known


def test_a_sum_with_one_term_that_is_not_zero_is_not_rounded() -> None:
    row = Near(
        numpy.array([[0.0, 0.1, 0.0], [0.0, 0.1, 0.3]], numpy.longdouble),
        numpy.zeros((2, 3), numpy.longdouble),
    )
    found = near.sum_rows(row)
    assert found.error[0] == 0
    # two terms: three units of the sum of the sizes, and hardly more
    units = 3 * numpy.finfo(numpy.longdouble).eps * (numpy.longdouble(0.1) + numpy.longdouble(0.3))
    assert units <= found.error[1] <= units * (1 + 1e-15)
