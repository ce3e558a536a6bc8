"""Random problems over the whole operation table: half right, half with a planted error.

    python -m tests.bench.honesty [--count N] [--seed S] [--jobs 2]

Each problem is about one row of the table in turn, within others. It prints what was run, the
verdicts, and each contradiction: `ok` for a planted error, or an accusation of torch's right number
that no difference quotient confirms. Exit 1 where there is one.
"""

import argparse
import collections
import multiprocessing
import os
import sys
import time
import traceback
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field

os.environ.setdefault("OMP_NUM_THREADS", "1")

from tests.honesty.calls import call_of
from tests.honesty.judging import outcome_of
from tests.honesty.vocabulary import words


@dataclass
class Line:
    """The outcome of one problem in words, and what it is counted under."""

    seed: int
    state: str
    row: str = ""
    about: dict[str, str] = field(default_factory=dict)
    verdicts: collections.Counter[str] = field(default_factory=collections.Counter)
    bad: list[str] = field(default_factory=list)
    confirmed: list[str] = field(default_factory=list)


def line_of(seed: int) -> Line:
    """Make one problem and judge it."""
    warnings.simplefilter("ignore")
    try:
        call = call_of(seed)
        if call is None:
            return Line(seed, "none")
        # each row in both ways, in turn
        planted = seed // len(words()) % 2 == 1
        outcome = outcome_of(call, planted)
    except Exception:
        # whatever it is, it is a fault of ours
        return Line(seed, "crash", bad=[f"seed {seed}: " + traceback.format_exc(limit=-9)])
    count = sum(t.numel() for t in call.inputs.values())
    about = {
        "depth": str(call.depth),
        "dtype": call.dtype,
        "layout": call.layout,
        "input elements": next(w for n, w in _SIZES if count <= n),
        "screened": "yes" if call.waiting or call.large else "no",
    }
    if outcome.kind:
        about["planted" if outcome.state == "planted" else "invisible plants"] = outcome.kind
    words_ = f"seed {seed}: {call.source} ({call.dtype}, {call.layout})"
    line = Line(seed, outcome.state, call.row, about, collections.Counter(outcome.verdicts))
    line.bad = [f"{words_}: ok for {w}, {outcome.kind}" for w in outcome.missed]
    for accusation, confirmation in outcome.accused:
        kept = line.confirmed if confirmation else line.bad
        kept.append(f"{words_}: {accusation}, {confirmation or 'not confirmed'}")
    return line


_SIZES = ((0, "0"), (1, "1"), (4, "2 to 4"), (20, "5 to 20"), (2000, "21 to 2000"), (10**9, "more"))


def run(seeds: Iterable[int], jobs: int, until: float) -> Iterable[Line]:
    """The outcomes as they come, in any order; no further ones after ``until``."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, maxtasksperchild=4000) as pool:
        for line in pool.imap_unordered(line_of, seeds, chunksize=20):
            yield line
            if time.monotonic() > until:
                pool.terminate()
                return


class Tally:
    """All that is counted."""

    def __init__(self) -> None:
        self.states: collections.Counter[str] = collections.Counter()
        self.rows: collections.Counter[str] = collections.Counter()
        self.about: dict[str, collections.Counter[str]] = {}
        self.verdicts = {s: collections.Counter[str]() for s in ("right", "planted")}
        self.bad: list[str] = []
        self.confirmed: list[str] = []

    def add(self, line: Line) -> None:
        """Count one outcome, and say at once what is bad."""
        self.states[line.state] += 1
        self.bad += line.bad
        self.confirmed += line.confirmed
        for words_ in line.bad:
            print("BAD", words_, flush=True)
        if line.state in self.verdicts:
            self.rows[line.row] += 1
            self.verdicts[line.state] += line.verdicts
        for name, value in line.about.items():
            self.about.setdefault(name, collections.Counter())[value] += 1

    def show(self, seed: int) -> None:
        """Print all of it."""
        judged = self.states["right"] + self.states["planted"]
        print(f"{judged} problems judged from seed {seed}: " + _words(self.states))
        fewest = min(words(), key=lambda row: self.rows[row])
        print(
            f"rows of the table: {len(self.rows)} of {len(words())}, fewest {fewest} "
            f"{self.rows[fewest]}, most {max(self.rows.values(), default=0)}"
        )
        for name, counts in sorted(self.about.items()):
            print(f"{name}: {_words(counts)}")
        for state, counts in self.verdicts.items():
            entries = max(counts.total(), 1)
            print(f"{state}, entries: {_words(counts)}")
            print(f"{state}, unchecked: {100 * counts['unchecked'] / entries:.3f} %")
        print(f"accusations of torch that difference quotients confirm: {len(self.confirmed)}")
        print(*self.confirmed[:200], sep="\n")
        print(f"contradictions: {len(self.bad)}")
        print(*self.bad, sep="\n")


def _words(counts: collections.Counter[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counts.most_common())


def main() -> int:
    """Exit 1 when anything contradicts a report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=1e6, help="stop there, whatever the count")
    chosen = parser.parse_args()
    tally = Tally()
    seeds = range(chosen.seed, chosen.seed + chosen.count)
    for line in run(seeds, chosen.jobs, time.monotonic() + 60 * chosen.minutes):
        tally.add(line)
    tally.show(chosen.seed)
    return 1 if tally.bad else 0


if __name__ == "__main__":
    sys.exit(main())
