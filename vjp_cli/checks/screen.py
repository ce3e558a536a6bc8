"""Passes over the entries that near numbers show to be right; exact numbers judge the others.

An entry passes where torch's number lies within a quarter of the allowed relative error u^¾ of
every number that the truth may be, or where both are exactly 0. So nothing passes that the judge
would not call ok (its first rule), and nothing that is in doubt is looked at here.
"""

from dataclasses import dataclass
from typing import Any

from vjp_cli.lazy import numpy
from vjp_cli.numbers import near
from vjp_cli.numbers.dtypes import FloatFormat
from vjp_cli.numbers.near import Near

# what passes keeps so far within what is allowed
_SHARE = 0.25


@dataclass(frozen=True)
class Screened:
    """Which entries passed.

    Attributes:
        passed: one truth value for each entry.
        max_ulp: the largest error of those that passed, in units in the last place of the truth.
    """

    passed: Any
    max_ulp: float


def screen(numbers: Any, truth: Near, form: FloatFormat, doubtful: Any) -> Screened:
    """Compare torch's numbers, as doubles, with the truths; those in doubt do not pass."""
    found = near.of_plain(numbers).value
    with numpy.errstate(all="ignore"):
        error = abs(found - truth.value)
        least = truth.floor
        close = error + truth.error <= _SHARE * form.tolerated * least
        passed = (close & (least >= form.normal)) | (truth.is_zero & (found == 0))
        _, exponents = numpy.frexp(truth.value)
        units = numpy.ldexp(numpy.ones_like(error), exponents - form.bits)
    passed &= ~doubtful
    # as for single entries: the double nearest to the truth is without error
    rounded = truth.value.astype(float) != numbers
    ulps = error[passed & rounded] / units[passed & rounded]
    return Screened(passed, float(ulps.max()) if len(ulps) else 0.0)
