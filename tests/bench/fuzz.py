"""As many random inputs as asked, of all kinds; only our own errors may come out, each in time.

    python -m tests.bench.fuzz [--count N] [--seed S] [--jobs 2] [--kinds expression,value]

The seconds are those of the process, not of the clock. It prints how many inputs of each kind were
tried and what was wrong with any. Exit 1 where something was.
"""

import argparse
import collections
import contextlib
import gc
import multiprocessing
import os
import random
import sys
import tempfile
import time

from tests.fuzz.inputs import MAKERS
from tests.fuzz.trials import fault_of, fault_of_valid

# of a hundred inputs; a command line takes as long as a dozen texts
SHARES = {"expression": 50, "value": 25, "request": 20, "options": 4, "accepted": 1}
_BLOCK = 2000


def block(job: tuple[int, tuple[str, ...]]) -> tuple[collections.Counter[str], list[str], float]:
    """Try the inputs of one seed: the counts, the faults, and the seconds of the slowest."""
    seed, kinds = job
    chance = random.Random(seed)
    counts: collections.Counter[str] = collections.Counter()
    faults, slowest = [], 0.0
    # what a test process holds is not looked through each time
    gc.collect()
    gc.freeze()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for kind in chance.choices(kinds, [SHARES[kind] for kind in kinds], k=_BLOCK):
            given = None if kind == "accepted" else MAKERS[kind](chance)
            begin = time.process_time()
            fault = fault_of_valid(chance) if given is None else fault_of(kind, given)
            slowest = max(slowest, time.process_time() - begin)
            counts[kind] += 1
            faults += [f"seed {seed}: {fault}"] if fault else []
        faults += [f"seed {seed}: wrote {name}" for name in os.listdir()]
    return counts, faults, slowest


def main() -> int:
    """Exit 1 when an input was not taken as it should be."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kinds", default=",".join(SHARES))
    parser.add_argument("--minutes", type=float, default=1e6, help="stop there, whatever the count")
    chosen = parser.parse_args()
    kinds = tuple(chosen.kinds.split(","))
    jobs = [(chosen.seed + k, kinds) for k in range(-(-chosen.count // _BLOCK))]
    counts: collections.Counter[str] = collections.Counter()
    faults, slowest, until = [], 0.0, time.monotonic() + 60 * chosen.minutes
    with multiprocessing.get_context("spawn").Pool(chosen.jobs) as pool:
        for found, bad, seconds in pool.imap_unordered(block, jobs):
            counts += found
            faults += bad
            slowest = max(slowest, seconds)
            for each in bad:
                print("BAD", ascii(each)[:600], flush=True)
            if time.monotonic() > until:
                pool.terminate()
                break
    print(f"{counts.total()} inputs from seed {chosen.seed}: ", end="")
    print(", ".join(f"{kind} {number}" for kind, number in counts.most_common()))
    print(f"the slowest took {1000 * slowest:.0f} ms; faults: {len(faults)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
