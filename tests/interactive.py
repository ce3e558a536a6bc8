"""A shell at a terminal of its own: a line is typed, TAB is pressed, the screen is read."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_CONTROL = re.compile(
    r"\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b[=>]|\x1b\][^\x07]*\x07|\x1b\(B|[\x07\x00\x0e\x0f]"
)
# nothing comes any more: the shell waits
_QUIET = 1.2
_PATIENCE = 20.0


class Shell:
    """What is on the other side of the terminal."""

    def __init__(self, terminal: int) -> None:
        self.terminal = terminal

    def type(self, text: str, until: str = "") -> str:
        """What the terminal shows of ``text`` and the answer, at least until ``until`` is there."""
        os.write(self.terminal, text.encode())
        shown, end = "", time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            ready, _, _ = select.select([self.terminal], [], [], _QUIET)
            if ready:
                shown += os.read(self.terminal, 65536).decode(errors="replace")
            elif until in _CONTROL.sub("", shown):
                break
        return _CONTROL.sub("", shown)


@contextmanager
def shell(*command: str, folder: Path, environment: Mapping[str, str]) -> Iterator[Shell]:
    """A shell in ``folder``; it ends with the block."""
    parent, child = pty.openpty()
    process = subprocess.Popen(
        command,
        stdin=child,
        stdout=child,
        stderr=child,
        cwd=folder,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200", "PS1": "> ", **environment},
        start_new_session=True,
    )
    os.close(child)
    try:
        yield Shell(parent)
    finally:
        process.kill()
        process.wait()
        os.close(parent)


def program(folder: Path) -> Path:
    """A ``vjp`` in ``folder``, which a shell finds there."""
    file = folder / "vjp"
    root = Path(__file__).parents[1]
    file.write_text(
        f'#!/bin/sh\nPYTHONPATH={root} exec {sys.executable} -W ignore -m vjp_cli "$@"\n'
    )
    file.chmod(0o755)
    return file
