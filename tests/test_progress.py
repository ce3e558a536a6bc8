"""What a long inspection says of itself while it runs, and where it says nothing."""

import os
import pty
import re
import subprocess
import sys
import threading
import time
from io import StringIO
from pathlib import Path

import pytest

from tests.test_inspection import solve
from vjp_cli import status_line
from vjp_cli.progress import Stage, counted, listening, stage
from vjp_cli.status_line import StatusLine

ROOT = Path(__file__).parents[1]
ERASE = "\r\x1b[K"


def heard(*arguments: object, **settings: object) -> list[Stage]:
    told: list[Stage] = []
    with listening(told.append):
        solve(*arguments, **settings)  # type: ignore[arg-type]
    return told


def test_the_stages_of_an_inspection_in_order() -> None:
    told = heard("x*x", {"x": "1,2,3"}, "ones")
    words = [each.words for each in told]
    assert words == [
        "y",
        "torch's J, 3 x 3, 72 bytes in full",
        "the exact derivative",
        "judging",
        *["judging J by x,"] * 3,
        *["judging vᵀJ by x,"] * 3,
        "further checks",
        "formulas",
    ]
    counts = [(each.done, each.total) for each in told if each.words == "judging vᵀJ by x,"]
    assert counts == [(0, 3), (1, 3), (2, 3)]


def test_the_forecast_of_a_large_jacobian() -> None:
    words = [each.words for each in heard("x*2", {"x": "ones(1500)"}, "ones")]
    # 1500² doubles of 8 bytes
    assert words[1] == "vᵀJ first: J, 1,500 x 1,500, 18 MB in full, only by its pattern"
    assert "torch's J by its pattern, 1,500 entries by 1 products" in words


def test_nobody_listens_afterwards() -> None:
    told: list[Stage] = []
    with listening(told.append):
        stage("one")
    stage("two")
    assert list(counted("ab", 2, "three")) == ["a", "b"]
    assert told == [Stage("one")]


class Terminal(StringIO):
    """Standard error as a terminal."""

    def isatty(self) -> bool:
        return True


def drawn(patience: float, seconds: float) -> str:
    terminal = Terminal()
    line = StatusLine(terminal, patience)
    line.start()
    line.tell(Stage("judging J by x,", 12_345, 300_000))
    time.sleep(seconds)
    line.stop()
    return terminal.getvalue()


def test_the_line_appears_after_a_while_and_is_erased() -> None:
    text = drawn(0.0, 0.7)
    assert text.startswith(f"{ERASE}vjp: 0 s: judging J by x, 12,345 of 300,000")
    assert text.endswith(ERASE)
    assert "\n" not in text


def test_short_work_writes_nothing() -> None:
    assert drawn(5.0, 0.1) == ""


def test_a_line_is_never_wider_than_the_terminal() -> None:
    line = StatusLine(Terminal(), 0.0)
    line.tell(Stage("x" * 500))
    assert len(line.text()) == 79


@pytest.mark.parametrize(
    ("stream", "quiet", "term"),
    [
        (StringIO(), False, "xterm"),
        (Terminal(), True, "xterm"),
        (Terminal(), False, "dumb"),
        (None, False, "xterm"),
    ],
)
def test_where_there_is_no_line(
    monkeypatch: pytest.MonkeyPatch, stream: StringIO | None, quiet: bool, term: str
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", term)
    before = threading.active_count()
    with status_line.status_line(quiet):
        assert threading.active_count() == before
        stage("unheard")


def test_an_error_erases_the_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(status_line, "_PATIENCE", 0.0)

    def work() -> None:
        with status_line.status_line(False):
            stage("dividing")
            time.sleep(0.6)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert "dividing" in terminal.getvalue()
    assert terminal.getvalue().endswith(ERASE)


def on_a_terminal(*arguments: str, patience: str = "0.0") -> tuple[str, str]:
    """The program with standard error on a terminal: what it writes to each stream."""
    own, theirs = pty.openpty()
    code = (
        f"import sys; from vjp_cli import status_line; status_line._PATIENCE = {patience}; "
        "from vjp_cli.cli import run; sys.exit(run(sys.argv[1:]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd=ROOT,
        env={**os.environ, "TERM": "xterm", "PYTHONWARNINGS": "ignore"},
    )
    os.close(theirs)
    output, _ = process.communicate(timeout=100)
    text = b""
    try:
        while part := os.read(own, 65536):
            text += part
    except OSError:
        # a terminal whose other side is closed has no more to say
        pass
    finally:
        os.close(own)
    assert process.returncode == 0
    return output.decode(), text.decode()


def test_the_whole_program_on_a_terminal() -> None:
    output, shown = on_a_terminal("inspect", "x**2", "--x", "ones(3000)", "--v", "ones")
    assert "vjp:" not in output
    assert re.search(r"\r\x1b\[Kvjp: \d+ s: ", shown)
    # what is left on the screen when each line erases the one before
    assert shown.endswith(ERASE)
    assert "\n" not in shown


def test_quick_work_leaves_a_terminal_alone() -> None:
    _, shown = on_a_terminal("inspect", "x**2", "--x", "1,2", patience="60.0")
    assert shown == ""
