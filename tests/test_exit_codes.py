"""How a call ends: the exit code of every kind of ending, and the words with it."""

import json
import re
import signal
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.helpers import REPORT, Result, refused, run, run_process
from vjp_cli import cli
from vjp_cli.errors import EvaluationError, LimitError
from vjp_cli.report import Report


def answering(monkeypatch: pytest.MonkeyPatch, answer: Callable[[], Report]) -> None:
    monkeypatch.setattr(cli.inspection, "inspect", lambda request, settings: answer())


@pytest.mark.parametrize("code", [0, 1, 3])
def test_the_report_decides_the_exit_code(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, lambda: replace(REPORT, exit_code=code))
    result = run("inspect", "x", "--x", "1")
    assert (result.exit_code, result.stderr) == (code, "")
    assert result.stdout


def raising(error: BaseException) -> Callable[[], Report]:
    def answer() -> Report:
        raise error

    return answer


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (EvaluationError("the shapes do not match"), 3, "the shapes do not match"),
        (LimitError("J would be too large"), 4, "J would be too large"),
        (MemoryError(), 4, "there is not enough memory for this problem"),
        (ImportError("no torch here", name="torch"), 3, "torch cannot be imported: no torch here"),
    ],
)
def test_known_errors_have_their_own_code(
    error: Exception, code: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, raising(error))
    refused(run("inspect", "x", "--x", "1"), message, exit_code=code)


def test_an_interrupt_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, raising(KeyboardInterrupt()))
    assert run("inspect", "x", "--x", "1") == Result(130, "", "")


def test_a_bug_is_one_line_and_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, raising(ValueError("two\nlines \x1b[2J")))
    result = run("inspect", "x", "--x", "1")
    assert result.exit_code == 70
    assert re.fullmatch(
        r"vjp: error: this is a bug in vjp [\d.]+ \(Python [\d.]+\): ValueError: two lines "
        r"\\x1b\[2J\nhint: please report it .*\n",
        result.stderr,
    )
    shown = run("inspect", "x", "--x", "1", environment={"VJP_DEBUG": "1"})
    assert "Traceback" in shown.stderr
    assert shown.exit_code == 70


def test_a_bug_is_json_when_json_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, raising(ValueError("odd")))
    answer = json.loads(run("inspect", "x", "--x", "1", "--format", "json").stderr)
    assert (answer["error"]["kind"], answer["error"]["exit_code"]) == ("bug", 70)


def test_two_formats_contradict_each_other() -> None:
    error = json.loads(run("inspect", "x", "--x", "1", "--json", "--format", "table").stderr)
    assert error["error"]["message"] == "--json and --format table contradict each other"
    assert error["error"]["hint"] == "give one of them"


def test_an_error_as_json_is_the_whole_contract() -> None:
    assert json.loads(run("inspect", "k*x", "--x", "1", "--json").stderr) == {
        "schema": "vjp.error/1",
        "ok": False,
        "error": {
            "kind": "input",
            "message": "no value for k",
            "hint": "add --k VALUE",
            "exit_code": 2,
        },
    }


@pytest.mark.parametrize(
    ("redirection", "message"),
    [
        (">&-", "standard output is closed"),
        (">/dev/full", "cannot write the output: No space left on device"),
    ],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_stdout_that_takes_nothing(redirection: str, message: str, unbuffered: str) -> None:
    code = f"""
import os, subprocess, sys
command = f"{{sys.executable}} -m vjp_cli --help {redirection}"
sys.exit(subprocess.run(["sh", "-c", command]).returncode)
"""
    result = run_process(code=code, environment={"PYTHONUNBUFFERED": unbuffered})
    refused(result, message, exit_code=5)


def test_a_closed_stderr_changes_nothing() -> None:
    code = """
import subprocess, sys
command = f"{sys.executable} -m vjp_cli inspect x 2>&-"
sys.exit(subprocess.run(["sh", "-c", command]).returncode)
"""
    assert run_process(code=code) == Result(2, "", "")


@pytest.mark.parametrize("signal_name", ["SIGINT", "SIGPIPE"])
def test_signals_end_the_program_as_the_system_does(signal_name: str) -> None:
    code = f"""
import os, signal
from vjp_cli import __main__, cli
cli.run = lambda arguments: os.kill(os.getpid(), signal.{signal_name})
__main__.main()
"""
    assert run_process(code=code).exit_code == -getattr(signal, signal_name)


def test_standard_input_that_cannot_be_read() -> None:
    code = """
import subprocess, sys
with open("/proc/self/mem", "rb") as unreadable:
    command = [sys.executable, "-m", "vjp_cli", "inspect", "-"]
    sys.exit(subprocess.run(command, stdin=unreadable).returncode)
"""
    refused(run_process(code=code), "cannot read standard input: Input/output error")


def test_the_collector_does_not_scan_everything_once_more_at_exit() -> None:
    code = """
import atexit, gc, sys
from vjp_cli import cli
atexit.register(lambda: sys.stdout.write(f"frozen: {gc.get_freeze_count() > 1000}"))
sys.argv[1:] = ["--version"]
cli.main()
"""
    assert run_process(code=code).stdout.endswith("frozen: True")


def test_python_dash_m_is_the_program() -> None:
    assert run_process("--version") == run("--version")
