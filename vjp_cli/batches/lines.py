"""The request lines of a batch, numbered, each whole or known to be too long."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from vjp_cli.settings import LIMITS

# one character is four bytes of UTF-8 at most; a byte order mark and a line end come beside them
_MOST_BYTES = 4 * LIMITS.line_characters + 5
_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Line:
    """A line that is not blank.

    Attributes:
        number: of the line, from 1; blank lines count.
        text: what stands in it, without white space around; None for a line that is too long.
    """

    number: int
    text: bytes | None


def lines_of(stream: BinaryIO) -> Iterator[Line]:
    """The lines of ``stream``, JSON Lines in UTF-8, each read when it is asked for."""
    number = 0
    while line := stream.readline(_MOST_BYTES + 1):
        number += 1
        whole = _skip_rest(stream, line)
        if number == 1:
            line = line.removeprefix(_MARK)
        line = line.strip()
        if line:
            yield Line(number, line if whole else None)


def _skip_rest(stream: BinaryIO, line: bytes) -> bool:
    """Whether ``line`` is a whole one; if not, what is left of it is read over."""
    if len(line) <= _MOST_BYTES:
        return True
    while not line.endswith(b"\n") and (line := stream.readline(1 << 20)):
        pass
    return False
