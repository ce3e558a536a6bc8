"""Exact numbers: a rational while it stays short, a certified ball (midpoint ± radius) beyond.

Rationals prove zeros and ties, which a ball never can; balls carry everything transcendental. A
value that is not a real number is a ball too: ``inf`` or ``nan``. The precision of ball arithmetic
is flint's global context, so it is only ever set by ``precision``.

A complex number is a pair of balls, ``flint.acb``, and never held as a rational. It takes the place
of a ``Number`` wherever nothing asks for an order; type checkers see none of that, and ``Any``.
"""

import math
from typing import TYPE_CHECKING, Any

from vjp_cli.lazy import flint

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    Number = flint.fmpq | flint.arb
else:
    Number = Any

# A rational longer than this becomes a ball: exactness is for proofs, not for growth.
RATIONAL_BITS = 1024
# Digits of a truth, and the bits of relative accuracy that make them certain.
TRUTH_DIGITS = 30
TRUTH_BITS = 104
# A ball that holds 0 within this of it counts as 0: far below the smallest double (2⁻¹⁰⁷⁴), it is
# the value of an expression such as sin² + cos² - 1, which no precision can prove to be 0.
ZERO_EXPONENT = -1200


class precision:
    """Ball arithmetic of ``bits`` bits inside the block."""

    # a class and no generator: it is entered for every number that is judged
    __slots__ = ("before", "bits")

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def __enter__(self) -> None:
        context = flint.ctx
        self.before = context.prec
        context.prec = self.bits

    def __exit__(self, *exception: object) -> None:
        flint.ctx.prec = self.before


def exact(value: complex | float | int) -> Number:
    """The exact value of a finite number; ``inf`` and ``nan`` as balls, a complex one as a pair."""
    if isinstance(value, complex):
        made: Any = flint.acb(value.real, value.imag)
        return made  # type: ignore[no-any-return]
    if isinstance(value, float):
        if not math.isfinite(value):
            return flint.arb(str(value))
        return flint.fmpq(*value.as_integer_ratio())
    return flint.fmpq(int(value))


def is_rational(number: Number) -> "TypeIs[flint.fmpq]":
    """Whether the number is held exactly as a rational."""
    return type(number) is flint.fmpq


def is_zero(number: Number) -> bool:
    """Whether the number is proved to be exactly 0."""
    return bool(number == 0) if is_rational(number) else bool(number.is_zero())


def is_finite(number: Number) -> bool:
    """Whether the number is a real number (a ball with a finite radius)."""
    return is_rational(number) or bool(number.is_finite())


def is_nan(number: Any) -> bool:
    """Whether the number is not a number at all (an infinity is one)."""
    if is_complex(number):
        return is_nan(number.real) or is_nan(number.imag)
    return not is_rational(number) and bool(number.is_nan())


def is_complex(number: Any) -> bool:
    """Whether the number is held as a pair of balls."""
    return type(number) is flint.acb


def paired(number: Any) -> Any:
    """The number as a pair of balls; what is not a number is so in both parts."""
    if is_complex(number):
        return number
    return flint.acb(ball(number), number if is_nan(number) else 0)


def ball(number: Number) -> "flint.arb":
    """The number as a ball at the present precision."""
    return flint.arb(number) if is_rational(number) else number


def pair(real: Number, imaginary: Number) -> Any:
    """The complex number of two parts."""
    return flint.acb(ball(real), ball(imaginary))


def shorten(number: Number) -> Number:
    """The number, as a ball when it is a rational that has grown too long."""
    if is_rational(number) and number.height_bits() > RATIONAL_BITS:
        return flint.arb(number)
    return number


def certain(number: Number, bits: int = TRUTH_BITS) -> bool:
    """Whether ``bits`` bits of the number are certain, or it is 0 for every purpose."""
    if is_rational(number):
        return True
    if not number.is_finite():
        return False
    return bool(number.rel_accuracy_bits() >= bits) or negligible(number)


def negligible(number: Number) -> bool:
    """Whether the number is 0, or cannot be told from 0 far below the smallest double."""
    if is_rational(number):
        return bool(number == 0)
    if not number.is_finite() or not number.contains(0):
        return False
    return bool(number.abs_upper() < flint.arb(2) ** ZERO_EXPONENT)


def compare(left: Number, right: Number) -> int | None:
    """-1, 0 or 1 as ``left`` is below, equal to or above ``right``; None when undecided or NaN.

    Balls that overlap are neither below nor above each other; they are equal only when both are
    exact. Complex numbers are equal or not: those that differ count as above.
    """
    if is_complex(left) or is_complex(right):
        apart = paired(left) - paired(right)
        return 0 if apart.is_zero() else None if apart.contains(0) else 1
    if left < right:
        return -1
    if left > right:
        return 1
    if left == right:
        return 0
    return None


def middle(number: Number) -> Number:
    """The midpoint of a ball; an undecided comparison follows it."""
    return number if is_rational(number) else number.mid()


def to_float(number: Number) -> float:
    """The nearest double of the midpoint (``inf`` where it overflows)."""
    if is_rational(number):
        return float(flint.arb(number)) if number.height_bits() > 1000 else _ratio(number)
    return float(number.mid())


def to_number(number: Any) -> complex:
    """The nearest double, or the pair of nearest doubles of a complex number."""
    if is_complex(number):
        return complex(to_float(number.real), to_float(number.imag))
    return to_float(number)


def _ratio(number: "flint.fmpq") -> float:
    try:
        return int(number.p) / int(number.q)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def digits(number: Any, count: int = TRUTH_DIGITS) -> str:
    """``count`` significant digits, as ``0``, ``2.0``, ``0.25``, ``4.248…e-18``, ``(0 - 2.0j)``.

    The number must be ``certain``; ``inf``, ``-inf`` and ``nan`` are spelled out.
    """
    if is_complex(number):
        return pair_text(digits(number.real, count), digits(number.imag, count))
    if negligible(number):
        return "0"
    if not is_finite(number):
        if is_nan(number):
            return "nan"
        return "inf" if number > 0 else "-inf"
    with precision(max(flint.ctx.prec, 4 * count + 40)):
        text = ball(number).mid().str(count, radius=False)
    mantissa, mark, exponent = text.partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0")
        mantissa += "0" if mantissa.endswith(".") else ""
    elif not mark:
        mantissa += ".0"
    return mantissa + mark + exponent


def pair_text(real: str, imaginary: str) -> str:
    """A complex number of two written parts: ``(2.0 - 0.5j)``."""
    sign = "-" if imaginary.startswith("-") else "+"
    return f"({real} {sign} {imaginary.removeprefix('-')}j)"
