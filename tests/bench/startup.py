"""Whole processes: what a call of the program takes beside the imports of its libraries."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.timing import Row, at_most, number, processes, ratio

VJP = [sys.executable, "-m", "vjp_cli"]
EXAMPLE = ["inspect", "2*(x+2)**2", "--x", "1,2,3", "--v", "0.1,1,1e-4"]
PDE = "x[1:-1]*(1 - x[1:-1]) + 0.1*(x[2:] - 2*x[1:-1] + x[:-2])"
TORCH = [sys.executable, "-c", "import torch"]
# seconds after which the large check is given up
_LIMIT = 100
LIBRARIES = [sys.executable, "-c", "import torch, sympy"]


def rows() -> list[Row]:
    """What the text alone shows against ``import torch``, the example against both imports."""
    os.environ.update(COMP_WORDS="vjp inspect k*x --", COMP_CWORD="3")
    light = processes(
        {
            "torch": TORCH,
            "`vjp --help`": [*VJP, "--help"],
            "`vjp inspect --help`": [*VJP, "inspect", "--help"],
            "`vjp --version`": [*VJP, "--version"],
            "completion": ["env", "_VJP_COMPLETE=complete_bash", *VJP],
            "a parse error": [*VJP, "inspect", "2*(x+", "--x", "1"],
        },
        rounds=9,
        codes=(0, 2),
    )
    base = light.pop("torch")
    found = [
        at_most(name, 0.1, "`import torch`", ratio(times, base)) for name, times in light.items()
    ]
    whole = processes({"both": LIBRARIES, "vjp": [*VJP, *EXAMPLE]}, rounds=11)
    found.append(
        at_most(
            "the example at the top of this page",
            0.75,
            "`import torch, sympy`",
            ratio(whole["vjp"], whole["both"]),
        )
    )
    return found


def large() -> list[Row]:
    """The whole check of a right-hand side with 100,000 unknowns; once only where it is slow."""
    what, bar = "whole check of a PDE's right-hand side, n = 100,000: J, vᵀJ, every entry", 1.5
    of = "`import torch, sympy`"
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "out.json"))
        size = ["--x", "linspace(0,1,100000)", "--v", "ones", "--json", "-o", file]
        command = [*VJP, "inspect", PDE, *size]
        base = statistics.median(processes({"both": LIBRARIES}, rounds=3)["both"])
        start = time.perf_counter()
        try:
            done = subprocess.run(command, capture_output=True, check=False, timeout=_LIMIT)
        except subprocess.TimeoutExpired:
            return [Row(what, f"at most {bar:g} of {of}", f"more than {_LIMIT / base:.0f}", False)]
        taken = (time.perf_counter() - start) / base
        if done.returncode:
            return [Row(what, f"at most {bar:g} of {of}", f"exit code {done.returncode}", False)]
        if taken > 2 * bar:
            return [Row(what, f"at most {bar:g} of {of}", f"{number(taken)} (one run)", False)]
        whole = processes({"both": LIBRARIES, "vjp": command}, rounds=5)
    return [at_most(what, bar, of, ratio(whole["vjp"], whole["both"]))]
