"""One entry of a complex problem judged: torch's number against the slopes of the function."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vjp_cli.checks.by_slopes import UNDEFINED, judge_by_slopes
from vjp_cli.checks.entries import Entry
from vjp_cli.checks.verdict import Bound, Comparison, Gap, measure
from vjp_cli.exact.complex_slopes import slope_of
from vjp_cli.exact.limits import same
from vjp_cli.exact.samples import Slopes
from vjp_cli.numbers.dtypes import FloatFormat
from vjp_cli.numbers.scalar import (
    Number,
    digits,
    negligible,
    pair,
    pair_text,
    paired,
    precision,
)
from vjp_cli.report import Truth, TruthKind, Verdict, worst

CONVENTION = (
    "by design: torch gives the conjugate of the derivative (the direction of steepest ascent)"
)


@dataclass(frozen=True)
class ComplexQuestion:
    """What is to be judged.

    Attributes:
        torch: torch's number; None where torch gives none.
        slopes: of the real function L, along the real and, for a complex element, the imaginary
            direction of the input element.
        derivative: the complex derivative where the outputs are holomorphic, else None.
        bound: what rounding can explain, where the truth is not 0.
        bound_at_zero: the same where it is.
        is_rounding: asks precision scaling about this entry.
        custom: whether a backward in Python is on trial, which must prove an error to be rounding.
    """

    torch: complex | None
    slopes: tuple[Slopes, ...]
    derivative: Any
    bound: Bound
    bound_at_zero: Bound
    form: FloatFormat
    is_rounding: Callable[[], bool]
    custom: bool = False


def judge_complex_entry(question: ComplexQuestion) -> Entry:
    """The verdict of one entry.

    torch's own convention is ∂L/∂re + i·∂L/∂im. Where there is a complex derivative that is the
    truth, and torch's conjugate of it is by design.
    """
    ascent = ascent_of(question.slopes)
    if ascent is None:
        return _by_parts(question)
    truth_number = ascent if question.derivative is None else question.derivative
    hole = any(slopes.hole for slopes in question.slopes)
    truth = Truth(TruthKind.REMOVABLE if hole else TruthKind.VALUE, digits(truth_number))
    if question.torch is None:
        if negligible(ascent):
            return Entry(Verdict.OK, truth)
        return Entry(Verdict.MISSING, truth, cause="torch gives no number")
    comparison, verdict, cause = _compared(question, question.torch, ascent)
    if verdict is Verdict.OK and not _equal(truth_number, ascent):
        verdict, cause = Verdict.BY_DESIGN, CONVENTION
    return Entry(verdict, truth, question.torch, comparison, cause)


def ascent_of(slopes: Sequence[Slopes]) -> Any:
    """∂L/∂re + i·∂L/∂im, or ∂L/∂x of a real element; None where a direction has no one slope."""
    numbers = [number for number in map(slope_of, slopes) if number is not None]
    if len(numbers) < len(slopes):
        return None
    with precision(256):
        return numbers[0] if len(numbers) == 1 else pair(numbers[0], numbers[1])


def _compared(
    question: ComplexQuestion, torch: complex, truth: Number
) -> tuple[Comparison, Verdict, str]:
    zero = negligible(truth)
    bound = question.bound_at_zero if zero else question.bound
    comparison = measure(torch, truth, bound, question.form)
    gap = comparison.gap
    if gap is Gap.NONE:
        return comparison, Verdict.OK, ""
    if gap is Gap.NAN:
        return comparison, Verdict.NAN, "torch has NaN where the derivative exists"
    if gap is Gap.ROUNDED and (not question.custom or question.is_rounding()):
        return comparison, Verdict.IMPRECISE, "rounding costs digits here"
    if gap is Gap.ROUNDED:
        return comparison, Verdict.WRONG, "a small error that does not shrink with the precision"
    small = comparison.error <= math.sqrt(question.form.unit) * bound.scale
    if zero and small and question.is_rounding():
        return comparison, Verdict.OK, ""
    if gap is Gap.LARGE and question.is_rounding():
        cause = "rounding costs most digits here: the error shrinks with u"
        return comparison, Verdict.IMPRECISE, cause
    return comparison, Verdict.WRONG, _what_is_wrong(question, comparison)


def _what_is_wrong(question: ComplexQuestion, comparison: Comparison) -> str:
    if question.torch is not None and question.derivative is not None:
        plain = measure(question.torch, question.derivative, question.bound, question.form)
        if plain.gap is Gap.NONE:
            return "the derivative itself, where torch's convention is its conjugate"
    if comparison.gap is Gap.LOST:
        what = "0" if question.torch == 0 else "infinity"
        return f"torch has {what} where the derivative is an ordinary number"
    if comparison.gap is Gap.LARGE:
        return "the error does not shrink with the precision: not rounding"
    return "the error is at least as large as the derivative"


def _equal(left: Number, right: Number) -> bool:
    one, other = paired(left), paired(right)
    return same(one.real, other.real) and same(one.imag, other.imag)


def _by_parts(question: ComplexQuestion) -> Entry:
    """Each direction by its two slopes; the worst counts, and without one there is no gradient."""

    def compare(torch: float | None) -> Callable[[Number], tuple[Verdict, str]]:
        return lambda truth: _compared(question, torch or 0.0, truth)[1:]

    found = [
        judge_by_slopes(part, slopes, compare(part))
        for part, slopes in zip(_parts(question), question.slopes, strict=True)
    ]
    verdicts = {part[0] for part in found}
    verdict = Verdict.UNDEFINED if Verdict.UNDEFINED in verdicts else worst(verdicts)
    cause = next(part[2] for part in found if part[0] is verdict)
    if verdict is Verdict.KINK:
        cause = "a kink: torch's number lies between the slopes"
    return Entry(verdict, _truth([part[1] for part in found]), question.torch, cause=cause)


def _parts(question: ComplexQuestion) -> tuple[float | None, ...]:
    torch = question.torch
    if torch is None:
        return (None,) * len(question.slopes)
    return (torch.real, torch.imag)[: len(question.slopes)]


def _truth(parts: list[Truth]) -> Truth:
    """What is known of both parts, as one truth."""
    if len(parts) == 1:
        return parts[0]
    if TruthKind.UNDEFINED in {part.kind for part in parts}:
        return UNDEFINED
    real, imaginary = parts
    if TruthKind.SLOPES not in {part.kind for part in parts}:
        return Truth(real.kind, pair_text(real.value, imaginary.value))
    return Truth(
        TruthKind.SLOPES,
        left=pair_text(real.left or real.value, imaginary.left or imaginary.value),
        right=pair_text(real.right or real.value, imaginary.right or imaginary.value),
    )
