"""What three numbers at three sizes tend to."""

from collections.abc import Callable
from typing import Any

import pytest
from flint import arb, fmpq

from vjp_cli.exact.limits import Tendency, enough, limit, same
from vjp_cli.numbers.scalar import precision, to_float

SIZES = (1200, 1800, 2600)
H = [fmpq(1, 2**size) for size in SIZES]
BITS = 4000


def found(function: Callable[[Any], Any]) -> tuple[Tendency, float | None]:
    """The limit of ``function`` of h, at precision that is enough."""
    with precision(BITS):
        first, second, third = (function(h) for h in H)
        result = limit((first, second, third), SIZES)
    return result.tendency, None if result.value is None else to_float(result.value)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        # settled, exactly or but for terms that vanish
        (lambda h: fmpq(2, 3), 2 / 3),
        (lambda h: fmpq(-2) + h, -2),
        (lambda h: arb(2).sqrt() + 5 * h, 2**0.5),
        (lambda h: fmpq(0), 0),
        # smaller than any double, and yet settled
        (lambda h: fmpq(1, 2**900), 2.0**-900),
        # vanishing like a power
        (lambda h: 3 * h, 0),
        (lambda h: arb(h).sqrt(), 0),
        (lambda h: -(arb(h) ** (arb(1) / 50)), 0),
        # vanishing like 1/log
        (lambda h: 1 / arb(h).log(), 0),
        # a ball about 0 that no precision separates from it
        (lambda h: arb(0, arb(2) ** -1500), 0),
    ],
)
def test_values(function: Callable[[Any], Any], expected: float) -> None:
    tendency, value = found(function)
    assert tendency is Tendency.VALUE
    assert value == expected


@pytest.mark.parametrize(
    ("function", "tendency"),
    [
        # a vertical tangent, a jump, and slow growth
        (lambda h: 1 / arb(h).sqrt(), Tendency.PLUS_INFINITY),
        (lambda h: -1 / arb(h) ** (arb(2) / 3), Tendency.MINUS_INFINITY),
        (lambda h: arb(5) / h, Tendency.PLUS_INFINITY),
        (lambda h: arb(h).log(), Tendency.MINUS_INFINITY),
        (lambda h: -arb(h).log() + 7, Tendency.PLUS_INFINITY),
        # oscillation: sin(1/h), sin(log h), and signs that change
        (lambda h: (1 / arb(h)).sin(), Tendency.NONE),
        (lambda h: (arb(h).log() / 700).sin(), Tendency.NONE),
        (lambda h: (-1 if h == H[1] else 1) / arb(h), Tendency.NONE),
        (lambda h: (1 / arb(h)).cos() / h, Tendency.NONE),
        (lambda h: fmpq(0) if h == H[1] else fmpq(1), Tendency.NONE),
        # no numbers at all
        (lambda h: arb("nan"), Tendency.END),
        (lambda h: arb("nan") if h == H[2] else fmpq(1), Tendency.END),
    ],
)
def test_tendencies(function: Callable[[Any], Any], tendency: Tendency) -> None:
    assert found(function) == (tendency, None)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (fmpq(1, 3), True),
        (arb("nan"), True),
        (arb("inf"), True),
        (arb(1, arb(2) ** -115), True),
        (arb(1, arb(2) ** -90), False),
        (arb(0, 1), False),
        (arb(0, arb(2) ** -2500), True),
        (arb(0, arb(2) ** -1500), False),
    ],
)
def test_enough_bits(number: Any, expected: bool) -> None:
    with precision(BITS):
        assert enough(number) is expected


def test_same() -> None:
    with precision(300):
        third = arb(1) / 3
        assert same(third, fmpq(1, 3))
        assert same(third, third * (1 + arb(2) ** -110))
        assert not same(third, third * (1 + arb(2) ** -90))
        assert same(fmpq(0), arb(0, arb(2) ** -1100))
        assert not same(fmpq(0), fmpq(1, 2**900))
