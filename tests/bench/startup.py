"""Whole-process times of `vjp inspect` on the README's example, as ratios in one run.

    python tests/bench/startup.py [RUNS]

The two commands run in turn, so that a machine that changes its speed changes both. Install the
package (not editable) first: an editable install may have no compiled files.
"""

import shutil
import statistics
import subprocess
import sys
import time

EXAMPLE = ["inspect", "2*(x+2)**2", "--x", "1,2,3", "--v", "0.1,1,1e-4"]
IMPORTS = [sys.executable, "-c", "import torch, sympy"]
TORCH = [sys.executable, "-c", "import torch"]


def seconds(command: list[str]) -> float:
    """The wall time of one run."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def ratio(command: list[str], base: list[str], runs: int) -> float:
    """The median of the pairwise ratios."""
    seconds(command), seconds(base)
    return statistics.median(seconds(command) / seconds(base) for _ in range(runs))


def main() -> None:
    """Print the ratios beside their bars."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    vjp = shutil.which("vjp") or "vjp"
    rows = [
        ("vjp inspect (the example)", [vjp, *EXAMPLE], IMPORTS, 0.9),
        ("vjp --help", [vjp, "--help"], TORCH, 0.1),
        ("vjp --version", [vjp, "--version"], TORCH, 0.1),
    ]
    for name, command, base, bar in rows:
        found = ratio(command, base, runs)
        print(f"{name:28} {found:.3f} of `{base[-1]}` (bar {bar})")


if __name__ == "__main__":
    main()
