"""A batch on a Dask cluster: a real scheduler with two workers, on this machine's loopback."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.batches import GOOD, lines
from tests.helpers import refused, run, run_process
from tests.processes import FUNCTIONS, alive, end, feed, line_of, started, wait_for

_ENVIRONMENT = {
    **os.environ,
    "PYTHONWARNINGS": "ignore",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "10s",
}


@contextmanager
def _process(*arguments: str, folder: Path, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    with open(folder / "cluster.log", "ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=folder,
            stdout=log,
            stderr=log,
            env={**_ENVIRONMENT, **more},
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def scheduler(folder: Path) -> Iterator[str]:
    """The address of a scheduler without workers."""
    file = folder / "scheduler.json"
    options = (
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-dashboard",
        "--scheduler-file",
        str(file),
    )
    with _process("distributed.cli.dask_scheduler", *options, folder=folder):
        wait_for(lambda: file.exists() and file.read_text().endswith("}"))
        yield json.loads(file.read_text())["address"]


@contextmanager
def worker(address: str, folder: Path, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    options = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1")
    command = ("distributed.cli.dask_worker", address, *options, "--local-directory", str(folder))
    before = _registered(folder)
    with _process(*command, folder=folder, **more) as process:
        wait_for(lambda: _registered(folder) > before)
        yield process


def _registered(folder: Path) -> int:
    """How many workers a scheduler has met, by the words of the workers."""
    return (folder / "cluster.log").read_text().count("Registered to:")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("f.py").write_text(FUNCTIONS)
    return tmp_path


def test_the_output_is_that_of_this_machine_though_a_worker_is_lost(folder: Path) -> None:
    slow = {"function": "f.py:slow", "inputs": {"x": [1, 2]}, "v": [1, 1]}
    bad = {"id": "bad", "expression": "x +", "inputs": {"x": 1}}
    kink = {"id": 1.5, "expression": "relu(x)", "inputs": {"x": 0}}
    Path("in").write_text(lines(*[slow | {"id": at} for at in range(24)], bad, kink, GOOD))
    with ExitStack() as stack:
        address = stack.enter_context(scheduler(folder))
        first, second = (stack.enter_context(worker(address, folder)) for _ in range(2))
        options = ("in", "--allow-functions", "--scheduler", address)
        process = stack.enter_context(started(*options, cwd=folder))
        out = [line_of(process)]
        end(first.pid)
        assert process.stdout is not None
        out += process.stdout.readlines()
        assert process.wait(60) == 2
        assert alive(second.pid)
    assert b"".join(out).decode() == run("batch", "in", "--allow-functions").stdout


def test_a_line_is_answered_before_the_next_one_is_written(folder: Path) -> None:
    with scheduler(folder) as address, worker(address, folder):
        with started("-", "--scheduler", address) as process:
            for at in (2, 3):
                feed(process, lines({"id": at, "expression": "x**2", "inputs": {"x": at}}))
                answer = json.loads(line_of(process))
                assert (answer["id"], answer["vjp"]["x"]) == (at, 2 * at)
            # the cluster is not ours: it stays when we go
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 143
        [answer] = run_process(
            "batch", "-", "--scheduler", address, stdin=lines(GOOD)
        ).stdout.splitlines()
        assert json.loads(answer)["ok"]


def test_other_versions_are_refused(folder: Path) -> None:
    (folder / "sitecustomize.py").write_text(
        "from importlib import metadata\n"
        "own = metadata.version\n"
        "metadata.version = lambda name: '2.0.0' if name == 'torch' else own(name)\n"
    )
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    with scheduler(folder) as address:
        options = ("batch", "-", "--scheduler", address)
        none = run_process(*options, stdin=lines(GOOD))
        refused(none, f"the scheduler at '{address}' has no workers", f"dask worker {address}")
        with worker(address, folder, PYTHONPATH=path):
            result = run_process(*options, stdin=lines(GOOD))
    assert result.exit_code == 2
    assert " has torch 2.0.0, here it is 2." in result.stderr
    assert result.stderr.endswith("\nhint: install the same versions on both sides\n")


def test_an_address_where_nobody_answers() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    for name in (address, "nowhere"):
        result = run_process("batch", "-", "--scheduler", name, stdin=lines(GOOD))
        assert (result.exit_code, result.stdout) == (2, "")
        message, hint = result.stderr.splitlines()
        assert message == f"vjp: error: no scheduler answers at '{name}' within 10 s"
        assert hint.startswith("hint: --scheduler tcp://HOST:PORT of one that runs (")


def test_the_extra_is_named_where_it_is_missing() -> None:
    code = """
import sys
sys.modules["distributed"] = None
from vjp_cli.cli import run
sys.exit(run(["batch", "-", "--scheduler", "tcp://127.0.0.1:1"]))
"""
    message = "--scheduler needs the package distributed"
    refused(run_process(code=code), message, "pip install 'vjp-cli[dask]'")


def test_one_place_to_compute() -> None:
    refused(
        run("batch", "-", "--jobs", "2", "--scheduler", "tcp://127.0.0.1:1"),
        "--jobs is for this machine, --scheduler for others",
        "leave one out",
    )
