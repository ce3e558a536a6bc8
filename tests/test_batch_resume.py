"""A batch that is stopped goes on later, and gives the same file."""

import json
import os
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.batches import GOOD, lines
from tests.helpers import Asked, Result, ask, refused, run
from tests.processes import FUNCTIONS, end, feed, started, wait_for
from vjp_cli.errors import shorten

REQUESTS = [
    {"id": "a", "expression": "x**2", "inputs": {"x": [1, 2, 3]}, "v": [1, 0.5, -1]},
    {"id": "b", "expression": "x +"},
    {"id": "µ", "expression": "relu(x)", "inputs": {"x": 0}},
    GOOD,
]


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in").write_text(lines(*REQUESTS))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    return ask(monkeypatch)


def resumed(*more: str) -> Result:
    return run("batch", "in", "-q", "-o", "out", "--resume", *more)


def stopped(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """A run that is interrupted before it answers the request after that many good ones."""
    with monkeypatch.context() as patch:
        asked = ask(patch)
        from vjp_cli import cli

        inspect = cli.inspection.inspect

        def interrupted(request: object, settings: object) -> object:
            if len(asked) == after:
                raise KeyboardInterrupt
            return inspect(request, settings)

        patch.setattr(cli.inspection, "inspect", interrupted)
        assert resumed().exit_code == 130


def test_an_uninterrupted_run_leaves_the_file_alone(asked: Asked) -> None:
    plain = run("batch", "in")
    assert resumed() == Result(2, "", "")
    assert Path("out").read_text() == plain.stdout
    assert sorted(os.listdir()) == ["in", "out"]


@pytest.mark.kill
@pytest.mark.parametrize("options", [(), ("--fail-fast",)])
def test_a_stopped_run_goes_on(options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ask(monkeypatch)
    plain = run("batch", "in", *options).stdout
    asked.clear()
    stopped(monkeypatch, 2)
    assert sorted(os.listdir()) == ["in", "out.part", "out.part.log"]
    # the exit code of the bad line is not forgotten
    assert resumed(*options).exit_code == 2
    assert len(asked) == (0 if options else 1)
    # with --fail-fast the run that was stopped had gone on after the bad line
    assert Path("out").read_text().startswith(plain)
    assert options or Path("out").read_text() == plain


def test_every_way_to_tear_the_files(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run("batch", "in").stdout
    stopped(monkeypatch, 2)
    part, log = Path("out.part").read_bytes(), Path("out.part.log").read_bytes()
    # the log is written after the answer, so the part may have more, and anything less if the
    # machine lost its power
    tears = [(size, len(log)) for size in range(0, len(part), 97)]
    tears += [(len(part), size) for size in range(80, len(log), 7)]
    for part_size, log_size in tears:
        Path("out.part").write_bytes(part[:part_size])
        Path("out.part.log").write_bytes(log[:log_size])
        assert resumed() == Result(2, "", ""), (part_size, log_size)
        assert Path("out").read_text() == expected
        assert sorted(os.listdir()) == ["in", "out"]


def test_other_lines_are_refused(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(monkeypatch, 2)
    before = Path("out.part").read_bytes()
    path = shorten(str(Path("out.part").absolute()))
    for text, message in (
        (
            lines(REQUESTS[0], GOOD, *REQUESTS[2:]),
            f"line 2 differs from the one answered in '{path}'",
        ),
        ("\n" + lines(*REQUESTS), f"line 2 differs from the one answered in '{path}'"),
        (lines(*REQUESTS[:2]), f"there are fewer lines than answers in '{path}'"),
    ):
        Path("in").write_text(text)
        refused(resumed(), message, "remove it to start afresh")
        assert Path("out.part").read_bytes() == before
    # what comes after the answers may be new
    Path("in").write_text(lines(*REQUESTS[:3], GOOD, GOOD))
    assert resumed().exit_code == 2
    assert len(Path("out").read_text().splitlines()) == 5


def test_other_options_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(monkeypatch, 1)
    path = shorten(str(Path("out.part").absolute()))
    refused(
        resumed("--strict"),
        f"'{path}' was made with other options or another version",
        "give the same ones, or remove it to start afresh",
    )


def test_a_file_of_somebody_else_is_left_alone() -> None:
    Path("out.part").write_text("precious")
    refused(
        resumed(),
        f"'{shorten(str(Path('out.part').absolute()))}' is not from a batch",
        "choose another FILE",
    )
    assert Path("out.part").read_text() == "precious"


def test_there_must_be_a_file() -> None:
    refused(run("batch", "in", "--resume"), "--resume needs a file to go on with", "-o FILE")
    for name in ("-", os.devnull):
        result = run("batch", "in", "--resume", "-o", name)
        refused(result, f"--resume needs a file: '{name}' is none", "-o FILE")


@pytest.mark.kill
def test_only_one_process_writes() -> None:
    with started("-", "-o", "out", "--resume") as process:
        feed(process, lines(GOOD))
        wait_for(lambda: Path("out.part").exists() and Path("out.part").stat().st_size)
        message = (
            f"'{shorten(str(Path('out.part').absolute()))}' is being written by another process"
        )
        refused(run("batch", "in", "-o", "out", "--resume"), message, exit_code=5)


@pytest.mark.kill
def test_a_killed_run_gives_the_same_file_in_the_end(tmp_path: Path) -> None:
    Path("f.py").write_text(FUNCTIONS)
    slow = {"function": "f.py:slow", "inputs": {"x": [1, 2]}, "v": [1, 1]}
    Path("in").write_text(lines(*REQUESTS, *[slow | {"id": at} for at in range(12)]))
    whole = run("batch", "in", "--allow-functions")
    options = ("in", "-o", "out", "--resume", "--allow-functions", "--jobs", "2")
    for count in (3, 8):
        with started(*options) as process:
            wait_for(Path("out.part").exists)
            wait_for(partial(_has_lines, count))
            end(process.pid)
            process.wait()
        assert not Path("out").exists()
    assert run("batch", *options, "-q") == Result(whole.exit_code, "", "")
    assert Path("out").read_text() == whole.stdout


def _has_lines(count: int) -> bool:
    return Path("out.part").read_bytes().count(b"\n") >= count


def test_a_full_disk_is_5_and_loses_nothing() -> None:
    whole = run("batch", "in").stdout
    # as much as fits the first answer and a part of the second one
    size = whole.index("\n") + 100
    result = subprocess.run(
        [sys.executable, "-m", "vjp_cli", "batch", "in", "-o", "out", "--resume"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
        check=False,
    )
    path = shorten(str(Path("out.part").absolute()))
    assert result.stderr == f"vjp: error: cannot write '{path}': File too large\n"
    assert (result.returncode, result.stdout) == (5, "")
    assert Path("out.part").stat().st_size == size
    assert resumed().exit_code == 2
    assert Path("out").read_text() == whole
    assert [json.loads(line)["line"] for line in whole.splitlines()] == [1, 2, 3, 4]
