"""The verdict of an entry where the formula cannot say: by the two slopes of the whole function."""

import math
from collections.abc import Callable

from vjp_cli.exact.limits import Limit, Tendency
from vjp_cli.exact.samples import Slopes
from vjp_cli.exact.slopes import agree
from vjp_cli.numbers.scalar import Number, digits, to_float
from vjp_cli.report import Truth, TruthKind, Verdict

UNDEFINED = Truth(TruthKind.UNDEFINED)

_INFINITIES = {Tendency.PLUS_INFINITY: math.inf, Tendency.MINUS_INFINITY: -math.inf}

# torch's number against a finite truth -> verdict and cause
Compare = Callable[[Number], tuple[Verdict, str]]


def judge_by_slopes(
    torch: float | None, slopes: Slopes, compare: Compare
) -> tuple[Verdict, Truth, str]:
    """The verdict, the truth and the cause.

    Args:
        torch: torch's number; None where torch gives none.
        slopes: of the function along this input element.
        compare: judges torch's number against one finite truth.
    """
    left, right = slopes.left, slopes.right
    ends = [limit.tendency is Tendency.END for limit in (left, right)]
    if slopes.limits_differ or all(ends) or Tendency.NONE in (left.tendency, right.tendency):
        return Verdict.UNDEFINED, UNDEFINED, "the function has no slope here"
    if any(ends):
        truth = Truth(TruthKind.SLOPES, left=_words(left), right=_words(right))
        verdict, cause = _against(torch, right if ends[0] else left, compare)
        return verdict, truth, cause or "the domain ends here: one slope only"
    if agree(left, right):
        kind = TruthKind.REMOVABLE if slopes.hole else TruthKind.VALUE
        verdict, cause = _against(torch, right, compare)
        return verdict, Truth(kind, _words(right)), cause
    truth = Truth(TruthKind.SLOPES, left=_words(left), right=_words(right))
    verdict, cause = _between(torch, left, right, compare)
    return verdict, truth, cause


def _against(torch: float | None, limit: Limit, compare: Compare) -> tuple[Verdict, str]:
    """Torch's number against a single slope."""
    if limit.value is not None:
        if torch is None:
            zero = limit.value == 0
            return (Verdict.OK, "") if zero else (Verdict.MISSING, "torch gives no number")
        return compare(limit.value)
    if torch is None:
        return Verdict.MISSING, "torch gives no number"
    if math.isnan(torch):
        return Verdict.NAN, "torch has NaN where the slope is infinite"
    if torch == _INFINITIES[limit.tendency]:
        return Verdict.POLE, "the derivative is infinite, and torch says so"
    return Verdict.WRONG, "the derivative is infinite"


def _between(
    torch: float | None, left: Limit, right: Limit, compare: Compare
) -> tuple[Verdict, str]:
    """Torch's choice at a kink must lie between the two slopes, up to rounding."""
    if torch is None:
        return Verdict.MISSING, "torch gives no number"
    if math.isnan(torch):
        return Verdict.NAN, "torch has NaN at a kink: both slopes exist"
    low, high = sorted(_as_float(limit) for limit in (left, right))
    if low <= torch <= high or any(
        limit.value is not None and compare(limit.value)[0] is Verdict.OK for limit in (left, right)
    ):
        return Verdict.KINK, f"a kink: torch chose {torch:g}"
    return Verdict.WRONG, "outside the two slopes of a kink"


def _as_float(limit: Limit) -> float:
    return _INFINITIES[limit.tendency] if limit.value is None else to_float(limit.value)


def _words(limit: Limit) -> str:
    if limit.value is not None:
        return digits(limit.value)
    if limit.tendency in _INFINITIES:
        return "inf" if _INFINITIES[limit.tendency] > 0 else "-inf"
    return "undefined"
