"""A batch on a Dask cluster that runs already: lines in chunks, answers in their order.

What a lost worker was doing is done again by the scheduler, on another one.
"""

import logging
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import cache, partial
from itertools import chain
from typing import Any

from vjp_cli.batches.answering import Answer, refused
from vjp_cli.batches.in_order import gathered, in_order
from vjp_cli.batches.lines import Line
from vjp_cli.batches.pool import Pool
from vjp_cli.batches.versions import versions
from vjp_cli.errors import EvaluationError, InputError, VjpError, clean, shorten
from vjp_cli.lazy import distributed
from vjp_cli.settings import Settings

_REACHED_SECONDS = 10
_COMPARED = ("vjp", "torch", "sympy")
# small enough to spread some hundred lines, large enough that sending costs little
_LINES = 16
_CHUNKS_EACH = 4
_IDLE_SECONDS = 60.0


def clustered(
    lines: Iterator[Line], settings: Settings, address: str
) -> Generator[Answer, None, None]:
    """The answers to ``lines``, in their order, from the workers of a scheduler.

    Args:
        lines: read some way ahead: 64 for each thread of the workers.
        settings: the choices for lines that make none of their own.
        address: of the scheduler, like ``tcp://127.0.0.1:8786``.

    Raises:
        InputError: nobody answers at the address, or with other versions than here.
    """
    with _client(address) as client:
        threads = _threads(client, address)
        _compare(client)
        chunks = gathered(lines, _LINES)
        with closing(in_order(chunks, _start(client, settings), _CHUNKS_EACH * threads)) as answers:
            yield from chain.from_iterable(answers)


class _Shared:
    """The processes of a Dask worker that answer: none of its own threads disturbs them there.

    They stay for the next chunk, and for a minute after the last one.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._pool: Pool | None = None
        self._busy = 0
        self._chunks = 0

    def answer(self, lines: list[Line]) -> list[Answer]:
        with self._lock:
            self._busy += 1
            self._chunks += 1
            pool = self._pool = self._pool or Pool(self._settings)
        try:
            return list(map(pool.answer, lines))
        finally:
            with self._lock:
                self._busy -= 1
            timer = threading.Timer(_IDLE_SECONDS, self._close, [self._chunks])
            timer.daemon = True
            timer.start()

    def _close(self, chunks: int) -> None:
        with self._lock:
            if not self._busy and self._chunks == chunks and self._pool is not None:
                self._pool.close()
                self._pool = None


@cache
def _shared(settings: Settings) -> _Shared:
    return _Shared(settings)


def answer_chunk(lines: list[Line], settings: Settings) -> list[Answer]:
    """What a Dask worker does with a chunk."""
    return _shared(settings).answer(lines)


def _client(address: str) -> Any:
    # it tells of every attempt to connect, and of every lost worker
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        return distributed.Client(address, timeout=_REACHED_SECONDS, set_as_default=False)
    except ImportError as error:
        hint = "pip install 'vjp-cli[dask]'"
        raise InputError("--scheduler needs the package distributed", hint) from error
    except (OSError, TimeoutError, ValueError) as error:
        why = clean(str(error)).split("\\x0a")[0]
        raise InputError(
            f"no scheduler answers at '{shorten(address)}' within {_REACHED_SECONDS} s",
            f"--scheduler tcp://HOST:PORT of one that runs ({shorten(why)})",
        ) from error


def _threads(client: Any, address: str) -> int:
    threads: dict[str, int] = client.nthreads()
    if not threads:
        raise InputError(
            f"the scheduler at '{shorten(address)}' has no workers", f"dask worker {address}"
        )
    return sum(threads.values())


def _compare(client: Any) -> None:
    """Refuse workers whose answers might be others than those from here."""
    try:
        there = client.run(versions)
    except Exception as error:
        raise InputError(
            f"the workers cannot load vjp: {shorten(str(error))}",
            "install the same version of vjp-cli for them",
        ) from error
    own = versions()
    for worker, found in there.items():
        for name in _COMPARED:
            if found[name] != own[name]:
                raise InputError(
                    f"the worker {worker} has {name} {found[name]}, here it is {own[name]}",
                    "install the same versions on both sides",
                )


def _start(client: Any, settings: Settings) -> Callable[[list[Line]], Callable[[], list[Answer]]]:
    def submit(lines: list[Line]) -> Any:
        return client.submit(answer_chunk, lines, settings, pure=False)

    def start(lines: list[Line]) -> Callable[[], list[Answer]]:
        return partial(wait, lines, submit(lines))

    def wait(lines: list[Line], future: Any) -> list[Answer]:
        try:
            found: list[Answer] = future.result()
            return found
        except distributed.KilledWorker:
            if len(lines) > 1:
                # one of them does it: each on its own costs the others nothing
                return [answer for line in lines for answer in wait([line], submit([line]))]
            return [refused(lines[0], EvaluationError("the workers that answered it were lost"))]
        except Exception as error:
            return [refused(line, _worded(error)) for line in lines]

    return start


def _worded(error: Exception) -> VjpError:
    return EvaluationError(f"the cluster failed: {type(error).__name__}: {shorten(str(error))}")
