"""Exact numbers: what is proved, what is certain, and how it is written."""

import math

import pytest
from flint import arb, ctx, fmpq

from vjp_cli.numbers.scalar import (
    certain,
    compare,
    digits,
    exact,
    is_finite,
    is_rational,
    is_zero,
    middle,
    negligible,
    precision,
    shorten,
    to_float,
)

INFINITY, NAN = arb("inf"), arb("nan")


def test_a_float_is_the_binary_number_that_it_holds() -> None:
    assert exact(0.1) == fmpq(3602879701896397, 2**55)
    assert exact(0.1) != fmpq(1, 10)
    assert exact(-2.5) == fmpq(-5, 2)
    assert exact(7) == fmpq(7)
    assert exact(5e-324) == fmpq(1, 2**1074)
    assert exact(-0.0) == 0


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_what_is_no_real_number_is_a_ball(value: float) -> None:
    number = exact(value)
    assert not is_rational(number)
    assert not is_finite(number)
    assert str(to_float(number)) == str(value)


def test_precision_is_restored() -> None:
    before = ctx.prec
    with precision(1234):
        assert ctx.prec == 1234
        with precision(77):
            assert ctx.prec == 77
        assert ctx.prec == 1234
    assert ctx.prec == before


def test_precision_is_restored_after_an_error() -> None:
    before = ctx.prec
    with pytest.raises(ZeroDivisionError), precision(999):
        fmpq(1) / fmpq(0)
    assert ctx.prec == before


@pytest.mark.parametrize(
    ("number", "zero", "tiny"),
    [
        (fmpq(0), True, True),
        (fmpq(1, 10**400), False, False),
        (arb(0), True, True),
        # holds 0 without being proved to be 0
        (arb(0, "1e-400"), False, True),
        (arb(0, "1e-300"), False, False),
        (arb("1e-400"), False, False),
        (NAN, False, False),
        (INFINITY, False, False),
    ],
)
def test_zero_is_proved_and_negligible_is_near(number: object, zero: bool, tiny: bool) -> None:
    assert is_zero(number) is zero
    assert negligible(number) is tiny


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (fmpq(1, 3), True),
        (arb(1, 2**-106), True),
        (arb(1, 2**-102), False),
        (arb(0, 1), False),
        (arb(0, "1e-400"), True),
        (INFINITY, False),
        (NAN, False),
    ],
)
def test_certain_needs_104_bits(number: object, expected: bool) -> None:
    with precision(200):
        assert certain(number) is expected


@pytest.mark.parametrize(
    ("left", "right", "sign"),
    [
        (fmpq(1, 3), fmpq(1, 2), -1),
        (fmpq(1, 2), fmpq(1, 2), 0),
        (fmpq(2), arb(1.5), 1),
        (arb(2), arb(2), 0),
        (arb(2), fmpq(2), 0),
        (arb(2, 0.1), arb(2.15, 0.1), None),
        (arb(2, 0.1), arb(2, 0.1), None),
        (arb(2, 0.1), arb(3, 0.1), -1),
        (INFINITY, fmpq(10**400), 1),
        (-INFINITY, INFINITY, -1),
        (INFINITY, INFINITY, 0),
        (NAN, fmpq(0), None),
        (NAN, NAN, None),
    ],
)
def test_compare(left: object, right: object, sign: int | None) -> None:
    assert compare(left, right) == sign


def test_the_middle_of_a_ball_is_exact() -> None:
    assert middle(arb(2, 0.5)) == 2
    assert middle(arb(2, 0.5)).rad() == 0
    assert middle(fmpq(1, 3)) == fmpq(1, 3)


def test_long_rationals_become_balls() -> None:
    assert is_rational(shorten(fmpq(1, 2**1000)))
    assert not is_rational(shorten(fmpq(1, 3**700)))
    assert shorten(NAN) is NAN


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (fmpq(1, 3), 1 / 3),
        (fmpq(-1, 10), -0.1),
        (fmpq(10**400), math.inf),
        (fmpq(-(10**400)), -math.inf),
        (fmpq(1, 10**400), 0.0),
        (fmpq(3, 2**1075), 1e-323),
        (arb(2, 0.25), 2.0),
        (-INFINITY, -math.inf),
    ],
)
def test_to_float(number: object, expected: float) -> None:
    assert to_float(number) == expected


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (fmpq(0), "0"),
        (fmpq(2), "2.0"),
        (fmpq(-1, 4), "-0.25"),
        (fmpq(1, 3), "0." + "3" * 30),
        (fmpq(2, 3), "0." + "6" * 29 + "7"),
        (fmpq(10**6), "1000000.0"),
        (fmpq(1, 2**1074), "4.94065645841246544176568792868e-324"),
        (arb(0, "1e-400"), "0"),
        (INFINITY, "inf"),
        (-INFINITY, "-inf"),
        (NAN, "nan"),
    ],
)
def test_digits(number: object, text: str) -> None:
    assert digits(number) == text


def test_digits_do_not_depend_on_the_precision_at_hand() -> None:
    with precision(20):
        assert digits(fmpq(1, 3)) == "0." + "3" * 30


def test_digits_of_pi() -> None:
    with precision(200):
        assert digits(arb.pi()) == "3.14159265358979323846264338328"
