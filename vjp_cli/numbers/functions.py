"""The functions that formulas may use, on exact numbers, real or complex.

Each takes exact numbers and gives one; outside its domain it gives NaN (flint's balls do so by
themselves). Where a function has a rational value at a rational point, that value is given exactly:
zeros and ties can then be proved.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vjp_cli.lazy import flint
from vjp_cli.numbers.scalar import (
    Number,
    ball,
    is_complex,
    is_rational,
    is_zero,
    pair,
    paired,
    precision,
)

# balls of at most so many bits bound the rounding of a program in its dtype
_LONGEST_SIGNIFICAND = 53


def add(left: Number, right: Number) -> Number:
    """The sum."""
    return left + right


def multiply(left: Number, right: Number) -> Number:
    """The product."""
    return left * right


def negate(x: Number) -> Number:
    """The opposite number."""
    return -x


@dataclass(frozen=True)
class Literal:
    """A constant of a formula: made anew where it is a ball, at the precision of then."""

    make: Callable[[], Number]

    def __call__(self) -> Number:
        """The number."""
        return self.make()


@dataclass(frozen=True)
class IntegerPower:
    """``integer_power`` with this exponent."""

    exponent: int

    def __call__(self, base: Number) -> Number:
        """The power of the base."""
        return integer_power(base, self.exponent)


def divide(numerator: Number, denominator: Number) -> Number:
    """The quotient; NaN over an exact 0."""
    if is_zero(denominator):
        return flint.arb("nan")
    return numerator / denominator


def scale(cotangent: Number, derivative: Number) -> Number:
    """The product, in which a cotangent that is exactly 0 wins over anything: 0·NaN is 0.

    What nothing flows into contributes nothing, whatever its local derivative is.
    """
    return flint.fmpq(0) if is_zero(cotangent) else cotangent * derivative


def integer_power(base: Number, exponent: int) -> Number:
    """``base`` to a constant integer exponent; NaN for 0 to a negative one."""
    if exponent < 0:
        return divide(flint.fmpq(1), integer_power(base, -exponent))
    if type(base) is flint.arb and base.mid() == 0 and base.is_finite():
        # the power of a real ball is NaN there; that of a pair is not
        return (flint.acb(base) ** exponent).real
    return base**exponent


def sqrt(x: Number) -> Number:
    """The square root, exact for squares of rationals; NaN below 0."""
    if is_rational(x):
        if x < 0:
            return flint.arb("nan")
        numerator, denominator = x.p.isqrt(), x.q.isqrt()
        if numerator * numerator == x.p and denominator * denominator == x.q:
            return flint.fmpq(numerator, denominator)
    return ball(x).sqrt()


def inverse_sqrt(x: Number) -> Number:
    """1/√x."""
    return divide(flint.fmpq(1), sqrt(x))


def power(base: Number, exponent: Any) -> Number:
    """``base ** exponent``; NaN where there is none.

    On the reals it is defined for base > 0, for base 0 where the exponent is positive, and for
    base < 0 where the exponent is an integer; of complex numbers it is the principal value.
    """
    if is_rational(exponent):
        if exponent.q == 1 and abs(exponent.p) <= 4096:
            return integer_power(base, int(exponent.p))
        if exponent == flint.fmpq(1, 2):
            return sqrt(base)
    if is_rational(base):
        if base == 0:
            grows = exponent.real > 0 if is_complex(exponent) else exponent > 0
            return flint.fmpq(0) if grows else flint.arb("nan")
        if base == 1:
            return base
    return ball(base) ** ball(exponent)


def loggamma(x: Number) -> Number:
    """log|Γ(x)|, by reflection below 0."""
    point = ball(x)
    if not point < 0:
        return point.lgamma()
    return flint.arb.pi().log() - abs(point.sin_pi()).log() - (1 - point).lgamma()


def erfcx(x: "flint.arb") -> "flint.arb":
    """exp(x²)·erfc(x), without the loss of exp(x²): the radius of x is carried by the slope.

    For x > 0 the slope is at most erfcx(x)/x in size (x·erfcx(x) increases), and below 1.13.
    """
    if not x > 0:
        return (x * x).exp() * x.erfc()
    middle, low = x.mid(), x.lower()
    mantissa, exponent = (middle * middle).mid().man_exp()
    # x² has this many bits before the point, and exp(x²) loses as many
    whole = max(0, int(mantissa).bit_length() + int(exponent))
    with precision(flint.ctx.prec + whole + 40):
        value = (middle * middle).exp() * middle.erfc()
        highest = (low * low).exp() * low.erfc() / low
    bound = highest.upper() if highest < 1 else flint.arb(1.13)
    return +value + flint.arb(0, (x.rad() * bound).upper())


def sinc(x: "flint.arb") -> "flint.arb":
    """sin(πx)/(πx): exact at the integers, but in balls of a dtype's precision as torch has it.

    torch rounds π·x first, which costs all digits where the result is near 0.
    """
    if flint.ctx.prec > _LONGEST_SIGNIFICAND:
        return x.sinc_pi()
    angle = x * flint.arb.pi()
    return angle.sin() / angle


def polygamma(order: Number, x: Number) -> Number:
    """The derivative of that order of the digamma function, for an integer order ≥ 0."""
    value = flint.acb(ball(x)).polygamma(flint.acb(ball(order)))
    return value.real if value.is_finite() else flint.arb("nan")


def _at(points: dict[int, int], function: Callable[["flint.arb"], "flint.arb"]) -> "_Unary":
    """``function`` on balls, with its rational values at the given integer points."""

    def unary(x: Number) -> Number:
        if is_rational(x) and x.q == 1:
            value = points.get(int(x.p))
            if value is not None:
                return flint.fmpq(value)
        return function(ball(x))

    return unary


_Unary = Callable[[Number], Number]

FUNCTIONS: dict[str, Callable[..., Number]] = {
    "exp": _at({0: 1}, lambda x: x.exp()),
    "expm1": _at({0: 0}, lambda x: x.expm1()),
    "log": _at({1: 0}, lambda x: x.log()),
    "log1p": _at({0: 0}, lambda x: x.log1p()),
    "sin": _at({0: 0}, lambda x: x.sin()),
    "cos": _at({0: 1}, lambda x: x.cos()),
    "tan": _at({0: 0}, lambda x: x.tan()),
    "asin": _at({0: 0}, lambda x: x.asin()),
    "acos": _at({1: 0}, lambda x: x.acos()),
    "atan": _at({0: 0}, lambda x: x.atan()),
    "sinh": _at({0: 0}, lambda x: x.sinh()),
    "cosh": _at({0: 1}, lambda x: x.cosh()),
    "tanh": _at({0: 0}, lambda x: x.tanh()),
    "asinh": _at({0: 0}, lambda x: x.asinh()),
    "acosh": _at({1: 0}, lambda x: x.acosh()),
    "atanh": _at({0: 0}, lambda x: x.atanh()),
    "erf": _at({0: 0}, lambda x: x.erf()),
    "erfc": _at({0: 1}, lambda x: x.erfc()),
    "erfinv": _at({0: 0}, lambda x: x.erfinv()),
    "gamma": _at({1: 1, 2: 1}, lambda x: x.gamma()),
    "loggamma": loggamma,
    "digamma": _at({}, lambda x: x.digamma()),
    "polygamma": polygamma,
    "atan2": lambda y, x: flint.arb.atan2(ball(y), ball(x)),
    "ndtr": _at({}, lambda x: (-x / flint.arb(2).sqrt()).erfc() / 2),
    "ndtri": _at({}, lambda x: -flint.arb(2).sqrt() * (2 * x).erfcinv()),
    "erfcx": _at({0: 1}, lambda x: erfcx(x)),
    "sinc": _at({0: 1}, lambda x: sinc(x)),
    "gammainc": lambda a, x: ball(x).gamma_lower(ball(a), regularized=1),
    "gammaincc": lambda a, x: ball(x).gamma_upper(ball(a), regularized=1),
    "zeta": lambda s, q: ball(s).zeta(ball(q)),
    "besseli": lambda n, x: ball(x).bessel_i(ball(n)),
    "besselj": lambda n, x: ball(x).bessel_j(ball(n)),
    "besselk": lambda n, x: ball(x).bessel_k(ball(n)),
    "bessely": lambda n, x: ball(x).bessel_y(ball(n)),
    # what SymPy cannot differentiate: not a number, so the slopes of the function decide
    "Derivative": lambda *_: flint.arb("nan"),
    "Subs": lambda *_: flint.arb("nan"),
    "Abs": abs,
    "conj": lambda z: paired(z).conjugate(),
    "real": lambda z: paired(z).real,
    "imag": lambda z: paired(z).imag,
    "complex": lambda x, y: pair(x, y),
}
