"""Which entries are asked about: all, or those that near numbers do not show to be right."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from vjp_cli.checks.entries import UNKNOWN, Entry
from vjp_cli.checks.judge import Judge
from vjp_cli.checks.screen import screen
from vjp_cli.checks.verdict import radius_of
from vjp_cli.exact.derivatives import settled
from vjp_cli.exact.matrices import Column, Matrix
from vjp_cli.lazy import numpy
from vjp_cli.numbers.scalar import Number, digits, is_finite
from vjp_cli.report import Truth, TruthKind
from vjp_cli.tracing.node import Index, OutOfTime
from vjp_cli.tracing.rounded import Rounded


@dataclass(frozen=True)
class Passed:
    """Entries that near numbers showed to be right.

    Attributes:
        positions: flat.
        max_ulp: the largest error among them, in units in the last place.
        truths: the truths at some of the positions.
        floats: the same as doubles.
    """

    positions: Index
    max_ulp: float
    truths: Callable[[list[int]], list[Truth]]
    floats: Callable[[list[int]], list[float]]


@dataclass(frozen=True)
class Asked:
    """The entries of one matrix or column that were asked about, by flat position.

    Attributes:
        passed: those that near numbers showed to be right.
        rest: what holds of every other entry; None for an exact 0 that agrees.
    """

    entries: dict[int, Entry]
    passed: Passed | None = None
    rest: Entry | None = None


def all_asked(entries: Mapping[str, dict[int, Entry]]) -> dict[str, Asked]:
    """Entries by input of which none was passed over."""
    return {name: Asked(found) for name, found in entries.items()}


class Radii(dict[int, float]):
    """What rounding may be in the numbers at some places of a matrix or column.

    They are made together when the first is asked for, which raises ``OutOfTime`` when the deadline
    is over.
    """

    def __init__(self, truth: Matrix | Column, places: Index, rounded: Rounded) -> None:
        self._make: Callable[[], Mapping[int, Number]] = partial(truth.at, places, rounded)

    def __missing__(self, k: int) -> float:
        self.update({place: radius_of(number) for place, number in self._make().items()})
        return self[k]


@dataclass(frozen=True)
class Judging:
    """The entries of one matrix or column.

    Attributes:
        words: what they are entries of.
        numbers: torch's; None where it gives none.
        flat: the flat position of each entry.
        doubtful: which entries a doubt reaches.
    """

    words: str
    truth: Matrix | Column
    numbers: Any
    flat: Index
    doubtful: Index

    def screened(self, judge: Judge) -> tuple[Passed | None, Index]:
        """The entries that pass, and the places of all others."""
        everything = numpy.arange(len(self.flat))
        if self.numbers is None or not self.truth.waits:
            return None, everything
        try:
            truth = self.truth.near
        except OutOfTime:
            return None, everything
        found = screen(self.numbers, truth, judge.form, self.doubtful)
        places = everything[found.passed]
        positions = self.flat[places]

        def among(wanted: list[int]) -> Index:
            order = numpy.argsort(positions)
            found: Index = places[order[numpy.searchsorted(positions, wanted, sorter=order)]]
            return found

        def truths(wanted: list[int]) -> list[Truth]:
            those = among(wanted)
            try:
                known: Mapping[int, Number] = self.truth.at(those)
            except OutOfTime:
                return [UNKNOWN for _ in wanted]
            return [_truth(known[place]) for place in those.tolist()]

        def floats(wanted: list[int]) -> list[float]:
            found: list[float] = self.truth.near.value[among(wanted)].astype(float).tolist()
            return found

        return Passed(positions, found.max_ulp, truths, floats), everything[~found.passed]


def _truth(number: Number) -> Truth:
    if not (is_finite(number) and settled(number)):
        return UNKNOWN
    return Truth(TruthKind.VALUE, digits(number))
