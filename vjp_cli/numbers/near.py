"""Arrays of numbers known to about 19 digits, each with a bound of its own error.

An extended float has 11 bits more than a double. What is computed in it, with the error of every
step carried along, tells nearly all right derivatives from wrong ones at the speed of arrays; exact
numbers need only be computed where it cannot tell (Higham, Accuracy and Stability of Numerical
Algorithms, section 3.3: running error analysis; section 4.3 for the exact error of a sum).

An error of inf or NaN says that nothing is known. A value is exactly 0 where it and its error are.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from vjp_cli.lazy import numpy
from vjp_cli.numbers.scalar import Number, exact, is_finite, is_rational, precision, to_float

# at this precision what two doubles leave of a number is exact enough
_SPLIT_BITS = 256


@cache
def available() -> bool:
    """Whether this machine has extended floats that round to nearest with 64 bits or more."""
    return numpy.finfo(numpy.longdouble).nmant in (63, 112)


@cache
def unit() -> Any:
    """Twice the largest relative error of one rounded operation."""
    return numpy.finfo(numpy.longdouble).eps


@cache
def tiny() -> Any:
    """What an operation may lose below the smallest normal number."""
    return numpy.finfo(numpy.longdouble).tiny


@dataclass(frozen=True)
class Near:
    """Numbers of any shape: each lies within ``error`` of ``value``."""

    value: Any
    error: Any

    def take(self, index: Any) -> "Near":
        """The numbers at these positions, in the shape of ``index``."""
        return Near(self.value[index], self.error[index])

    @property
    def is_zero(self) -> Any:
        """Which numbers are exactly 0."""
        return (self.value == 0) & (self.error == 0)

    @property
    def is_finite(self) -> Any:
        """Which numbers are known to be real numbers."""
        return numpy.isfinite(self.value) & numpy.isfinite(self.error)

    @property
    def floor(self) -> Any:
        """A lower bound of the sizes; negative or NaN where a number may be 0."""
        return abs(self.value) - self.error


def of_plain(numbers: Any) -> Near:
    """An array of floats, integers or truth values of at most 64 bits, without error."""
    value = numpy.asarray(numbers).astype(numpy.longdouble)
    return Near(value, numpy.where(numpy.isfinite(value), 0, numpy.nan).astype(numpy.longdouble))


def of_exact(numbers: Sequence[Number]) -> Near:
    """Exact numbers, flat: each as the sum of two doubles, with what these leave as its error."""
    values = numpy.zeros(len(numbers), numpy.longdouble)
    errors = numpy.zeros(len(numbers), numpy.longdouble)
    with precision(_SPLIT_BITS):
        for k, number in enumerate(numbers):
            values[k], errors[k] = _split(number)
    return Near(values, errors)


def _split(number: Number) -> tuple[Any, Any]:
    high = to_float(number)
    if not (is_finite(number) and math.isfinite(high)):
        return numpy.longdouble(high), numpy.nan
    rest = number - exact(high)
    if is_rational(rest) and rest == 0:
        return numpy.longdouble(high), numpy.longdouble(0)
    low = to_float(rest)
    value = numpy.longdouble(high) + numpy.longdouble(low)
    radius = 0.0 if is_rational(number) else to_float(number.rad())
    # two doubles hold 106 bits of it; the smallest double stands for what is below them all
    return value, unit() * abs(value) + 2 * (radius + math.ulp(0.0))


def add(left: Near, right: Near) -> Near:
    """The sums; of an exact sum no error arises (Knuth's TwoSum)."""
    total = left.value + right.value
    back = total - left.value
    lost = abs((left.value - (total - back)) + (right.value - back))
    return Near(total, _widened(lost + left.error + right.error))


def negate(x: Near) -> Near:
    """The opposite numbers."""
    return Near(-x.value, x.error)


def multiply(left: Near, right: Near) -> Near:
    """The products; 0 times a number is exactly 0."""
    value = left.value * right.value
    error = (
        abs(left.value) * right.error
        + abs(right.value) * left.error
        + left.error * right.error
        + rounding(value)
    )
    return Near(value, numpy.where((left.is_zero | right.is_zero) & (value == 0), 0, error))


def divide(left: Near, right: Near) -> Near:
    """The quotients; NaN where the denominator may be 0."""
    room = right.floor
    value = left.value / right.value
    error = (left.error + abs(value) * right.error) / room + rounding(value)
    error = numpy.where(left.is_zero & (room > 0), 0, error)
    return Near(value, numpy.where(room > 0, _widened(error), numpy.nan))


def scale(cotangent: Near, derivative: Near) -> Near:
    """The products, in which a cotangent that is exactly 0 wins over anything."""
    product = multiply(cotangent, derivative)
    nothing = cotangent.is_zero
    return Near(numpy.where(nothing, 0, product.value), numpy.where(nothing, 0, product.error))


def sum_rows(terms: Near) -> Near:
    """The sum of each row of a 2-d array: any order of n - 1 additions is off by as many units."""
    value = terms.value.sum(axis=1)
    count = terms.value.shape[1]
    sizes = abs(terms.value).sum(axis=1)
    error = _widened(terms.error.sum(axis=1) + count * unit() * sizes)
    # with at most one term that is not 0 nothing is rounded
    alone = (terms.value != 0).sum(axis=1) <= 1
    return Near(value, numpy.where(alone, terms.error.sum(axis=1) * (1 + count * unit()), error))


def product_rows(left: Near, right: Near) -> Near:
    """The sum of the products of each row of two 2-d arrays."""
    return sum_rows(multiply(left, right))


def rounding(value: Any) -> Any:
    """What one rounded operation with this result may be off."""
    return unit() * abs(value) + tiny()


def _widened(error: Any) -> Any:
    """The error with what its own computation may have lost."""
    return error * (1 + 8 * unit())


def signs(left: Near, right: Near) -> tuple[Any, Any]:
    """The signs of left - right, and which of them are certain (ties of exact numbers are)."""
    difference = add(left, negate(right))
    certain = (abs(difference.value) > difference.error) | difference.is_zero
    return numpy.sign(difference.value), certain & difference.is_finite
