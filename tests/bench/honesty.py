"""Random problems, every verdict and truth confirmed by slopes that use no derivative formula.

    python tests/bench/honesty.py [COUNT] [FIRST_SEED]

Prints the distribution of verdicts, the share of `unchecked`, and every contradiction.
"""

import collections
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.random_problems import contradictions, random_problem, report_of
from vjp_cli.errors import VjpError


def main() -> int:
    """Exit 1 when anything contradicts a report."""
    warnings.simplefilter("ignore")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    verdicts: collections.Counter[str] = collections.Counter()
    refused = 0
    found: list[str] = []
    for seed in range(first, first + count):
        problem = random_problem(seed)
        try:
            report = report_of(problem)
        except VjpError:
            refused += 1
            continue
        assert report.judged_vjp is not None
        for array in report.judged_vjp.verdicts.values():
            verdicts.update(verdict.value for verdict in array.values)
        found += contradictions(problem, report)
    entries = sum(verdicts.values())
    print(f"{count} problems from seed {first}, {refused} refused by torch, {entries} entries")
    print(", ".join(f"{name} {number}" for name, number in verdicts.most_common()))
    print(f"unchecked: {100 * verdicts['unchecked'] / max(entries, 1):.2f} %")
    print(f"contradictions: {len(found)}", *found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
