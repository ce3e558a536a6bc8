"""A batch as a process of its own, the processes that it starts, and what is done to them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

# what each function in a request is: a file of its own, written by the test
FUNCTIONS = """
import os, signal, time
import torch

def square(x):
    return x**2

def slow(x):
    time.sleep(0.01)
    return x**2

def once_killed(x):
    try:
        os.close(os.open("killed", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return x**2
    os.kill(os.getpid(), signal.SIGKILL)

def always_killed(x):
    os.kill(os.getpid(), signal.SIGKILL)

def endless_in_c(x):
    open("endless", "w").close()
    sum(range(10**13))  # Python hears no signal meanwhile
"""


def wait_for(found: Callable[[], object], seconds: float = 60) -> None:
    """Wait until ``found`` is true."""
    end = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def children(parent: int) -> list[int]:
    """The processes that threads of ``parent`` started."""
    tasks = Path(f"/proc/{parent}/task").glob("*/children")
    return [int(word) for task in tasks for word in task.read_text().split()]


def alive(process: int) -> bool:
    """Whether the process is there and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def end(process: int) -> None:
    os.kill(process, signal.SIGKILL)


@contextmanager
def started(
    *arguments: str, cwd: Path | None = None, output: int = subprocess.PIPE
) -> Iterator[subprocess.Popen[bytes]]:
    """`vjp batch ARGUMENTS`, ended at the end of the test whatever happens."""
    process = subprocess.Popen(
        [sys.executable, "-m", "vjp_cli", "batch", *arguments],
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    try:
        with process:
            yield process
    finally:
        process.kill()


def feed(process: subprocess.Popen[bytes], text: str) -> None:
    """Write to the process, and leave its input open."""
    assert process.stdin is not None
    process.stdin.write(text.encode())
    process.stdin.flush()


def line_of(process: subprocess.Popen[bytes]) -> bytes:
    """The next line that the process writes."""
    assert process.stdout is not None
    return process.stdout.readline()
