"""Runs command lines with a tripwire: what must not happen while hostile text is judged.

``python -m tests.tripwire`` reads ``{"warm": [[argument]], "armed": [{"argv", "stdin"}]}`` on
standard input and writes, for each armed line, its exit code, its standard error and the events of
Python's audit hooks that the program has no reason for.
"""

import ast
import json
import sys
import traceback
from importlib.resources import files
from types import FrameType
from typing import Any

from tests.helpers import run
from vjp_cli import cli

FORBIDDEN = (
    "compile",
    "exec",
    "import",
    "open",
    "builtins.breakpoint",
    "builtins.input",
    "code.",
    "cpython.",
    "ctypes.",
    "fcntl.",
    "function.",
    "glob.",
    "marshal.",
    "os.",
    "pickle.",
    "pty.",
    "resource.",
    "shutil.",
    "signal.",
    "socket.",
    "sqlite3.",
    "subprocess.",
    "syslog.",
    "tempfile.",
    "urllib.",
    "webbrowser.",
)
# what the program and typer set for torch and pydantic: no other process sees it
_STYLE = str(files("vjp_cli.render.html") / "page.css")
_HARMLESS = ("os.putenv", "os.unsetenv")


class Tripped(BaseException):
    """No code of the program's may catch it."""


class Tripwire:
    """An audit hook that stops what is forbidden, and keeps it."""

    def __init__(self) -> None:
        self.armed = False
        self.events: list[str] = []

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.armed or event in _HARMLESS or not event.startswith(FORBIDDEN):
            return
        # only so can what is noted not set it off again
        self.armed = False
        try:
            caller = sys._getframe(1)
            if event == "compile" and _only_a_tree(caller):
                return
            if event == "open" and (not arguments[0] or arguments[:2] == (_STYLE, "r")):
                return
            where = "".join(traceback.format_stack(caller, 6))
            self.events.append(f"{event} {arguments!r:.200}\n{where}")
        finally:
            self.armed = True
        raise Tripped(event)


def _only_a_tree(caller: FrameType) -> bool:
    """Whether a text of the user's is parsed where it should be, and nothing is made of it."""
    above = caller.f_back
    return (
        caller.f_code is ast.parse.__code__
        and above is not None
        and above.f_globals["__name__"] in ("vjp_cli.language.source", "vjp_cli.render.html.mathml")
    )


def main() -> None:
    tripwire = Tripwire()
    asked = json.load(sys.stdin)
    for argv in asked["warm"]:
        run(*argv)
    own = cli.run

    def guarded(arguments: Any) -> int:
        tripwire.armed = True
        try:
            return own(arguments)
        except Tripped:
            return -1
        finally:
            tripwire.armed = False

    cli.run = guarded
    sys.addaudithook(tripwire)
    answers = []
    for line in asked["armed"]:
        tripwire.events = []
        result = run(*line["argv"], stdin=line.get("stdin"))
        answers.append([result.exit_code, result.stderr, tripwire.events])
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
