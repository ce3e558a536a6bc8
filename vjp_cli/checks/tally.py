"""Collects judged arrays, one check line for each target, and the findings."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import prod

from vjp_cli.checks.asking import Asked
from vjp_cli.checks.entries import Entry, correct_digits
from vjp_cli.report import (
    Array,
    CheckResult,
    Deferred,
    Finding,
    Judged,
    Truth,
    TruthKind,
    Verdict,
    scattered,
    value_of,
    worst,
)

# Findings beyond this many of one verdict, input and target are counted, not listed.
LISTED = 20

_AGREES = Entry(Verdict.OK, Truth(TruthKind.VALUE, "0"))


@dataclass
class Tally:
    """Collects judged arrays, one check line each, and the findings.

    Attributes:
        output_axes: the number of axes of y, which come first in an index of J.
    """

    output_axes: int
    checks: list[CheckResult] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    fewest_digits: float = math.inf
    _alike: dict[tuple[str, str, Verdict], list[int]] = field(default_factory=dict)

    def add(
        self,
        target: str,
        entries: Mapping[str, Asked],
        shapes: Mapping[str, tuple[int, ...]],
        *,
        zeros: bool = True,
    ) -> Judged:
        """Judged arrays of these shapes; positions without an entry are exact zeros that agree.

        ``zeros``: whether each of those was looked at.
        """
        verdicts: dict[str, Array[Verdict]] = {}
        truths: dict[str, Array[Truth]] = {}
        for name, asked in entries.items():
            found, passed = asked.entries, asked.passed
            count = prod(shapes[name])
            for position, entry in found.items():
                if entry.verdict is not Verdict.OK:
                    self._find(target, name, index_text(position, shapes[name]), entry)
            rest = _AGREES if asked.rest is None else asked.rest
            if rest.verdict is not Verdict.OK and count > len(found):
                first = next(k for k in range(count) if k not in found)
                index = index_text(first, shapes[name])
                self._find(target, name, index, rest, count - len(found))
            judged = {place: found[place].verdict for place in sorted(found)}
            known = {place: found[place].truth for place in judged}
            verdicts[name] = Array(shapes[name], scattered(count, rest.verdict, judged))
            values = scattered(count, rest.truth, known)
            if passed is not None:
                values = Deferred(values, passed.positions, passed.truths, passed.floats)
            truths[name] = Array(shapes[name], values)
        every = [e for asked in entries.values() for e in asked.entries.values()]
        screened = [asked.passed for asked in entries.values() if asked.passed is not None]
        unlike = [
            (asked.rest, prod(shapes[name]) - len(asked.entries))
            for name, asked in entries.items()
            if asked.rest is not None
        ]
        every += [entry for entry, count in unlike if count]
        total = sum(prod(shape) for shape in shapes.values())
        total -= sum(max(count - 1, 0) for _, count in unlike)
        if not zeros:
            total = len(every) + sum(len(passed.positions) for passed in screened)
        self._summarise(target, every, [passed.max_ulp for passed in screened], total)
        return Judged(verdicts, truths)

    def _find(self, target: str, name: str, index: str, entry: Entry, count: int = 1) -> None:
        """List the entry; of many with one verdict the first ones, the last with their count.

        Those that were not judged for one reason are one finding.
        """
        alike = self._alike.setdefault((target, name, entry.verdict), [])
        unchecked = alike if entry.verdict is Verdict.UNCHECKED else []
        same = [k for k in unchecked if self.findings[k].cause == entry.cause]
        if same or len(alike) == LISTED:
            place = (same or alike)[-1]
            listed = self.findings[place]
            self.findings[place] = replace(listed, count=listed.count + count)
            return
        truth = entry.truth
        alike.append(len(self.findings))
        self.findings.append(
            Finding(
                f"{target}.{name}{index}",
                entry.verdict,
                entry.torch,
                truth.value,
                truth.left,
                truth.right,
                entry.cause,
                count=count,
            )
        )

    def told_once(self) -> tuple[Finding, ...]:
        """The findings, without those of J that vᵀJ has too: same input element, same verdict."""
        known = {
            (finding.where.partition(".")[2], finding.verdict)
            for finding in self.findings
            if finding.where.startswith("vjp.")
        }
        return tuple(
            finding
            for finding in self.findings
            if finding.where.startswith("vjp.")
            or (self._column_of(finding.where), finding.verdict) not in known
        )

    def _column_of(self, where: str) -> str:
        """The input element of an entry of J: ``x[1]`` for ``jacobian.x[0,1]``."""
        name, bracket, index = where.partition(".")[2].partition("[")
        own = index.rstrip("]").split(",")[self.output_axes :] if bracket else []
        return f"{name}[{','.join(own)}]" if own else name

    def _summarise(self, target: str, entries: list[Entry], ulps: list[float], total: int) -> None:
        compared = [entry for entry in entries if entry.comparison is not None]
        for entry in compared:
            assert entry.comparison is not None
            if entry.verdict is Verdict.IMPRECISE and entry.truth.kind is TruthKind.VALUE:
                digits = correct_digits(entry.comparison, abs(value_of(entry.truth)))
                self.fewest_digits = min(self.fewest_digits, digits)
        verdict = worst({entry.verdict for entry in entries})
        unchecked = sum(entry.verdict is Verdict.UNCHECKED for entry in entries)
        self.checks.append(
            CheckResult(
                f"{target} against the exact derivative",
                verdict,
                compared=total - unchecked,
                max_ulp=_largest([*ulps, *(e.comparison.ulp for e in compared if e.comparison)]),
                max_ratio=_largest(e.comparison.ratio for e in compared if e.comparison),
                reason="" if verdict is Verdict.OK else "see the findings",
            )
        )


def index_text(position: int, shape: tuple[int, ...]) -> str:
    """``[0,1]`` for a flat position; "" in a scalar."""
    coordinates = []
    for size in reversed(shape):
        position, coordinate = divmod(position, size)
        coordinates.append(str(coordinate))
    return f"[{','.join(reversed(coordinates))}]" if coordinates else ""


def _largest(values: Iterable[float]) -> float | None:
    return max((value for value in values if math.isfinite(value)), default=None)
