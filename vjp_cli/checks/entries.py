"""One entry judged: torch's number, what is known of the truth, and the rounding bound."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from vjp_cli.checks.verdict import Bound, Comparison, Gap, measure
from vjp_cli.exact.derivatives import settled
from vjp_cli.numbers.dtypes import FloatFormat
from vjp_cli.numbers.scalar import Number, digits, is_finite, is_zero
from vjp_cli.report import Truth, TruthKind, Verdict

UNKNOWN = Truth(TruthKind.UNKNOWN)


@dataclass(frozen=True)
class Entry:
    """One judged entry.

    Attributes:
        comparison: how far torch is from the truth; None where nothing was compared.
        cause: why the verdict is not ``ok``, in a few words.
    """

    verdict: Verdict
    truth: Truth
    torch: float | None = None
    comparison: Comparison | None = None
    cause: str = ""


@dataclass(frozen=True)
class Question:
    """What is to be judged.

    Attributes:
        torch: torch's number; None where torch gives none.
        truth: the derivative by formula; may be NaN or without certain digits.
        doubt: why the formula may not be the derivative here; "" when it is.
        is_rounding: asks precision scaling about this entry.
    """

    torch: float | None
    truth: Number
    bound: Bound
    form: FloatFormat
    doubt: str
    is_rounding: Callable[[], bool]


def judge_entry(question: Question) -> Entry:
    """The verdict of one entry."""
    reason = _unusable(question)
    if reason:
        return Entry(Verdict.UNCHECKED, UNKNOWN, question.torch, cause=reason)
    truth = Truth(TruthKind.VALUE, digits(question.truth))
    if question.torch is None:
        if is_zero(question.truth):
            return Entry(Verdict.OK, truth)
        return Entry(Verdict.MISSING, truth, None, cause="torch gives no number")
    comparison = measure(question.torch, question.truth, question.bound, question.form)
    verdict, cause = _meaning(comparison.gap, question)
    return Entry(verdict, truth, question.torch, comparison, cause)


def _unusable(question: Question) -> str:
    if question.doubt:
        return question.doubt
    if not is_finite(question.truth):
        return "the formula has no finite value here"
    return "" if settled(question.truth) else "the digits of the truth are not certain"


def _meaning(gap: Gap, question: Question) -> tuple[Verdict, str]:
    if gap is Gap.NONE:
        return Verdict.OK, ""
    if gap is Gap.NAN:
        return Verdict.NAN, "torch has NaN where the derivative exists"
    if gap is Gap.ROUNDED:
        return Verdict.IMPRECISE, "rounding costs digits here"
    if gap is Gap.LARGE:
        if question.is_rounding():
            return Verdict.IMPRECISE, "rounding costs most digits here: the error shrinks with u"
        return Verdict.WRONG, "the error does not shrink with the precision: not rounding"
    if gap is Gap.LOST:
        number = question.torch
        what = "0" if number == 0 else "infinity"
        return Verdict.SATURATED, f"torch has {what} where the derivative is an ordinary number"
    return Verdict.WRONG, "the error is at least as large as the derivative"


def correct_digits(comparison: Comparison, truth: float) -> float:
    """The number of correct decimal digits; infinity where the error is 0."""
    if comparison.error == 0:
        return math.inf
    if truth == 0 or not math.isfinite(comparison.error):
        return 0.0
    return max(0.0, -math.log10(comparison.error / abs(truth)))
