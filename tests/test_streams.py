"""The program at a terminal, in a pipe, on a closed stream: as its own process."""

import json
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


@pytest.mark.parametrize(("fmt", "changes"), [("table", {"PYTHONUNBUFFERED": "1"}), ("json", {})])
def test_a_full_disk(fmt: str, changes: dict[str, str]) -> None:
    done = shell(f"{VJP} --format {fmt} >/dev/full", **changes)
    message = "cannot write the output: No space left on device"
    assert (done.returncode, done.stdout) == (5, "")
    if fmt == "json":
        assert json.loads(done.stderr)["error"]["message"] == message
    else:
        assert done.stderr == f"vjp: error: {message}\n"


def test_the_first_line_says_it_all() -> None:
    done = shell(f"{LONG} | head -1; echo ${{PIPESTATUS[@]}}", PYTHONUNBUFFERED="1")
    first, codes = done.stdout.splitlines()
    assert first.startswith("ok   y = x**2 · x: 250 · y: 250 · float64")
    # the whole report was in the pipe, or vjp was ended by the signal
    assert codes in ("141 0", "0 0")
    assert done.stderr == ""


@pytest.mark.skipif(shutil.which("column") is None, reason="column is not installed")
def test_column_lines_up_csv() -> None:
    lines = shell(f"{VJP} --format csv | column -s, -t").stdout.splitlines()
    # nine entries of J and three of vᵀJ under their heading
    assert len(lines) == 13
    assert len({line.rindex(line.split()[-1]) for line in lines}) == 1


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_jq_reads_every_number() -> None:
    line = f"{PYTHON} inspect 'x/x' --x 0,2,inf --v ones --json"
    done = shell(f"{line} | jq -e -c '[.verdict, (.vjp.x | map(type))]'")
    # NaN is a text, which tonumber reads
    assert json.loads(done.stdout)[1] == ["string", "number", "string"]
    assert done.returncode == 0
    failed = shell(f"set -o pipefail; {PYTHON} inspect '2x' --x 1 --json | jq .")
    assert (failed.returncode, failed.stdout) == (2, "")
    assert json.loads(failed.stderr)["ok"] is False


@pytest.mark.parametrize(
    ("changes", "coloured"),
    [
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({"FORCE_COLOR": ""}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
        ({"GITHUB_ACTIONS": "true"}, False),
    ],
)
def test_a_pipe_has_colours_for_who_asks(changes: dict[str, str], coloured: bool) -> None:
    shown = shell(VJP, **changes).stdout
    assert bool(ESCAPE.search(shown)) is coloured
    # the words are the same, and no line is cut to a width
    assert ESCAPE.sub("", shown) == shell(VJP, COLUMNS="40").stdout


@pytest.mark.parametrize("page", ["help method", "--help", "help --man", "ops"])
def test_pages_have_no_colours(page: str) -> None:
    done = shell(f"{PYTHON} {page} | cat", FORCE_COLOR="1")
    assert done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("fmt", Format)
def test_ascii_alone_carries_every_format(monkeypatch: pytest.MonkeyPatch, fmt: Format) -> None:
    ask(monkeypatch)
    result = run("inspect", "x", "--x", "1,2", "--format", fmt, encoding="ascii")
    assert result.exit_code == 0
    # no sign of mathematics is left as an escape; those of JSON mean themselves
    assert not re.search(r"\\u[0-9a-f]{4}", result.stdout) or fmt in (Format.JSON, Format.JSONL)
