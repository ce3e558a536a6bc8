"""`vjp batch` of small cases against one `vjp inspect` a case: cases a second, in one run.

    python tests/bench/batch.py [CASES]

20 expressions, of x and of k and x, at 5 sizes from 3 to 8, every case at a point of its own; each
gets J, vᵀJ, formulas, the truth and verdicts, and the answer is written as JSON. What `batch` takes
to start is left out (two batches of different lengths are compared), since it is paid once.
"""

import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
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


def seconds(command: list[str]) -> float:
    """The wall time of one run, which finds nothing wrong."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def a_case(count: int, *options: str) -> float:
    """Seconds for each further case of a batch."""
    few = count // 5
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for part in (few, count):
            files.append(Path(folder, f"{part}.jsonl"))
            files[-1].write_text("".join(json.dumps(case) + "\n" for case in cases(part)))
        taken = [seconds([*VJP, "batch", str(file), *options]) for file in files]
    return (taken[1] - taken[0]) / (count - few)


def alone(count: int = 5) -> float:
    """Seconds for one case in a process of its own."""
    found = []
    for case in cases(count):
        options = [f"--{name}={json.dumps(value)}" for name, value in case["inputs"].items()]
        found.append(
            seconds([*VJP, "inspect", case["expression"], *options, "--v", "randn", "--json"])
        )
    return statistics.median(found)


def main() -> None:
    """Print cases a second, and the ratios."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    base = alone()
    print(f"one process a case      {1 / base:8.2f} cases/s")
    for name, options in (("vjp batch", ()), ("vjp batch --jobs 2", ("--jobs", "2"))):
        each = a_case(count, *options)
        print(f"{name:22}  {1 / each:8.0f} cases/s   {base / each:6.0f} times")


if __name__ == "__main__":
    main()
