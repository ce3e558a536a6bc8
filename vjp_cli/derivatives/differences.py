"""Derivatives from function values alone, each with an error bar or the reason why there is none.

Central differences over a ladder of steps, extrapolated to step 0 (Ridders). The bar is ten times
Ridders' own estimate, which alone is too small in one case of six, plus what the rounding and the
noise of the values cost at the smallest step. An estimate counts only if every estimate from
smaller steps agrees with it within the bars: that is what tells an oscillation, or a kink nearby,
from a smooth function. Without such an agreement there is no number.
"""

import math
from dataclasses import dataclass
from typing import Any

from vjp_cli.lazy import numpy

# Each step is this part of the one before.
_SHRINK = 4.0
_LEVELS = 3
# units of the largest value that one evaluation may be off by
_ROUNDING = 8
_SAFETY = 10
# The finest steps tell noise; so many of them are looked at.
_FINE = 8
# Steps to a side: from this part of the scale, down to where the digits of x end.
_COARSEST = 2.0**-2
_SPARE_BITS = 9
# Nearer to 0 than this, what a function squares underflows.
_TINY = 2.0**-400
# Two plateaus of estimates, from larger and from smaller steps, which a disturbance of this part of
# the values could explain: rounding, or a kink or a small oscillation nearby? Nobody can tell.
_DISTURBED = 2.0**-6
# The derivative is 0 where the function stays the same over this part of the scale; over less, it
# may have been computed with fewer digits than it shows.
_FLAT = 2.0**-8

# D grows at least by this factor from step to step where it has no limit.
_GROWTH = 1.02

KINK = "the one-sided differences disagree, as at a kink"
ONE_SIDED = "the function has no finite value on one side"
GROWING = "the differences grow as the step shrinks, as at a jump or a vertical tangent"
UNSETTLED = "finite differences do not settle"


@dataclass(frozen=True)
class Samples:
    """Values of n outputs on a line through the point, at K decreasing steps to both sides.

    Attributes:
        ahead: the K steps to the right, as they were made.
        back: the K steps to the left, positive.
        above: the values to the right, K x n.
        below: the values to the left, K x n.
        centre: the values at the point, n.
        scale: the size of the coordinate, or 1 at 0.
        doubt: by how much each value at the point differs between two evaluations, n.
    """

    ahead: Any
    back: Any
    above: Any
    below: Any
    centre: Any
    scale: float
    doubt: Any


@dataclass(frozen=True)
class Estimates:
    """The derivatives of n outputs.

    Attributes:
        value: the estimates; NaN where there is none.
        bar: the derivative lies within this distance; inf where there is no estimate.
        gap: a difference between the slopes to the two sides that cannot be excluded.
        trouble: why there is no estimate, "" where there is one.
    """

    value: Any
    bar: Any
    gap: Any
    trouble: Any


def steps(x: float, bits: int) -> list[float]:
    """The steps for a coordinate of this size in a format of so many bits, decreasing.

    They are powers of 2, so that most of them are made without rounding, relative to x and (for a
    function whose own scale is larger) to 1.
    """
    x = x if abs(x) >= _TINY else 0.0
    sizes = {2.0 ** math.frexp(abs(x) or 1.0)[1] / 2, 2.0 ** math.frexp(max(abs(x), 1.0))[1] / 2}
    count = math.ceil((bits - _SPARE_BITS) / math.log2(_SHRINK))
    least = abs(x) * 2.0 ** (2 - bits)
    made = {size * _COARSEST / _SHRINK**k for size in sizes for k in range(count)}
    return sorted((h for h in made if h > least and x + h != x), reverse=True)


def estimate(samples: Samples, unit: float) -> Estimates:
    """The derivative of each output; ``unit`` is the unit roundoff of the values."""
    with numpy.errstate(all="ignore"):
        return _Table(samples, unit).estimates()


