"""The program at a terminal, in a pipe, on a closed stream: as its own process."""

import os
import pty
import re
import shutil
import subprocess
import sys

import pytest

from tests.helpers import ask, run
from vjp_cli.settings import Format

PYTHON = f"{sys.executable} -W ignore -m vjp_cli"
VJP = f"{PYTHON} inspect 'x**2' --x 1,2,3 --v 1,1,0.5"
# two kilobytes a row: more than a pipe holds
LONG = f"{PYTHON} inspect 'x**2' --x 'linspace(0,1,250)' --v ones --full"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def environment(**changes: str) -> dict[str, str]:
    own = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return {**own, "TERM": "xterm", **changes}


def at_a_terminal(line: str, columns: int = 100, **changes: str) -> str:
    """What the terminal shows after a shell has run ``line``, as it came."""
    parent, child = pty.openpty()
    pty_size(child, columns)
    with subprocess.Popen(
        ["bash", "-c", line],
        stdin=child,
        stdout=child,
        stderr=subprocess.PIPE,
        env=environment(**changes),
    ) as process:
        os.close(child)
        shown = _read(parent)
        os.close(parent)
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 0
    return shown.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    shown = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            # the other end is gone
            return shown
        shown += part


def pty_size(terminal: int, columns: int) -> None:
    import fcntl
    import struct
    import termios

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))


def shell(line: str, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment(**changes),
        check=False,
    )


def test_a_terminal_has_colours_and_its_own_width() -> None:
    shown = at_a_terminal(VJP, columns=60)
    assert ESCAPE.search(shown)
    assert max(len(ESCAPE.sub("", line)) for line in shown.splitlines()) <= 60


@pytest.mark.parametrize("changes", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colours(changes: dict[str, str]) -> None:
    shown = at_a_terminal(VJP, **changes)
    assert "\x1b" not in shown
    assert "vᵀJ" in shown


@pytest.mark.parametrize("fmt", ["csv", "html"])
def test_no_other_format_has_colours_or_a_width(fmt: str) -> None:
    shown = at_a_terminal(f"{VJP} --format {fmt} --color always", columns=40)
    assert "\x1b" not in shown
    assert shown == shell(f"{VJP} --format {fmt}").stdout


@pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed")
def test_less_shows_the_colours_that_it_is_given() -> None:
    # less -R on a terminal: FORCE_COLOR makes the pipe coloured, -F ends where a page is enough
    shown = at_a_terminal(f"{VJP} | less -RFX", FORCE_COLOR="1")
    assert ESCAPE.search(shown)
    assert "ESC[" not in shown
    assert "compared with" in shown


@pytest.mark.parametrize(
    ("fmt", "changes"), [("table", {}), ("csv", {"PYTHONUNBUFFERED": "1"}), ("markdown", {})]
)
def test_a_reader_who_leaves_is_no_error(fmt: str, changes: dict[str, str]) -> None:
    pipe = f"{LONG} --format {fmt} | head -c 10 >/dev/null; echo ${{PIPESTATUS[0]}}"
    done = shell(pipe, **changes)
    assert done.stdout == "141\n"
    assert done.stderr == ""


@pytest.mark.parametrize("fmt", ["table", "markdown"])
def test_a_closed_stream(fmt: str) -> None:
    done = shell(f"{VJP} --format {fmt} >&-")
    assert (done.returncode, done.stderr) == (5, "vjp: error: standard output is closed\n")
    done = shell(f"{VJP} --format {fmt} 2>&-")
    assert done.returncode == 0
    assert done.stdout


@pytest.mark.parametrize("fmt", Format)
def test_ascii_alone_carries_every_format(monkeypatch: pytest.MonkeyPatch, fmt: Format) -> None:
    ask(monkeypatch)
    result = run("inspect", "x", "--x", "1,2", "--format", fmt, encoding="ascii")
    assert result.exit_code == 0
    # no sign of mathematics is left as an escape; those of JSON mean themselves
    assert not re.search(r"\\u[0-9a-f]{4}", result.stdout) or fmt in (Format.JSON, Format.JSONL)
