"""Where an expression's text comes from: the argument itself, standard input or a file."""

import stat
import sys
from pathlib import Path

from vjp_cli.bounded import read_at_most
from vjp_cli.errors import InputError, LimitError, clean, shorten
from vjp_cli.settings import LIMITS

# one character is four bytes of UTF-8 at most, and a byte order mark may come first; beside the
# expression, whose own limit its parser has, there may be the values of a problem
_MOST_BYTES = 4 * LIMITS.line_characters + 3


class StandardInput:
    """Standard input as bytes; it can be read once in a call."""

    def __init__(self) -> None:
        self._used = False

    def __call__(self, limit: int = LIMITS.file_bytes) -> bytes:
        """All of standard input.

        Args:
            limit: the most bytes that are accepted.

        Raises:
            InputError: it is closed, cannot be read, or was read before.
            LimitError: it is longer than ``limit``.
        """
        if self._used:
            raise InputError("standard input can be used once", "put one of the two in a file")
        self._used = True
        if sys.stdin is None:
            raise InputError("standard input is closed")
        if sys.stdin.isatty() and sys.stderr is not None:
            sys.stderr.write("vjp: reading standard input; end it with Ctrl-D\n")
        try:
            data = read_at_most(sys.stdin.buffer, limit)
        except OSError as error:
            raise InputError(f"cannot read standard input: {error.strerror}") from error
        if data is None:
            raise LimitError(f"standard input has more than {limit} bytes")
        return data


def read_expression(word: str, stdin: StandardInput) -> str:
    """The expression that ``word`` stands for: ``-`` is standard input, ``@file`` a file.

    Raises:
        InputError: the source cannot be read, is empty or is not UTF-8.
        LimitError: it is longer than a problem may be.
    """
    if word == "-":
        return _decoded(stdin(_MOST_BYTES), label(word))
    if word.startswith("@"):
        return _decoded(_file_bytes(word[1:]), label(word))
    return word


def label(word: str) -> str:
    """The source that ``word`` names, as a message says it; empty for an expression itself."""
    if word == "-":
        return "standard input"
    return f"'{shorten(word[1:])}'" if word.startswith("@") else ""


def _file_bytes(name: str) -> bytes:
    if not name:
        raise InputError("@ needs the name of a file", "vjp inspect @expression.txt")
    try:
        status = Path(name).stat()
        # a pipe or a device would be waited for without end
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"cannot read '{shorten(name)}': not a regular file")
        if status.st_size > _MOST_BYTES:
            raise LimitError(f"'{shorten(name)}' has more than {LIMITS.line_characters} characters")
        return Path(name).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read '{shorten(name)}': {clean(str(reason))}") from error


def _decoded(data: bytes, source: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{source} is not UTF-8 (byte {error.start + 1})") from error
    if not text.strip():
        raise InputError(f"{source} is empty")
    return text
