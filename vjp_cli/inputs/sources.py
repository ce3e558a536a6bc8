"""Where the bytes of a value come from: a regular file or standard input, opened with care."""

import io
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from vjp_cli.bounded import read_at_most
from vjp_cli.errors import InputError, LimitError, shorten
from vjp_cli.settings import LIMITS


@dataclass(frozen=True)
class Source:
    """Bytes to read a value from.

    Attributes:
        name: the option that the value is for.
        path: the file as the user named it.
        key: which array of the file; None if the user named none.
        stream: seekable.
        size: the number of bytes in the stream.
    """

    name: str
    path: str
    key: str | None
    stream: BinaryIO
    size: int

    @property
    def label(self) -> str:
        """The file as a message names it."""
        return _label(self.path)

    def error(self, problem: str, hint: str = "") -> InputError:
        """The error that this file has the ``problem``."""
        return InputError(f"{self.name}: {self.label} {problem}", hint)

    def limit(self, problem: str) -> LimitError:
        """The error that this file is too large."""
        return LimitError(f"{self.name}: {self.label} {problem}")

    def text(self) -> str:
        """The whole content as text, without a byte order mark.

        Raises:
            InputError: if it is not UTF-8.
            LimitError: if it is longer than ``LIMITS.file_bytes``.
        """
        data = read_at_most(self.stream, LIMITS.file_bytes)
        if data is None:
            raise self.limit(f"has more than {LIMITS.file_bytes:,} bytes")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise self.error(f"is not UTF-8 (byte {error.start + 1})", "save it as UTF-8") from None


def _label(path: str) -> str:
    return "standard input" if path in ("-", "/dev/stdin") else shorten(path, 80)


def from_stdin(name: str, stdin: Callable[[], bytes] | None, key: str | None = None) -> Source:
    """Standard input as a source.

    Raises:
        InputError: where there is none.
    """
    if stdin is None:
        raise InputError(f"{name}: standard input cannot be read here", "name a file: @path")
    data = stdin()
    return Source(name, "-", key, io.BytesIO(data), len(data))


@contextmanager
def from_file(name: str, path: str, key: str | None) -> Iterator[Source]:
    """A regular file as a source, closed at the end.

    Raises:
        InputError: if it cannot be read, or is a device, a pipe or a directory.
        LimitError: if it is longer than ``LIMITS.file_bytes``.
    """
    # not blocking, or a pipe without a writer would hold the program for ever
    flags = sum(getattr(os, flag, 0) for flag in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"))
    try:
        descriptor = os.open(os.path.expanduser(path), os.O_RDONLY | flags)
    except OSError as error:
        raise _unreadable(name, path, error.strerror or "the system refuses") from None
    except ValueError:
        raise _unreadable(name, path, "not a file name") from None
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        reason = "Is a directory" if stat.S_ISDIR(mode) else "not a regular file"
        raise _unreadable(name, path, reason)
    with os.fdopen(descriptor, "rb") as stream:
        source = Source(name, path, key, stream, os.fstat(descriptor).st_size)
        if source.size > LIMITS.file_bytes:
            raise source.limit(f"has {source.size:,} bytes; the limit is {LIMITS.file_bytes:,}")
        try:
            yield source
        except OSError as error:
            raise _unreadable(name, path, error.strerror or "the system refuses") from None


def _unreadable(name: str, path: str, reason: str) -> InputError:
    return InputError(f"{name}: cannot read {_label(path)}: {reason}")
