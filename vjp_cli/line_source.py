"""Where the lines of a batch come from: standard input, a file or a pipe, read as they come."""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from vjp_cli.errors import InputError, clean, shorten


@contextmanager
def request_lines(name: str) -> Iterator[BinaryIO]:
    """The stream that ``name`` stands for; ``-`` is standard input, which stays open.

    Raises:
        InputError: it cannot be opened.
    """
    if name == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed")
        if sys.stdin.isatty() and sys.stderr is not None:
            sys.stderr.write("vjp: reading standard input; end it with Ctrl-D\n")
        yield _anew(sys.stdin.buffer)
        return
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(Path(name).open("rb"))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"cannot read '{shorten(name)}': {clean(str(reason))}") from error
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            # closing waits for a thread that waits for the next line of a pipe
            stack.pop_all()
        yield stream


def _anew(stream: BinaryIO) -> BinaryIO:
    """The same stream with a lock of its own.

    At its end the program takes that of standard input, and must not wait there for a thread that
    waits for the next line.
    """
    try:
        return open(stream.fileno(), "rb", closefd=False)
    except (OSError, ValueError):
        return stream
