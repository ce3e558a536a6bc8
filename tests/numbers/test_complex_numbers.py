"""Pairs of balls: exactness, comparisons, functions and digits."""

import math

import pytest
from flint import acb, arb, fmpq

from vjp_cli.numbers.dtypes import complex_dtype, format_of, is_complex_dtype, real_dtype
from vjp_cli.numbers.functions import FUNCTIONS, divide, integer_power, power, sqrt
from vjp_cli.numbers.scalar import (
    compare,
    digits,
    exact,
    is_complex,
    is_finite,
    is_nan,
    is_zero,
    negligible,
    pair,
    paired,
    precision,
    to_number,
)


def test_a_complex_number_is_held_exactly() -> None:
    number = exact(0.1 - 0.2j)
    assert number.is_exact()
    assert to_number(number) == 0.1 - 0.2j
    assert is_complex(number)
    assert not is_complex(exact(0.1))


def test_what_is_not_finite() -> None:
    assert is_nan(exact(complex(1, math.nan)))
    assert not is_finite(exact(complex(math.inf, 1)))
    assert not is_nan(exact(complex(math.inf, 1)))
    nothing = paired(arb("nan"))
    assert is_nan(nothing.real)
    assert is_nan(nothing.imag)


def test_zero() -> None:
    assert is_zero(exact(0j))
    assert negligible(acb(arb(0, arb(2) ** -1300), 0))
    assert not negligible(exact(1e-300j))


@pytest.mark.parametrize(
    ("left", "right", "sign"),
    [
        (acb(1, 2), acb(1, 2), 0),
        (acb(1, 0), fmpq(1), 0),
        (acb(1, 2), acb(1, 3), 1),
        (acb(arb(1, 0.5), 2), acb(1, 2), None),
    ],
)
def test_equality_is_all_there_is(left: acb, right: acb, sign: int | None) -> None:
    assert compare(left, right) == sign


def test_functions() -> None:
    z = acb(3, 4)
    assert to_number(sqrt(z)) == 2 + 1j
    assert to_number(integer_power(z, -1)) == pytest.approx(0.12 - 0.16j, rel=1e-15)
    assert to_number(power(z, fmpq(2))) == -7 + 24j
    assert to_number(FUNCTIONS["conj"](z)) == 3 - 4j
    assert (FUNCTIONS["real"](z), FUNCTIONS["imag"](z)) == (3, 4)
    assert to_number(FUNCTIONS["complex"](fmpq(1, 2), arb(3))) == 0.5 + 3j
    assert to_number(FUNCTIONS["log"](acb(-1))) == pytest.approx(math.pi * 1j, rel=1e-15)
    assert is_zero(power(fmpq(0), acb(2, 1)))
    assert is_nan(power(fmpq(0), acb(-2, 1)))
    assert is_nan(divide(z, acb(0)))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (acb(2, 2), "(2.0 + 2.0j)"),
        (acb(0, -4), "(0 - 4.0j)"),
        (acb(-1.5, 0), "(-1.5 + 0j)"),
    ],
)
def test_thirty_digits_of_each_part(number: acb, text: str) -> None:
    assert digits(number) == text


def test_a_third() -> None:
    with precision(160):
        assert digits(acb(0, 1) / 3) == f"(0 + 0.{30 * '3'}j)"


def test_pairs() -> None:
    assert to_number(pair(fmpq(1, 4), arb(2))) == 0.25 + 2j
    assert to_number(paired(fmpq(3))) == 3 + 0j


def test_dtypes() -> None:
    assert real_dtype("complex64") == "float32"
    assert real_dtype("bfloat16") == "bfloat16"
    assert complex_dtype("float64") == complex_dtype("complex128") == "complex128"
    assert is_complex_dtype("complex128")
    assert not is_complex_dtype("float64")
    assert format_of("complex64").bits == 24
    assert format_of("float16").bits == 11
