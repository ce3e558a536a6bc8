"""One entry judged: torch's number, what is known of the truth, and the rounding bound."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from vjp_cli.checks.by_slopes import UNDEFINED, judge_by_slopes
from vjp_cli.checks.verdict import DOT_UNITS, Bound, Comparison, Gap, measure
from vjp_cli.errors import Place
from vjp_cli.exact.derivatives import settled
from vjp_cli.exact.limits import same
from vjp_cli.exact.samples import Slopes
from vjp_cli.numbers.dtypes import FloatFormat
from vjp_cli.numbers.scalar import Number, digits, is_finite, is_zero
from vjp_cli.report import Truth, TruthKind, Verdict
from vjp_cli.tracing.node import NO_FORMULA, NOT_UNIQUE
from vjp_cli.tracing.tracer import Untraceable

UNKNOWN = Truth(TruthKind.UNKNOWN)


@dataclass(frozen=True)
class Entry:
    """One judged entry.

    Attributes:
        comparison: how far torch is from the truth; None where nothing was compared.
        cause: why the verdict is not ``ok``, in a few words.
        place: the part of the expression to blame, where one is.
    """

    verdict: Verdict
    truth: Truth
    torch: complex | None = None
    comparison: Comparison | None = None
    cause: str = ""
    place: Place | None = None


@dataclass(frozen=True)
class Question:
    """What is to be judged.

    Attributes:
        torch: torch's number; None where torch gives none.
        truth: the derivative by formula; may be NaN or without certain digits.
        doubt: why the formula may not be the derivative here; "" when it is.
        is_rounding: asks precision scaling about this entry.
        custom: whether a backward written in Python is on trial: what torch's own kernels are
            excused for, an error up to √u, it must prove to be rounding.
        slopes: asks for the slopes of the whole function; None when time ran out. May raise
            ``Untraceable``.
        by_design: asks for the derivative of the program as written, and where it departs from
            its mathematics; None where it does not.
    """

    torch: float | None
    truth: Number
    bound: Bound
    form: FloatFormat
    doubt: str
    is_rounding: Callable[[], bool]
    custom: bool
    slopes: Callable[[], Slopes | None]
    by_design: Callable[[], tuple[Number, str] | None]


def judge_entry(question: Question) -> Entry:
    """The verdict of one entry: by formula, and by slopes where the formula cannot be trusted.

    A formula that accuses torch is itself checked by the slopes, which use no formula.
    """
    entry = _judged(question)
    if entry.verdict in (Verdict.OK, Verdict.KINK, Verdict.UNDEFINED, Verdict.UNCHECKED):
        return entry
    written = question.by_design()
    if written is None or question.torch is None or not settled(written[0]):
        return entry
    if not is_finite(written[0]):
        return entry
    comparison = measure(question.torch, written[0], question.bound, question.form)
    if comparison.gap not in (Gap.NONE, Gap.LEFT_OVER, Gap.ROUNDED):
        return entry
    return replace(entry, verdict=Verdict.BY_DESIGN, cause=f"by design: {written[1]}")


def _judged(question: Question) -> Entry:
    doubt = _unusable(question)
    if not doubt:
        entry = _by_formula(question)
        if entry.verdict in _HARMLESS:
            return entry
        slopes, _ = _slopes(question)
        if slopes is None or _confirmed(question.truth, slopes):
            return entry
        return _by_slopes(question, slopes)
    if doubt == NOT_UNIQUE:
        return Entry(Verdict.UNDEFINED, UNDEFINED, question.torch, cause=doubt)
    slopes, reason = _slopes(question)
    if slopes is None:
        return Entry(Verdict.UNCHECKED, UNKNOWN, question.torch, cause=reason)
    return _by_slopes(question, slopes)


def _slopes(question: Question) -> tuple[Slopes | None, str]:
    """The slopes, or why there are none."""
    try:
        return question.slopes(), "timeout"
    except Untraceable as error:
        return None, f"the tracer cannot follow {error}"


_HARMLESS = (Verdict.OK, Verdict.IMPRECISE)


def _confirmed(truth: Number, slopes: Slopes) -> bool:
    return all(
        side.value is not None and same(side.value, truth) for side in (slopes.left, slopes.right)
    )


def _by_formula(question: Question) -> Entry:
    truth = Truth(TruthKind.VALUE, digits(question.truth))
    if question.torch is None:
        if is_zero(question.truth):
            return Entry(Verdict.OK, truth)
        return Entry(Verdict.MISSING, truth, cause="torch gives no number")
    comparison = measure(question.torch, question.truth, question.bound, question.form)
    verdict, cause = _meaning(comparison, question)
    if verdict is Verdict.IMPRECISE:
        right = correct_digits(comparison, float(truth.value))
        cause += f" ({right:.1f} of {-math.log10(question.form.unit):.1f} digits are correct)"
    return Entry(verdict, truth, question.torch, comparison, cause)


def _by_slopes(question: Question, slopes: Slopes) -> Entry:
    compared: list[Comparison] = []

    def compare(truth: Number) -> tuple[Verdict, str]:
        assert question.torch is not None
        compared.append(measure(question.torch, truth, question.bound, question.form))
        return _meaning(compared[-1], question)

    verdict, truth, cause = judge_by_slopes(question.torch, slopes, compare)
    if verdict in (Verdict.WRONG, Verdict.SATURATED) and question.doubt and truth.value:
        verdict = Verdict.WRONG
        cause = f"{question.doubt}: the branch that torch follows is not the function's slope"
    if verdict is Verdict.KINK and question.doubt:
        cause = f"{question.doubt}; torch's number is one choice between the slopes"
    comparison = compared[0] if compared and truth.kind is not TruthKind.SLOPES else None
    return Entry(verdict, truth, question.torch, comparison, cause)


def _unusable(question: Question) -> str:
    if question.doubt:
        return question.doubt
    if not is_finite(question.truth):
        return "the formula has no finite value here"
    return "" if settled(question.truth) else "the digits of the truth are not certain"


def _meaning(comparison: Comparison, question: Question) -> tuple[Verdict, str]:
    gap = comparison.gap
    if gap is Gap.NONE:
        return Verdict.OK, ""
    if gap is Gap.NAN:
        return Verdict.NAN, "torch has NaN where the derivative exists"
    if gap in _SMALL:
        return _small(gap, question)
    if gap is Gap.LARGE and question.doubt.startswith(NO_FORMULA):
        # scaling has no truths nearby here; a kernel that works on whole matrices is off by units
        # of the largest entry
        allowed = DOT_UNITS * question.form.unit * question.bound.largest
        if not question.custom and comparison.error <= allowed:
            return Verdict.IMPRECISE, "rounding costs digits of a small entry"
    if gap is Gap.LARGE:
        # at a tie precision scaling means nothing: a number beyond the slopes is wrong
        if not question.doubt and question.is_rounding():
            return Verdict.IMPRECISE, "rounding costs most digits here: the error shrinks with u"
        return Verdict.WRONG, "the error does not shrink with the precision: a wrong formula"
    if gap is Gap.LOST:
        what = "0" if question.torch == 0 else "infinity"
        return Verdict.SATURATED, f"torch has {what} where the derivative is an ordinary number"
    return Verdict.WRONG, "the error is at least as large as the derivative"


_SMALL = (Gap.LEFT_OVER, Gap.ROUNDED)


def _small(gap: Gap, question: Question) -> tuple[Verdict, str]:
    """An error that a kernel of torch's may make; a backward in Python must prove it rounding."""
    excused = not question.custom or question.is_rounding()
    if gap is Gap.LEFT_OVER:
        if excused:
            return Verdict.OK, ""
        return Verdict.WRONG, "a number where the derivative is 0, whatever the precision"
    if excused:
        return Verdict.IMPRECISE, "rounding costs digits here"
    return Verdict.WRONG, "a small error that does not shrink with the precision"


def correct_digits(comparison: Comparison, truth: float) -> float:
    """The number of correct decimal digits; infinity where the error is 0."""
    if comparison.error == 0:
        return math.inf
    if truth == 0 or not math.isfinite(comparison.error):
        return 0.0
    return max(0.0, -math.log10(comparison.error / abs(truth)))
