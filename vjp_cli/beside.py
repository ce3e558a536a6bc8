"""Files that are written beside their place, and take it when they are whole."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def replacing(target: Path) -> Iterator[IO[bytes]]:
    """A file for bytes, unbuffered, that takes the place of ``target`` when all of it is there.

    Raises:
        OSError: it cannot be written; the old file stays.
    """
    check_replaceable(target)
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        nameless = _nameless(target.parent)
        with nameless or beside.open("xb", buffering=0) as file:
            yield file
            if nameless is not None:
                _named(file, beside)
        finished(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def finished(beside: Path, target: Path) -> None:
    """Put what was written beside in the place of ``target``, with its rights."""
    if target.exists():
        shutil.copymode(target, beside)
    beside.replace(target)


def check_replaceable(target: Path) -> None:
    """Refuse a file that its owner made read-only.

    Raises:
        PermissionError: it is.
    """
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(None, "it is read-only")


def _nameless(folder: Path) -> IO[bytes] | None:
    """A file in ``folder`` without a name, of which a killed process leaves nothing.

    None where the system has no such thing.
    """
    try:
        descriptor = os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o666)
    except (OSError, AttributeError):
        return None
    return open(descriptor, "wb", buffering=0)


def _named(file: IO[bytes], path: Path) -> None:
    """Give a nameless file its name."""
    # only with a folder's descriptor, which is of no use here, are links followed
    own = file.fileno()
    os.link(f"/proc/self/fd/{own}", path, src_dir_fd=own, follow_symlinks=True)
