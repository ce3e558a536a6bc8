"""The verdict of one entry: torch's number against the truth and the rounding bound.

The rules are the README's table. A ball that has lost its own digits proves nothing: to it
softmax(x).sum() and k·(1 - r/r) look alike. So digits and bound work together: a number may be off
by the rounding of its own operations, but never by half its digits without being called out.
"""

import cmath
import math
from dataclasses import dataclass
from enum import Enum, auto

from vjp_cli.lazy import flint
from vjp_cli.numbers.dtypes import FloatFormat
from vjp_cli.numbers.scalar import (
    Number,
    ball,
    exact,
    is_finite,
    negligible,
    precision,
    to_float,
    to_number,
)

# The rounding bound is this many radii of the program's own operations.
RADII = 4
# vᵀJ may be off by this many units of Σ|v_i·J_ij| (criteria: a dot product of rounded terms).
DOT_UNITS = 8


class Gap(Enum):
    """How far torch's number is from the truth; what it means depends on the cause."""

    NONE = auto()
    LEFT_OVER = auto()
    """A few units of the largest entry where the truth is 0: what a kernel that cancels leaves."""
    ROUNDED = auto()
    """Relative error up to √u: rounding, if torch's own kernels made it."""
    LARGE = auto()
    """Relative error below 1: rounding or a wrong formula; precision scaling tells."""
    BEYOND = auto()
    """Worse than answering 0."""
    LOST = auto()
    """0 or ±inf where the truth is an ordinary number."""
    NAN = auto()


@dataclass(frozen=True)
class Bound:
    """What rounding can explain at one entry.

    Attributes:
        radius: of the entry in balls of the dtype's precision; NaN or inf where balls lost it.
        scale: max(1, |v|, |y|), for a truth of exactly 0.
        terms: Σ|v_i·J_ij| for an entry of vᵀJ; 0 for an entry of J.
        largest: the largest entry of J, for a truth of exactly 0: a kernel of linear algebra that
            cancels leaves units of it behind.
    """

    radius: float = 0.0
    scale: float = 1.0
    terms: float = 0.0
    largest: float = 0.0


@dataclass(frozen=True)
class Comparison:
    """torch's number beside the truth.

    Attributes:
        error: |torch - truth|.
        ratio: the error divided by its bound; NaN where balls gave none.
        ulp: the error in units in the last place of the truth.
    """

    gap: Gap
    error: float = 0.0
    ratio: float = 0.0
    ulp: float = 0.0


def measure(torch: complex, truth: Number, bound: Bound, form: FloatFormat) -> Comparison:
    """Compare torch's number with a finite truth whose digits are certain; both may be complex."""
    if cmath.isnan(torch):
        return Comparison(Gap.NAN, math.inf, math.inf, math.inf)
    nearest = to_number(truth)
    if torch == nearest and abs(nearest) >= form.normal and cmath.isfinite(nearest):
        return Comparison(Gap.NONE)
    with precision(max(flint.ctx.prec, 256)):
        size = abs(ball(truth))
        if cmath.isinf(torch):
            gap = Gap.LOST if size >= form.normal else Gap.BEYOND
            return Comparison(gap, math.inf, math.inf, math.inf)
        difference = abs(ball(exact(torch) - truth))
        error = to_float(difference)
        zero = negligible(truth)
        relative = math.inf if zero else to_float(difference / size)
        ulp = _ulps(error, 0.0 if zero else to_float(size), form)
    # a ball that has lost everything allows nothing, except where the truth is 0 and there is
    # nothing to be relative to
    known = math.isfinite(bound.radius)
    allowed = RADII * bound.radius + form.subnormal if known or zero else form.subnormal
    # without a ball there is no bound to speak of
    ratio = error / allowed if known and bound.radius > 0 else math.nan
    gap = (
        _at_zero(error, allowed, bound, form)
        if zero
        else _gap(error, relative, allowed, bound, form)
    )
    if gap is Gap.BEYOND and torch == 0 and abs(nearest) >= form.normal:
        gap = Gap.LOST
    return Comparison(gap, error, ratio, ulp)


def _gap(error: float, relative: float, allowed: float, bound: Bound, form: FloatFormat) -> Gap:
    u = form.unit
    within = error <= allowed
    if (
        relative <= form.tolerated
        or error <= RADII * form.subnormal
        or (within and relative <= math.sqrt(u))
        or (bound.terms and error <= DOT_UNITS * u * bound.terms)
    ):
        return Gap.NONE
    if relative <= math.sqrt(u):
        return Gap.ROUNDED
    return Gap.LARGE if relative < 1 else Gap.BEYOND


def _at_zero(error: float, allowed: float, bound: Bound, form: FloatFormat) -> Gap:
    u = form.unit
    small = error <= math.sqrt(u) * bound.scale
    if error == 0 or (error <= allowed and small) or error <= DOT_UNITS * u * bound.terms:
        return Gap.NONE
    return Gap.LEFT_OVER if error <= DOT_UNITS * u * bound.largest else Gap.BEYOND


def _ulps(error: float, size: float, form: FloatFormat) -> float:
    exponent = max(math.frexp(size)[1] - form.bits, form.normal_exponent - form.bits + 1)
    return error / 2.0**exponent if math.isfinite(error) else math.inf


def radius_of(number: Number) -> float:
    """The radius of a rounded ball as a float; inf where the ball is not finite."""
    if not is_finite(number):
        return math.inf
    return to_float(ball(number).rad())
