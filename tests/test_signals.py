"""Signals at any moment: the exit code, how soon, no child, no half file, no words.

``python -m pytest -m kill`` runs these and the tests that kill the processes of a batch.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.helpers import plain_environment
from tests.processes import alive, children, wait_for

pytestmark = pytest.mark.kill

LINES = "lines.jsonl"
# what a process spends its time with: SymPy and balls, one loop in C, a long output, a batch
WORK = {
    "import": ["inspect", "x**2", "--x", "1"],
    "exact": ["inspect", "softmax(tanh(x)*exp(x), 0)", "--x", "linspace(0,1,60)", "-o", "o.json"],
    "in C": ["inspect", "-f", "endless.py:f", "--x", "1", "--timeout", "1000"],
    "writing": ["inspect", "x**2", "--x", "linspace(0,1,900)", "--full", "--format", "json"],
    "batch": ["batch", LINES, "-o", "out.jsonl"],
    "jobs": ["batch", LINES, "--jobs", "2", "-o", "out.jsonl"],
    "function": ["inspect", "-f", "endless.py:python", "--x", "1", "--timeout", "1000"],
}
ENDLESS = """
def f(x):
    return x.expand(10**13).sum()

def python(x):
    while True:
        pass
"""
MOMENTS = 30


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "endless.py").write_text(ENDLESS)
    line = '{"expression": "sin(x)*%d", "inputs": {"x": [1, 2]}, "v": [1, 1]}\n'
    (tmp_path / LINES).write_text("".join(line % k for k in range(20_000)))
    return tmp_path


def start(folder: Path, work: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "vjp_cli", *WORK[work]],
        cwd=folder,
        env=plain_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def died(process: subprocess.Popen[bytes], number: int) -> float:
    """The seconds from the signal to the end."""
    begin = time.monotonic()
    process.send_signal(number)
    process.wait(60)
    return time.monotonic() - begin


@pytest.fixture(scope="module")
def patience() -> float:
    """Half a second, or more where starting a process takes long just now."""
    begin = time.monotonic()
    subprocess.run([sys.executable, "-c", "import vjp_cli.cli"], check=True)
    return max(0.5, 4 * (time.monotonic() - begin))


def check(process: subprocess.Popen[bytes], number: int, folder: Path, started: list[int]) -> None:
    code = process.returncode
    # nothing was left to do, or the end that the system or the program gives
    assert code in (0, -number, 128 + number)
    assert process.stderr is not None
    words = process.stderr.read().decode()
    assert words == "" or (code == 0 and words.startswith("vjp: ")), words
    left = {"endless.py", LINES, "__pycache__"}
    if code == 0:
        left |= {"o.json", "out.jsonl"}
    assert set(os.listdir(folder)) <= left
    wait_for(lambda: not any(map(alive, started)), 10)


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_ctrl_c_at_any_moment(moment: int, folder: Path, patience: float) -> None:
    chance = random.Random(moment)
    work = list(WORK)[moment % len(WORK)]
    with start(folder, work) as process:
        # the handler is there after a moment of Python's own
        time.sleep(0.15 + 4 * chance.random() ** 2)
        started = children(process.pid) if process.poll() is None else []
        took = died(process, signal.SIGINT)
        assert took < patience, (work, took)
        check(process, signal.SIGINT, folder, started)


@pytest.mark.parametrize("work", ["exact", "in C", "batch", "jobs"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_termination(work: str, number: int, folder: Path, patience: float) -> None:
    with start(folder, work) as process:
        time.sleep(3)
        started = children(process.pid)
        took = died(process, number)
        assert took < patience, (work, took)
        check(process, number, folder, started)


@pytest.mark.parametrize("work", ["batch", "exact"])
def test_a_killed_process_leaves_no_half_file(work: str, folder: Path) -> None:
    with start(folder, work) as process:
        time.sleep(3)
        died(process, signal.SIGKILL)
        check(process, signal.SIGKILL, folder, [])


def test_a_stopped_process_goes_on(folder: Path) -> None:
    with start(folder, "import") as process:
        time.sleep(0.5)
        process.send_signal(signal.SIGTSTP)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGCONT)
        assert process.wait(60) == 0
