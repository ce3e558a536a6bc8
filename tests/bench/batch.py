"""`vjp batch` of small cases against one `vjp inspect` a case: cases a second, in one run.

    python tests/bench/batch.py [CASES]

20 expressions, of x and of k and x, at 5 sizes from 3 to 8, every case at a point of its own; each
gets J, vᵀJ, formulas, the truth and verdicts, and the answer is written as JSON. What `batch` takes
to start is left out (two batches of different lengths are compared), since it is paid once. Beside
the time on the clock stands that on the processors, which others on the machine disturb less.
"""

import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EXPRESSIONS = (
    "2*(x+2)**2",
    "x**3 - 2*x",
    "sin(x)*exp(-x)",
    "tanh(x) + x",
    "sigmoid(2*x)",
    "log(1 + x**2)",
    "sqrt(x + 3)",
    "1/(1 + x**2)",
    "cos(x)**2",
    "x*relu(x)",
    "softplus(x)",
    "exp(-0.5*x**2)",
    "x[1:] - x[:-1]",
    "x.sum()*x",
    "(x**2).sum()",
    "softmax(x, 0)",
    "k*x + x**2",
    "x*k.sum()",
    "logsumexp(x, 0)",
    "k @ x",
)
SIZES = (3, 4, 5, 6, 8)
VJP = [sys.executable, "-m", "vjp_cli"]


def cases(count: int) -> list[dict[str, Any]]:
    """Requests, no two of them alike."""
    numbers = random.Random(0)

    def values(size: int) -> list[float]:
        return [round(numbers.uniform(0.1, 2), 4) for _ in range(size)]

    found = []
    for number in range(count):
        expression = EXPRESSIONS[number % len(EXPRESSIONS)]
        size = SIZES[number // len(EXPRESSIONS) % len(SIZES)]
        inputs = {
            name: values(size) for name in ("k", "x") if re.search(rf"\b{name}\b", expression)
        }
        found.append({"expression": expression, "inputs": inputs, "v": "randn"})
    return found


@dataclass(frozen=True)
class Time:
    """Seconds on the clock and on the processors."""

    clock: float
    processors: float

    def __sub__(self, other: "Time") -> "Time":
        return Time(self.clock - other.clock, self.processors - other.processors)

    def each(self, count: int) -> "Time":
        return Time(self.clock / count, self.processors / count)


def now() -> Time:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Time(time.perf_counter(), used.ru_utime + used.ru_stime)


def timed(command: list[str]) -> Time:
    """The time of one run, which finds nothing wrong."""
    start = now()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return now() - start


def a_case(count: int, *options: str) -> Time:
    """The time for each further case of a batch."""
    few = count // 5
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        for part in (few, count):
            file = Path(folder, f"{part}.jsonl")
            file.write_text("".join(json.dumps(case) + "\n" for case in cases(part)))
            taken.append(timed([*VJP, "batch", str(file), *options]))
    return (taken[1] - taken[0]).each(count - few)


def alone(count: int = 5) -> Time:
    """The time for one case in a process of its own."""
    start = now()
    for case in cases(count):
        options = [f"--{name}={json.dumps(value)}" for name, value in case["inputs"].items()]
        timed([*VJP, "inspect", case["expression"], *options, "--v", "randn", "--json"])
    return (now() - start).each(count)


def main() -> None:
    """Print cases a second, and the ratios."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    base = alone()
    print(
        f"one process a case  {1 / base.clock:7.2f} cases/s  {base.processors:.2f} s of processors"
    )
    for options in ((), ("--jobs", "2")):
        each = a_case(count, *options)
        name = " ".join(("vjp batch", *options))
        print(
            f"{name:18}  {1 / each.clock:7.0f} cases/s  {base.clock / each.clock:.0f} times on the "
            f"clock, {base.processors / each.processors:.0f} on the processors"
        )


if __name__ == "__main__":
    main()
