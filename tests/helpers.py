"""One way to run the program in a test: ``run`` in this process, ``run_process`` as users do."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from unittest import mock

import pytest

from vjp_cli import cli
from vjp_cli.report import Array, Output, Problem, Report, Symbolic, Verdict
from vjp_cli.request import Request
from vjp_cli.settings import Settings

REPORT = Report(
    problem=Problem("3*x", None, "float64", "cpu", "numerator", ("x",)),
    inputs={"x": Array((2,), (1.0, 2.0))},
    output=Output("y", Array((2,), (3.0, 6.0))),
    v=Array((2,), (1.0, 0.5)),
    jacobian={"x": Array((2, 2), (3.0, 0.0, 0.0, 3.0))},
    vjp={"x": Array((2,), (3.0, 1.5))},
    symbolic=Symbolic(),
    structure={},
    judged_jacobian=None,
    judged_vjp=None,
    checks=(),
    findings=(),
    notes=(),
    environment={},
    verdict=Verdict.OK,
    exit_code=0,
)
Asked = list[tuple[Request, Settings]]

_PLAIN = {"NO_COLOR": "", "FORCE_COLOR": "", "VJP_DEBUG": "", "COLUMNS": "80"}


@dataclass(frozen=True)
class Result:
    """What one call of the program answered."""

    exit_code: int
    stdout: str
    stderr: str


class _Bytes(io.BytesIO):
    """A standard stream that keeps its bytes when the program lets go of it."""

    def close(self) -> None:
        pass


@contextmanager
def streams(stdin: str | bytes | None, encoding: str, tty: bool) -> Iterator[tuple[_Bytes, _Bytes]]:
    out, err = _Bytes(), _Bytes()
    given = stdin.encode() if isinstance(stdin, str) else stdin or b""
    names = {
        "stdin": io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"),
        "stdout": io.TextIOWrapper(out, encoding=encoding, errors="backslashreplace"),
        "stderr": io.TextIOWrapper(err, encoding="utf-8", errors="backslashreplace"),
    }
    if tty:
        names["stdout"].isatty = lambda: True  # type: ignore[method-assign]
    with mock.patch.multiple(sys, **names):
        yield out, err
        for name in ("stdout", "stderr"):
            names[name].flush()


def run(
    *arguments: str,
    stdin: str | bytes | None = None,
    environment: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
    tty: bool = False,
) -> Result:
    """Run one command line in this process; it never raises ``SystemExit``."""
    changes = mock.patch.dict(os.environ, {**_PLAIN, **(environment or {})})
    with changes, streams(stdin, encoding, tty) as (out, err):
        try:
            code = cli.run(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
    return Result(code, out.getvalue().decode(encoding), err.getvalue().decode())


def run_process(
    *arguments: str,
    stdin: str | bytes | None = None,
    environment: Mapping[str, str] | None = None,
    code: str | None = None,
) -> Result:
    """Run ``vjp`` as a process of its own, or Python ``code`` instead of it."""
    start = ["-c", code] if code is not None else ["-m", "vjp_cli"]
    done = subprocess.run(
        [sys.executable, *start, *map(os.fsencode, arguments)],
        input=stdin.encode() if isinstance(stdin, str) else stdin or b"",
        capture_output=True,
        env={**plain_environment(), **(environment or {})},
        timeout=120,
        check=False,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def plain_environment() -> dict[str, str]:
    """The environment of a process that answers as ``run`` does."""
    return {**os.environ, **_PLAIN, "PYTHONWARNINGS": "ignore"}


def refused(result: Result, message: str, hint: str = "", exit_code: int = 2) -> None:
    """Assert that the error has exactly this first line, this hint last and nothing on stdout."""
    lines = result.stderr.splitlines()
    assert lines[0] == f"vjp: error: {message}"
    assert (lines[-1] if hint else "") == (f"hint: {hint}" if hint else "")
    assert result.stdout == ""
    assert result.exit_code == exit_code


def ask(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Replace the inspection by one that keeps what it is asked and answers REPORT."""
    calls: Asked = []

    def inspect(request: Request, settings: Settings) -> Report:
        calls.append((request, settings))
        return REPORT

    monkeypatch.setattr(cli.inspection, "inspect", inspect)
    return calls
