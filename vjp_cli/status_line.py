"""A line on standard error that says what takes so long, and is gone when it is done."""

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from vjp_cli.progress import Stage, listening

# nobody wonders before
_PATIENCE = 2.0
_EVERY = 0.25
_ERASE = "\r\x1b[K"


@contextmanager
def status_line(quiet: bool) -> Iterator[None]:
    """While this is entered, stages of more than two seconds' work are shown on a terminal."""
    stream = sys.stderr
    if quiet or not _erasable(stream):
        yield
        return
    line = StatusLine(stream, _PATIENCE)
    with listening(line.tell):
        line.start()
        try:
            yield
        finally:
            line.stop()


def _erasable(stream: TextIO | None) -> bool:
    with suppress(ValueError):
        return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
    return False


class StatusLine:
    """Draws the last stage that it was told of, in a thread of its own.

    Args:
        stream: the terminal.
        patience: seconds before the line appears.
    """

    def __init__(self, stream: TextIO, patience: float) -> None:
        self._stream = stream
        self._patience = patience
        self._stage = Stage("loading torch")
        self._began = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def tell(self, stage: Stage) -> None:
        """Something else is being done now."""
        self._stage = stage

    def start(self) -> None:
        """Begin to wait."""
        self._thread.start()

    def stop(self) -> None:
        """Erase the line, if there is one; none comes after this."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        if self._over.wait(self._patience):
            return
        # a terminal that is gone ends the line, not the work
        with suppress(OSError, ValueError):
            while not self._over.wait(_EVERY):
                self._write(_ERASE + self.text())
            self._write(_ERASE)

    def text(self) -> str:
        """What the line says, within the width of the terminal."""
        stage, seconds = self._stage, time.monotonic() - self._began
        count = f" {stage.done:,} of {stage.total:,}" if stage.total else ""
        words = f"vjp: {seconds:.0f} s: {stage.words}{count}"
        with suppress(UnicodeError, LookupError):
            encoding = self._stream.encoding or "ascii"
            words = words.encode(encoding, "replace").decode(encoding)
        return words[: max(self._columns() - 1, 1)]

    def _columns(self) -> int:
        # of standard error: the output may go elsewhere
        with suppress(OSError, ValueError):
            # a terminal that does not know its size says 0
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        return 80

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
