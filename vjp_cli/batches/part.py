"""A batch that can be stopped at any time and go on later: its answers so far, and to what.

Beside ``FILE`` stand two files until it is complete. ``FILE.part`` has the answers so far, and is
``FILE`` in the end. ``FILE.part.log`` has a line for each answer, written after it: the number of
the request line, a digest of all request lines up to it, and where the answer ends. What no line of
the log speaks of, the torn end of an answer, is thrown away.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO

from vjp_cli.batches.answering import Answer, recorded
from vjp_cli.batches.lines import Line
from vjp_cli.batches.versions import digest
from vjp_cli.beside import check_replaceable, finished
from vjp_cli.errors import InputError, OutputError, shorten
from vjp_cli.output import worded, write_all
from vjp_cli.settings import Settings

if sys.platform != "win32":
    import fcntl

_AFRESH = "remove it to start afresh"


@dataclass(frozen=True)
class _Entry:
    """A line of the log.

    Attributes:
        number: of the request line.
        digest: of the request lines up to this one.
        end: of its answer, in bytes from the start.
    """

    number: int
    digest: str
    end: int

    def __str__(self) -> str:
        return f"{self.number} {self.digest} {self.end}\n"


class Part:
    """The answers so far; made by ``part``."""

    def __init__(self, path: Path, file: IO[bytes], log: IO[bytes], head: str) -> None:
        self._path, self._file, self._log = path, file, log
        self._entries = _valid(_entries(log, head, path), os.fstat(file.fileno()).st_size)
        self._end = self._entries[-1].end if self._entries else 0
        self._digests: dict[int, str] = {}
        # both are only ever cut and added to: the end of this process loses nothing at any time
        good = sum(len(str(each)) for each in (head, *self._entries))
        if os.fstat(log.fileno()).st_size >= good:
            log.truncate(good)
        else:
            log.truncate(0)
            write_all(log, head.encode())
        file.truncate(self._end)

    def earlier(self) -> Iterator[Answer]:
        """The answers that are there."""
        self._file.seek(0)
        # with a buffer, which the file itself has none of
        with open(self._file.fileno(), "rb", closefd=False) as reader:
            yield from map(recorded, reader)

    def left(self, lines: Iterator[Line]) -> Iterator[Line]:
        """Those of ``lines`` that have no answer yet.

        Raises:
            InputError: those that have one are not what was answered.
        """
        done = iter(self._entries)
        so_far = sha256()
        for line in lines:
            so_far.update(b"%d %d " % (line.number, -1 if line.text is None else len(line.text)))
            so_far.update(line.text or b"")
            entry = next(done, None)
            if entry is None:
                self._digests[line.number] = so_far.hexdigest()
                yield line
            elif (entry.number, entry.digest) != (line.number, so_far.hexdigest()):
                raise self._another(f"line {line.number} differs from the one answered in")
        if next(done, None) is not None:
            raise self._another("there are fewer lines than answers in")

    def write(self, answer: Answer) -> None:
        """Add an answer.

        Raises:
            OutputError: it could not be written; what was written before stays good.
        """
        with worded(str(self._path)):
            data = answer.text.encode()
            write_all(self._file, data)
            self._end += len(data)
            entry = _Entry(answer.line, self._digests.pop(answer.line), self._end)
            write_all(self._log, str(entry).encode())

    def _another(self, what: str) -> InputError:
        return InputError(f"{what} '{shorten(str(self._path))}'", _AFRESH)


@contextmanager
def part(name: str, settings: Settings) -> Iterator[Part]:
    """The answers so far for the file ``name``, which has them all in the end.

    Raises:
        InputError: what is there was made with other choices or versions, or by somebody else.
        OutputError: it cannot be written, or another process does so now.
    """
    target = Path(os.path.realpath(name))
    path = target.with_name(target.name + ".part")
    log_path = target.with_name(target.name + ".part.log")
    with ExitStack() as stack:
        with worded(name):
            if name == "-" or (target.exists() and not target.is_file()):
                raise InputError(f"--resume needs a file: '{shorten(name)}' is none", "-o FILE")
            check_replaceable(target)
            file = stack.enter_context(_locked(path))
            log = stack.enter_context(open(log_path, "a+b", buffering=0))
            found = Part(path, file, log, f"vjp batch 1 {digest(settings)}\n")
        yield found
        with worded(name):
            os.fsync(file.fileno())
            finished(path, target)
            log_path.unlink()


@contextmanager
def _locked(path: Path) -> Iterator[IO[bytes]]:
    """The file, which nobody else has under that name."""
    with open(path, "a+b", buffering=0) as file:
        # another process may just have put it in the place of the complete file
        if not _lock(file) or not os.path.samestat(os.fstat(file.fileno()), path.stat()):
            raise OutputError(f"'{shorten(str(path))}' is being written by another process")
        yield file


def _lock(file: IO[bytes]) -> bool:
    """Whether the file is ours alone, until it is closed. Nothing locks it on Windows."""
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _entries(log: IO[bytes], head: str, path: Path) -> list[_Entry]:
    log.seek(0)
    first, *rest = log.read().decode(errors="replace").splitlines(keepends=True) or [""]
    if first.endswith("\n") and first != head:
        what = f"'{shorten(str(path))}' was made with other options or another version"
        raise InputError(what, "give the same ones, or " + _AFRESH)
    if not first.endswith("\n") and path.stat().st_size:
        raise InputError(f"'{shorten(str(path))}' is not from a batch", "choose another FILE")
    words = [line.split() for line in rest if line.endswith("\n")]
    return [_Entry(int(number), digest, int(end)) for number, digest, end in words]


def _valid(entries: list[_Entry], size: int) -> list[_Entry]:
    """Those whose answer is there."""
    return [entry for entry in entries if entry.end <= size]
