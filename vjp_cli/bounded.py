"""Reading no more than a limit, with memory for what is there alone."""

from typing import BinaryIO

_PIECE = 1 << 20


def read_at_most(stream: BinaryIO, limit: int) -> bytes | None:
    """All that is left of ``stream``; None where that is more than ``limit`` bytes.

    (``stream.read(limit)`` would take memory for ``limit`` bytes first.)
    """
    data = bytearray()
    while len(data) <= limit:
        piece = stream.read(_PIECE)
        if not piece:
            return bytes(data)
        data += piece
    return None