class _Table:
    """All estimates: ``values[m][k]`` is extrapolated from the steps k … k + m."""

    def __init__(self, samples: Samples, unit: float) -> None:
        self.samples = samples
        ahead, back = samples.ahead[:, None], samples.back[:, None]
        above, below, centre = samples.above, samples.below, samples.centre
        finite = numpy.isfinite(above) & numpy.isfinite(below) & numpy.isfinite(centre)
        # a step is of use if all smaller ones are
        self.usable = _after(numpy.logical_and, finite)
        hidden = numpy.where(self.usable, 0.0, numpy.nan)
        self.h = (ahead + back) / 2
        self.central = (above - below) / (ahead + back) + hidden
        # the slope to the right less that to the left
        self.bend = (above - centre) / ahead - (centre - below) / back + hidden
        self.size = numpy.maximum(numpy.maximum(abs(above), abs(below)), abs(centre))
        self.rounding = (_ROUNDING * unit * self.size + self._noise() + samples.doubt) / self.h
        self.flat = _after(numpy.logical_and, (above == centre) & (below == centre))

    def _noise(self) -> Any:
        """What the finest differences scatter by: 0 for a smooth function, up to rounding."""
        scatter = abs(numpy.diff(self.central, axis=0)) * self.h[1:]
        return 4 * _median(scatter[-_FINE:])

    def estimates(self) -> Estimates:
        count, n = self.central.shape
        values, bars = self._extrapolated()
        low = numpy.where(numpy.isfinite(bars), values - bars, -numpy.inf)
        high = numpy.where(numpy.isfinite(bars), values + bars, numpy.inf)
        # every estimate from smaller steps must overlap
        most = _beyond(numpy.fmax, low.max(axis=0), -numpy.inf)
        least = _beyond(numpy.fmin, high.min(axis=0), numpy.inf)
        agrees = (high >= most) & (low <= least) & numpy.isfinite(bars)
        kinked = self._kinked()
        gaps = _after(numpy.fmin, abs(self.bend) + 2 * self.rounding)
        # beyond a kink nearby the bend must be seen to be gone
        bends = numpy.where(kinked, abs(self.bend), 0.0).max(axis=0)
        agrees &= ~kinked & ((gaps < bends / 4) | (bends == 0))
        flat = self._suspiciously_flat()
        for level in range(1, _LEVELS + 1):
            agrees[level - 1, : count - level] &= ~flat[level:]
            # two smaller steps at least must have their say
            agrees[level - 1, max(count - level - 2, 0) :] = False
        chosen = numpy.where(agrees, bars, numpy.inf).reshape(-1, n)
        best = chosen.argmin(axis=0)
        columns = numpy.arange(n)
        bar = chosen[best, columns]
        value = values.reshape(-1, n)[best, columns]
        unsure = self._growing() | self._ambiguous(value, values[0], bars[0], best % count)
        bar = numpy.where(unsure, numpy.inf, bar)
        value = numpy.where(numpy.isfinite(bar), value, numpy.nan)
        return Estimates(value, bar, gaps[best % count, columns], self._troubles(bar, kinked))

    def _ambiguous(self, value: Any, others: Any, bars: Any, chosen: Any) -> Any:
        """Whether an estimate from larger steps differs, and a small disturbance explains why."""
        size = numpy.nanmax(numpy.where(self.usable, self.size, 0.0), axis=0)
        found = numpy.zeros(len(value), dtype=bool)
        for k in range(len(others) - 2):
            off = numpy.fmax.reduce(abs(self.central[k + 2 :] - others[k]) * self.h[k + 2 :])
            apart = abs(value - others[k]) > bars[k] + 4 * off / self.h[k + 1]
            found |= (k < chosen) & apart & (off <= _DISTURBED * size)
        return found

    def _extrapolated(self) -> tuple[Any, Any]:
        """The table without its first column, and the bars: levels x K x n, NaN-padded."""
        count, n = self.central.shape
        values = numpy.full((_LEVELS, count, n), numpy.nan)
        bars = numpy.full((_LEVELS, count, n), numpy.nan)
        last = self.central
        for level in range(1, _LEVELS + 1):
            if level >= count:
                break
            ratio = (self.h[:-level] / self.h[level:]) ** 2
            coarse, fine = last[:-1], last[1:]
            last = fine + (fine - coarse) / (ratio - 1)
            error = numpy.maximum(abs(last - coarse), abs(last - fine))
            rounding = 2 * self.rounding[level:] + 4 * 2.0**-52 * abs(last)
            values[level - 1, : count - level] = last
            bars[level - 1, : count - level] = _SAFETY * error + rounding
        return values, bars

    def _kinked(self) -> Any:
        """Where the two slopes keep their distance over four smaller steps: not so at a curve."""
        count = len(self.bend)
        sure = abs(self.bend) > 2 * _ROUNDING * self.rounding
        steady = abs(numpy.diff(self.bend, axis=0)) <= abs(self.bend[:-1]) / 4
        found = numpy.zeros_like(sure)
        for k in range(count - 3):
            found[k] = sure[k : k + 4].all(axis=0) & steady[k : k + 3].all(axis=0)
        return _after(numpy.logical_or, found)

    def _suspiciously_flat(self) -> Any:
        width = numpy.where(self.flat, self.h, 0.0).max(axis=0)
        return self.flat & (width < _FLAT * self.samples.scale) & ~self.flat.all(axis=0)

    def _growing(self) -> Any:
        fine = self.central[-_FINE:]
        ratio = fine[1:] / fine[:-1]
        return (ratio > _GROWTH).all(axis=0) & (len(fine) > 3)

    def _troubles(self, bar: Any, kinked: Any) -> Any:
        reasons = [
            (numpy.isfinite(bar), ""),
            (~self.usable[-1], ONE_SIDED),
            (self._growing(), GROWING),
            (kinked.any(axis=0), KINK),
        ]
        return numpy.select([where for where, _ in reasons], [why for _, why in reasons], UNSETTLED)


def _median(values: Any) -> Any:
    """The (lower) median of what is finite in each column; 0 without any."""
    known = numpy.isfinite(values)
    count = known.sum(axis=0)
    ordered = numpy.sort(numpy.where(known, values, numpy.inf), axis=0)
    middle = ordered[numpy.maximum(count - 1, 0) // 2, numpy.arange(values.shape[1])]
    return numpy.where(count > 0, middle, 0.0)


def _after(operation: Any, values: Any) -> Any:
    """For each row the operation over it and all rows after it."""
    return numpy.flip(operation.accumulate(numpy.flip(values, 0), axis=0), 0)


def _beyond(operation: Any, values: Any, nothing: float) -> Any:
    """For each row the operation over all rows after it."""
    after = numpy.full_like(values, nothing)
    after[:-1] = _after(operation, values)[1:]
    return after
