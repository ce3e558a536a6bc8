"""Writing: the answer to standard output or a file, the error to standard error."""

import json
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from io import BufferedWriter, RawIOBase
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from vjp_cli.beside import replacing
from vjp_cli.errors import OutputError, VjpError, clean, shorten
from vjp_cli.failures import ERROR_SCHEMA, document
from vjp_cli.settings import Color

T = TypeVar("T")

# what the tables draw with, apart from letters and digits
_DRAWN = "│─┼·∂ᵀ"
# nothing is cut where no terminal sets a width
UNBOUNDED = 1_000_000


@contextmanager
def apart() -> Iterator[None]:
    """What C code and programs started by a user's function write goes to standard error."""
    with ExitStack() as stack:
        # a closed stream needs no protection
        with suppress(OSError, ValueError, AttributeError):
            sys.stdout.flush()
            own = os.dup(1)
            stack.callback(os.close, own)
            os.dup2(2, 1)
            stack.callback(os.dup2, own, 1)
        yield


def made_apart(items: Iterator[T]) -> Iterator[T]:
    """The items, each made ``apart``."""
    done = object()
    while True:
        with apart():
            item = next(items, done)
        if item is done:
            return
        yield item  # type: ignore[misc]


def write_text(text: str, path: str | None = None) -> None:
    """Write ``text`` whole, or leave the old file as it was; ``None`` and ``-`` are stdout.

    Raises:
        OutputError: it could not be written.
    """
    with writer(path) as write:
        write(text)


def write_bytes(data: bytes, path: str) -> None:
    """Write ``data`` whole to a file, or leave the old one as it was.

    Raises:
        OutputError: it could not be written.
    """
    with binary_writer(path) as file:
        file.write(data)


@contextmanager
def writer(path: str | None = None) -> Iterator[Callable[[str], None]]:
    """A function that writes one text after another, each at once to whoever reads.

    A regular file is written beside its place and takes it at the end: until then, and if anything
    goes wrong, the old file stays. ``None`` and ``-`` are stdout.

    Raises:
        OutputError: it could not be written.
    """
    if path is None or path == "-":
        yield _write_stdout
        return
    with ExitStack() as stack:
        with worded(path):
            file = stack.enter_context(_opened(path))

        def write(text: str) -> None:
            with worded(path):
                write_all(file, text.encode())

        yield write
        with worded(path):
            stack.close()


@contextmanager
def binary_writer(path: str) -> Iterator[IO[bytes]]:
    """A file for bytes, which takes the place of a regular one when all of it is written.

    Raises:
        OutputError: it could not be written.
    """
    with worded(path), _opened(path) as file:
        buffered = BufferedWriter(cast(RawIOBase, file))
        try:
            yield buffered
        finally:
            # what is left in it is written; closing it would close the file before it has its place
            buffered.detach()


@contextmanager
def worded(path: str) -> Iterator[None]:
    """Say of an error of the system that ``path`` could not be written.

    Raises:
        OutputError: there was one.
    """
    try:
        yield
    except (OSError, ValueError) as error:
        raise OutputError(f"cannot write '{shorten(path)}': {_reason(error)}") from error


def _opened(path: str) -> AbstractContextManager[IO[bytes]]:
    target = Path(path)
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        # a device or a pipe cannot be replaced, only written
        return target.open("wb", buffering=0)
    return replacing(Path(os.path.realpath(path)))


def _write_stdout(text: str) -> None:
    stream = sys.stdout
    if stream is None:
        raise OutputError("standard output is closed")
    data = text.encode(stream.encoding, stream.errors or "strict")
    try:
        stream.flush()
        write_all(stream.buffer, data)
        stream.flush()
    except OSError as error:
        _abandon(stream)
        raise OutputError(f"cannot write the output: {_reason(error)}") from error


def write_all(stream: IO[bytes], data: bytes) -> None:
    """Write ``data`` to an unbuffered stream, to the last byte."""
    left = memoryview(data)
    # an unbuffered stream may take a part only, and says so in its answer alone
    while left:
        left = left[stream.write(left) or 0 :]


def _abandon(stream: IO[Any]) -> None:
    """What could not be written must not be tried again at exit, which would end with 120."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _reason(error: Exception) -> str:
    return clean(str(getattr(error, "strerror", None) or error))


def write_error(error: VjpError, as_json: bool = False) -> None:
    """Say what is wrong on standard error: a line, its place and a hint, or one JSON object."""
    say(_error_json(error) if as_json else _error_text(error))


def _error_text(error: VjpError) -> str:
    lines = [f"vjp: error: {clean(error.message)}"]
    if error.place is not None and "".join(error.place.source.split("\n")).isprintable():
        lines.append(error.place.caret())
    if error.hint:
        lines.append(f"hint: {clean(error.hint)}")
    return "\n".join(lines) + "\n"


def _error_json(error: VjpError) -> str:
    return json.dumps({"schema": ERROR_SCHEMA, "ok": False, "error": document(error)}) + "\n"


def say(text: str) -> None:
    """Show ``text`` on standard error; nothing depends on whether that is there."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(text)
            sys.stderr.flush()


def progress_wanted(path: str | None, quiet: bool) -> bool:
    """Whether a line on the terminal may say how far it is, and disturbs no output there."""
    if sys.stderr is None or not sys.stderr.isatty() or quiet:
        return False
    return path not in (None, "-") or not _on_terminal()


def colored(choice: Color, path: str | None) -> bool:
    """Whether to colour: the option, then NO_COLOR, then FORCE_COLOR, then the terminal."""
    if choice is not Color.AUTO:
        return choice is Color.ALWAYS
    if path not in (None, "-") or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return _on_terminal() and os.environ.get("TERM") != "dumb"


def width(path: str | None) -> int:
    """The columns to fill: those of the terminal within reason, else without bound."""
    if path not in (None, "-") or not _on_terminal():
        return UNBOUNDED
    return min(max(shutil.get_terminal_size().columns, 40), 200)


def unicode_drawn(path: str | None) -> bool:
    """Whether the output can carry the characters that tables are drawn with."""
    if path not in (None, "-") or sys.stdout is None:
        return True
    try:
        _DRAWN.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True


def _on_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()
