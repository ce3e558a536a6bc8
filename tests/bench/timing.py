"""Ratios of times that were measured in turn: a machine that changes its speed changes both."""

import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ratio:
    """How often a base fits into a time, round by round.

    Attributes:
        median: of the rounds.
        least: of them.
        most: of them.
    """

    median: float
    least: float
    most: float

    def __str__(self) -> str:
        return f"{number(self.median)} ({number(self.least)} to {number(self.most)})"

    @property
    def inverse(self) -> "Ratio":
        """How often the time fits into the base."""
        return Ratio(1 / self.median, 1 / self.most, 1 / self.least)


@dataclass(frozen=True)
class Row:
    """A line of the table.

    Attributes:
        what: is measured.
        bar: that DESIGN sets, in words; "" for a peer, which has none.
        found: the measured ratio, in words.
        met: whether the bar is met; None where nothing was measured, or where there is no bar.
    """

    what: str
    bar: str
    found: str
    met: bool | None = None


def number(value: float) -> str:
    """Three digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def at_most(what: str, bar: float, of: str, found: Ratio) -> Row:
    """A row whose ratio should be small."""
    return Row(what, f"at most {bar:g} of {of}", str(found), found.median <= bar)


def at_least(what: str, bar: float, than: str, found: Ratio) -> Row:
    """A row whose ratio should be large: times faster."""
    return Row(what, f"at least {bar:g} times faster than {than}", str(found), found.median >= bar)


def seconds(work: Callable[[], Any]) -> float:
    """The time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def rounds_of(
    works: Mapping[str, Callable[[], Any]], rounds: int, least: float = 0.02
) -> dict[str, list[float]]:
    """Seconds a call of each, round by round in turn, after a warm-up that is not counted.

    ``least``: short work is repeated within a round for about so long.
    """
    repeats = {}
    for name, work in works.items():
        work()
        repeats[name] = max(1, int(least / max(seconds(work), 1e-9)))
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            count = repeats[name]
            start = time.perf_counter()
            for _ in range(count):
                work()
            found[name].append((time.perf_counter() - start) / count)
    return found


def ratio(times: Sequence[float], bases: Sequence[float]) -> Ratio:
    """``times`` in units of ``bases``, pair by pair."""
    each = [a / b for a, b in zip(times, bases, strict=True)]
    return Ratio(statistics.median(each), min(each), max(each))


def best(times: Mapping[str, Sequence[float]]) -> str:
    """The name with the least median."""
    return min(times, key=lambda name: statistics.median(times[name]))


def processes(
    commands: Mapping[str, Sequence[str]], rounds: int, codes: Sequence[int] = (0,)
) -> dict[str, list[float]]:
    """Wall seconds of whole processes, in turn, after a warm-up of each."""

    def runs(command: Sequence[str]) -> Callable[[], None]:
        def run() -> None:
            done = subprocess.run(command, capture_output=True, check=False)
            if done.returncode not in codes:
                raise RuntimeError(f"{command}: {done.stderr.decode()}")

        return run

    works = {name: runs(command) for name, command in commands.items()}
    return rounds_of(works, rounds, least=0)
