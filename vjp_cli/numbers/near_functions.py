"""The functions of formulas on ``Near`` numbers; those that are not here are computed exactly.

The error of an argument is carried by a bound of the slope around it, and the library's own error
added (glibc's long double functions are within 4 units in the last place).
"""

from collections.abc import Callable
from typing import Any

from vjp_cli.lazy import numpy
from vjp_cli.numbers import functions
from vjp_cli.numbers.near import Near, add, divide, multiply, negate, of_exact, tiny, unit

# what a library function may be off
_FUNCTION_UNITS = 16
# arguments beyond this leave few digits of a sine
_LARGEST_ANGLE = 1e6
# powers up to this are multiplied out
_LONGEST_POWER = 64

Function = Callable[..., Near]


def _function(value: Any, x: Near, slope: Any) -> Near:
    """A value with the argument's error times a bound of the slope, and its own error."""
    error = x.error * slope * (1 + 8 * unit()) + _FUNCTION_UNITS * (unit() * abs(value) + tiny())
    return Near(value, numpy.where(x.is_zero & (value == 0), 0, error))


def exp(x: Near) -> Near:
    """The exponential; its slope nearby is its largest value there."""
    value = numpy.exp(x.value)
    return _function(value, x, value * numpy.exp(x.error))


def expm1(x: Near) -> Near:
    """exp(x) - 1."""
    return _function(numpy.expm1(x.value), x, numpy.exp(x.value) * numpy.exp(x.error))


def log(x: Near) -> Near:
    """The logarithm; NaN where the argument may not be positive."""
    lowest = x.value - x.error
    found = _function(numpy.log(x.value), x, 1 / lowest)
    one = (x.value == 1) & (x.error == 0)
    return Near(found.value, _where(lowest > 0, numpy.where(one, 0, found.error)))


def log1p(x: Near) -> Near:
    """log(1 + x)."""
    lowest = 1 + x.value - x.error
    found = _function(numpy.log1p(x.value), x, 1 / (lowest * (1 - unit())))
    return Near(found.value, _where(lowest > 0.0001, found.error))


def sqrt(x: Near) -> Near:
    """The square root."""
    lowest = x.value - x.error
    found = _function(numpy.sqrt(x.value), x, 1 / numpy.sqrt(lowest))
    return Near(found.value, _where((lowest > 0) | x.is_zero, found.error))


def sin(x: Near) -> Near:
    """The sine."""
    found = _function(numpy.sin(x.value), x, 1)
    return Near(found.value, _where(abs(x.value) < _LARGEST_ANGLE, found.error))


def cos(x: Near) -> Near:
    """The cosine."""
    found = _function(numpy.cos(x.value), x, 1)
    return Near(found.value, _where(abs(x.value) < _LARGEST_ANGLE, found.error))


def sinh(x: Near) -> Near:
    """The hyperbolic sine."""
    return _function(numpy.sinh(x.value), x, numpy.cosh(abs(x.value) + x.error))


def cosh(x: Near) -> Near:
    """The hyperbolic cosine."""
    return _function(numpy.cosh(x.value), x, numpy.sinh(abs(x.value) + x.error))


def tanh(x: Near) -> Near:
    """The hyperbolic tangent, whose slope is below 1."""
    return _function(numpy.tanh(x.value), x, 1)


def atan(x: Near) -> Near:
    """The arc tangent, whose slope is at most 1."""
    return _function(numpy.arctan(x.value), x, 1)


def asinh(x: Near) -> Near:
    """The inverse hyperbolic sine, whose slope is at most 1."""
    return _function(numpy.arcsinh(x.value), x, 1)


def power(base: Near, exponent: Near) -> Near:
    """Powers of a positive base, by exp(exponent·log(base))."""
    found = exp(multiply(exponent, log(base)))
    return Near(found.value, _where(base.value > base.error, found.error))


def integer_power(x: Near, exponent: int) -> Near:
    """A constant whole power, by squaring."""
    if exponent < 0:
        return divide(_one(x), integer_power(x, -exponent))
    if exponent == 0:
        return _one(x)
    half = integer_power(x, exponent // 2) if exponent > 1 else None
    squared = x if half is None else multiply(half, half)
    return multiply(squared, x) if half is not None and exponent % 2 else squared


def _one(x: Near) -> Near:
    return Near(numpy.ones_like(x.value), numpy.zeros_like(x.error))


def _where(known: Any, error: Any) -> Any:
    return numpy.where(known, error, numpy.nan)


def counterpart(function: Any) -> Function | None:
    """The function on ``Near`` numbers that does what ``function`` does on exact ones, if any."""
    if isinstance(function, functions.Literal):
        one = of_exact([function()])
        return lambda: one
    if isinstance(function, functions.IntegerPower):
        exponent = function.exponent
        if abs(exponent) > _LONGEST_POWER:
            return None
        return lambda x: integer_power(x, exponent)
    return _COUNTERPARTS.get(function)


def _inverse_sqrt(x: Near) -> Near:
    root = sqrt(x)
    return divide(_one(root), root)


_COUNTERPARTS: dict[Any, Function] = {
    functions.add: add,
    functions.multiply: multiply,
    functions.negate: negate,
    functions.divide: divide,
    functions.sqrt: sqrt,
    functions.inverse_sqrt: _inverse_sqrt,
    functions.power: power,
    functions.FUNCTIONS["exp"]: exp,
    functions.FUNCTIONS["expm1"]: expm1,
    functions.FUNCTIONS["log"]: log,
    functions.FUNCTIONS["log1p"]: log1p,
    functions.FUNCTIONS["sin"]: sin,
    functions.FUNCTIONS["cos"]: cos,
    functions.FUNCTIONS["sinh"]: sinh,
    functions.FUNCTIONS["cosh"]: cosh,
    functions.FUNCTIONS["tanh"]: tanh,
    functions.FUNCTIONS["atan"]: atan,
    functions.FUNCTIONS["asinh"]: asinh,
    functions.FUNCTIONS["Abs"]: lambda x: Near(abs(x.value), x.error),
}
