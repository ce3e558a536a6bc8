"""One number of torch's beside an estimate with an error bar: agreement, contradiction, or neither.

Agreement to a few digits is not ``ok``, so what does not contradict stays ``unchecked``.
"""

import math
import re
from collections import Counter
from dataclasses import dataclass

from vjp_cli.report import CheckResult, Verdict, worst

# criteria 5.7: within 3 bars the two agree; the margin of an accusation is wider than that
_AGREES = 3
_CONTRADICTS = 10
# ... and torch's own kernels may lose so much without being wrong
_RELATIVE = 1e-5
# units of rounding: in a number, and in the terms of a sum
_FEW, _MANY = 8, 1024
_COARSE = 0.1
_NEXT_TO_NOTHING = 1e-6


@dataclass(frozen=True)
class Estimate:
    """A derivative as finite differences give it.

    Attributes:
        bar: the derivative lies within this distance of ``value``; inf where there is no estimate.
        gap: a difference between the slopes to the two sides that cannot be excluded.
        trouble: why there is no estimate, "" where there is one.
    """

    value: float
    bar: float
    gap: float = 0.0
    trouble: str = ""

    @property
    def text(self) -> str:
        """The value, with as many digits as the bar supports."""
        if self.value == 0 or abs(self.value) <= self.bar:
            return "0"
        digits = 16
        if self.bar:
            digits = math.floor(math.log10(abs(self.value))) - math.floor(math.log10(self.bar)) + 1
        return _tidy(f"{self.value:.{min(max(digits, 1), 16)}g}")

    @property
    def words(self) -> str:
        """``2.34567 ± 3e-8``."""
        return f"{self.text} ± {brief(self.bar)}" if self.bar else self.text


@dataclass(frozen=True)
class Scale:
    """What rounding may do to torch's number.

    Attributes:
        unit: the unit roundoff of its dtype.
        terms: the size of the numbers that it may be a sum of.
        y: the largest output, at least 1.
    """

    unit: float
    terms: float
    y: float

    @property
    def relative(self) -> float:
        """The relative error that is not called wrong."""
        return max(_RELATIVE, math.sqrt(self.unit))

    def rounding(self, size: float) -> float:
        """What a number of this size may be off by without any comment."""
        if self.unit > 2.0**-53:
            return math.sqrt(self.unit) * size + _FEW * self.unit * self.terms
        return _FEW * self.unit * size + _MANY * self.unit * self.terms


@dataclass(frozen=True)
class Comparison:
    """The outcome at one entry.

    Attributes:
        cause: why it is what it is, "" for an agreement.
        agreement: the relative distance to which the two agree; None where they do not.
        ratio: the error divided by the bar and the rounding; None where nothing was compared.
        where: ``vjp.x[1]``, or the direction; for those who sum many up.
    """

    verdict: Verdict
    estimate: Estimate
    cause: str = ""
    agreement: float | None = None
    ratio: float | None = None
    where: str = ""


def compare(number: float | None, found: Estimate, scale: Scale) -> Comparison:
    """Compare torch's number (None where it gives none) with an estimate."""
    if found.trouble:
        return Comparison(Verdict.UNCHECKED, found, found.trouble)
    known = abs(found.value) if number is None or not math.isfinite(number) else abs(number)
    size = max(known, abs(found.value))
    coarse = found.bar > _COARSE * max(size, scale.terms)
    if number is None or math.isnan(number):
        return _without(number, found, coarse)
    error = abs(number - found.value)
    allowed = found.bar + scale.rounding(size)
    ratio = error / allowed if allowed else (math.inf if error else 0.0)
    if number == 0 and error <= found.bar <= _NEXT_TO_NOTHING * scale.y:
        return Comparison(Verdict.UNCHECKED, found, "", found.bar, ratio)
    if coarse:
        cause = f"finite differences tell too little here: {found.words}"
        return Comparison(Verdict.UNCHECKED, found, cause)
    if error <= _AGREES * found.bar + scale.rounding(size):
        agreement = max(error, found.bar) / max(size, scale.terms)
        return Comparison(Verdict.UNCHECKED, found, "", agreement, ratio)
    margin = _CONTRADICTS * found.bar + scale.rounding(size)
    clear = error > max(margin, found.gap, scale.relative * size)
    verdict = Verdict.WRONG if clear else Verdict.UNCHECKED
    cause = f"finite differences give {found.words}"
    if not clear:
        cause = f"finite differences differ, by too little to call it wrong: {found.words}"
    return Comparison(verdict, found, cause, ratio=ratio)


def _without(number: float | None, found: Estimate, coarse: bool) -> Comparison:
    """The outcome where torch has NaN or no number."""
    if number is None and abs(found.value) <= found.bar:
        return Comparison(Verdict.UNCHECKED, found, "torch gives no number, and differences give 0")
    what = "torch gives no number" if number is None else "torch has NaN"
    if coarse:
        return Comparison(Verdict.UNCHECKED, found, f"{what}; finite differences tell too little")
    verdict = Verdict.MISSING if number is None else Verdict.NAN
    return Comparison(verdict, found, f"{what}; finite differences give {found.words}")


def summary(name: str, found: list[Comparison], along: str = "") -> CheckResult:
    """All comparisons in one row; ``along`` says what was compared if not every entry."""
    compared = [c for c in found if c.agreement is not None or c.verdict is not Verdict.UNCHECKED]
    agreements = [c.agreement for c in compared if c.agreement is not None]
    ratios = [c.ratio for c in compared if c.ratio is not None and math.isfinite(c.ratio)]
    verdict = worst([c.verdict for c in found if c.verdict is not Verdict.UNCHECKED])
    words = []
    if verdict is not Verdict.OK:
        worst_one = max(
            (c for c in found if c.verdict is verdict),
            key=lambda c: -1.0 if c.ratio is None else c.ratio,
        )
        words.append(f"{worst_one.where}: {worst_one.cause}")
    elif agreements:
        words.append(f"they agree {along}to {brief(max(agreements))}")
    elif found:
        verdict = Verdict.UNCHECKED
    others = Counter(
        c.cause.partition(": ")[0] for c in found if c.verdict is Verdict.UNCHECKED and c.cause
    )
    if others:
        cause, count = others.most_common(1)[0]
        total = others.total()
        most = "" if count == total else f", {count} of them"
        words.append(f"{total} of {len(found)} not judged{most}: {cause}")
    reason = "; ".join(words)
    return CheckResult(name, verdict, len(compared), None, max(ratios, default=None), reason)


def brief(number: float) -> str:
    """``3e-8``: one digit."""
    return _tidy(f"{number:.0e}")


def _tidy(text: str) -> str:
    return re.sub(r"(?:\.0)?e([+-])0*(\d)", lambda m: f"e{m[1].strip('+')}{m[2]}", text)
