"""The functions of formulas: rational where they can be, NaN outside their domains."""

from typing import Any

import pytest
from flint import arb, fmpq

from vjp_cli.numbers.functions import (
    FUNCTIONS,
    divide,
    integer_power,
    loggamma,
    polygamma,
    power,
    scale,
    sqrt,
)
from vjp_cli.numbers.scalar import is_rational, precision, to_float


def nan(number: Any) -> bool:
    return not is_rational(number) and bool(number.is_nan())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (divide(fmpq(1), fmpq(3)), fmpq(1, 3)),
        (divide(fmpq(0), fmpq(3)), fmpq(0)),
        (scale(fmpq(0), arb("nan")), fmpq(0)),
        (scale(arb(0), arb("inf")), fmpq(0)),
        (scale(fmpq(2), fmpq(1, 3)), fmpq(2, 3)),
        (integer_power(fmpq(2, 3), 3), fmpq(8, 27)),
        (integer_power(fmpq(2, 3), -2), fmpq(9, 4)),
        (integer_power(fmpq(0), 0), fmpq(1)),
        (sqrt(fmpq(9, 4)), fmpq(3, 2)),
        (sqrt(fmpq(0)), fmpq(0)),
        (power(fmpq(-2), fmpq(3)), fmpq(-8)),
        (power(fmpq(9, 4), fmpq(1, 2)), fmpq(3, 2)),
        (power(fmpq(0), fmpq(2, 3)), fmpq(0)),
        (power(fmpq(1), fmpq(2, 3)), fmpq(1)),
    ],
)
def test_rational_values_are_exact(value: Any, expected: Any) -> None:
    assert is_rational(value)
    assert value == expected


@pytest.mark.parametrize(
    "value",
    [
        divide(fmpq(1), fmpq(0)),
        divide(fmpq(0), fmpq(0)),
        divide(arb(1), arb(0)),
        integer_power(fmpq(0), -1),
        sqrt(fmpq(-1)),
        sqrt(arb(-1)),
        power(fmpq(-2), fmpq(1, 3)),
        power(fmpq(0), fmpq(-1, 3)),
        scale(fmpq(2), arb("nan")),
        FUNCTIONS["log"](fmpq(0)),
        FUNCTIONS["log"](fmpq(-1)),
        FUNCTIONS["Derivative"](fmpq(1)),
    ],
)
def test_outside_the_domain_there_is_no_number(value: Any) -> None:
    assert nan(value)


@pytest.mark.parametrize(
    ("name", "point", "expected"),
    [
        ("exp", 0, 1),
        ("expm1", 0, 0),
        ("log", 1, 0),
        ("log1p", 0, 0),
        ("sin", 0, 0),
        ("cos", 0, 1),
        ("tanh", 0, 0),
        ("acos", 1, 0),
        ("erf", 0, 0),
        ("erfc", 0, 1),
        ("erfcx", 0, 1),
        ("sinc", 0, 1),
        ("gamma", 1, 1),
        ("gamma", 2, 1),
    ],
)
def test_known_points_prove_zeros_and_ties(name: str, point: int, expected: int) -> None:
    value = FUNCTIONS[name](fmpq(point))
    assert is_rational(value)
    assert value == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        # e, log 2, π/6, Γ(1/2) = √π, log Γ(1/2) and log|Γ(-1/2)| = log(2√π), ψ′(1) = π²/6
        (FUNCTIONS["exp"](fmpq(1)), 2.718281828459045),
        (FUNCTIONS["log"](fmpq(2)), 0.6931471805599453),
        (FUNCTIONS["asin"](fmpq(1, 2)), 0.5235987755982989),
        (FUNCTIONS["gamma"](fmpq(1, 2)), 1.772453850905516),
        (loggamma(fmpq(1, 2)), 0.5723649429247001),
        (loggamma(fmpq(-1, 2)), 1.2655121234846454),
        (polygamma(fmpq(1), fmpq(1)), 1.6449340668482264),
        (FUNCTIONS["atan2"](fmpq(1), fmpq(-1)), 2.356194490192345),
        (FUNCTIONS["ndtr"](fmpq(0)), 0.5),
        (FUNCTIONS["sinc"](fmpq(1, 2)), 0.6366197723675814),
        # erfcx(10), where exp(100) and erfc(10) lose each other; and zeta(2) = π²/6
        (FUNCTIONS["erfcx"](fmpq(10)), 0.05614099274382259),
        (FUNCTIONS["zeta"](fmpq(2), fmpq(1)), 1.6449340668482264),
        (FUNCTIONS["besselk"](fmpq(0), fmpq(2)), 0.11389387274953344),
        (FUNCTIONS["bessely"](fmpq(1), fmpq(2)), -0.10703243154093755),
        (sqrt(fmpq(2)), 1.4142135623730951),
    ],
)
def test_values(value: Any, expected: float) -> None:
    assert to_float(value) == pytest.approx(expected, rel=1e-14)


def test_erfcx_keeps_the_radius_of_its_argument() -> None:
    with precision(200):
        ball = FUNCTIONS["erfcx"](arb(5, "1e-20"))
        for point in (arb(5) + arb("1e-20"), arb(5) - arb("1e-20")):
            assert ball.overlaps((point * point).exp() * point.erfc())
        # the slope of erfcx at 5 is -0.02
        assert 1e-22 < float(ball.rad()) < 1e-19


def test_a_ball_stays_a_ball() -> None:
    with precision(64):
        value = sqrt(arb(4, "1e-10"))
        assert float(value.rad()) >= 2.4e-11
        assert value.contains(2)


def test_powers_of_a_ball_around_zero_are_balls() -> None:
    # a midpoint of exactly 0 with a radius, as x - x has it where x is a ball
    around = arb(0, "1e-20")
    for exponent in (1, 2, 3):
        found = integer_power(around, exponent)
        assert found.contains(0)
        assert found.contains(arb("5e-21") ** exponent)
        assert found.rad() < arb("1.1e-20") ** exponent
