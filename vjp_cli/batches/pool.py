"""A batch on several processes of this machine: each answers one line at a time.

A process that does not come back is ended, one that dies is replaced; no other line notices.
"""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from vjp_cli.batches.answering import Answer, refused
from vjp_cli.batches.in_order import in_order
from vjp_cli.batches.lines import Line
from vjp_cli.errors import EvaluationError, LimitError
from vjp_cli.settings import Settings

# the same modules as here are found there, and none of the working directory besides
_START = (
    "import sys; sys.path[:] = {path!r}\nfrom vjp_cli.batches.worker import main; main({parent})"
)
# loading torch takes seconds, on a busy machine many
_START_SECONDS = 300.0
_LINES_EACH = 32
# what a line may take beyond twice its timeout
_GRACE_SECONDS = 10.0
# for the end of a process, with torch in it and what a user's function does there
_ENDING_SECONDS = 10.0
_TRIES = 2
_MEMORY = "the system does that where memory runs out: try fewer --jobs"


def pooled(lines: Iterator[Line], settings: Settings, jobs: int) -> Generator[Answer, None, None]:
    """The answers to ``lines``, in their order, from ``jobs`` processes.

    Args:
        lines: read some way ahead: 32 for each process.
        settings: the choices for lines that make none of their own. A line that takes more than
            twice the timeout and ten seconds is stopped, whatever it is doing.
        jobs: how many processes; none is started before there is a line for it.
    """
    pool = Pool(settings)
    threads = ThreadPoolExecutor(jobs, "vjp-batch", _hear_no_closed_pipe)
    try:
        yield from in_order(
            lines, lambda line: threads.submit(pool.answer, line).result, _LINES_EACH * jobs
        )
        if settings.allow_functions:
            pool.finish()
    finally:
        pool.close()
        threads.shutdown(cancel_futures=True)


def _hear_no_closed_pipe() -> None:
    """In this thread a pipe to a process that is gone is an error, not the end of the program."""
    if hasattr(signal, "SIGPIPE"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})


class _Gone(Exception):
    """The process ended before it answered."""


class _Late(Exception):
    """The process did not answer in time, and was ended."""


class Pool:
    """The processes, one for each thread that asks.

    Args:
        settings: the choices for lines that make none of their own.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._limit = 2 * settings.timeout + _GRACE_SECONDS
        self._own = threading.local()
        self._lock = threading.Lock()
        self._closed = False
        self._all: set[_Worker] = set()

    def answer(self, line: Line) -> Answer:
        """The answer to ``line`` by the process of this thread.

        Where that ends without an answer, perhaps for lack of memory or at somebody's command, the
        line is tried once more.
        """
        error: Exception
        for _ in range(_TRIES):
            try:
                found: Answer = self._worker().ask(line, self._limit)
                return found
            except _Gone as gone:
                self._drop()
                error = EvaluationError(f"the process that answered {gone}, twice", _MEMORY)
            except _Late:
                self._drop()
                error = self._too_late()
                break
        return refused(line, error)

    def finish(self) -> None:
        """Let all processes end by themselves, which writes what functions have left open."""
        with self._lock:
            self._closed = True
            for worker in self._all:
                worker.no_more()
            end = time.monotonic() + _ENDING_SECONDS
            for worker in self._all:
                worker.wait(end - time.monotonic())

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        with self._lock:
            self._closed = True
            for worker in self._all:
                worker.end()

    def _worker(self) -> "_Worker":
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is not None:
            return worker
        with self._lock:
            if self._closed:
                raise _Gone("closed")
            worker = self._own.worker = _Worker()
            self._all.add(worker)
        worker.ask(self._settings, _START_SECONDS)
        return worker

    def _drop(self) -> None:
        worker, self._own.worker = getattr(self._own, "worker", None), None
        with self._lock:
            if worker is not None:
                self._all.discard(worker)
                worker.end()

    def _too_late(self) -> LimitError:
        return LimitError(
            f"stopped: no answer within {self._limit:g} s", "--timeout SECONDS gives it more"
        )


class _Worker:
    """One process, and the pipes to it."""

    def __init__(self) -> None:
        code = _START.format(path=sys.path, parent=os.getpid())
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        # typed as perhaps missing, which they are not
        self._questions: Any = self._process.stdin
        self._answers: Any = self._process.stdout

    def ask(self, question: object, seconds: float) -> Any:
        """What the process answers.

        Raises:
            _Gone: it ended before.
            _Late: it was ended, since it took longer than ``seconds``.
        """
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            pickle.dump(question, self._questions, pickle.HIGHEST_PROTOCOL)
            self._questions.flush()
            return pickle.load(self._answers)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            self._process.kill()
            code = self._process.wait()
            raise _Late if late.is_set() else _Gone(_ending(code)) from None
        finally:
            timer.cancel()

    def no_more(self) -> None:
        """Tell it that there are no more questions."""
        with suppress(OSError):
            self._questions.close()

    def wait(self, seconds: float) -> None:
        """Wait until it is gone, or for so long."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(max(seconds, 0.0))

    def end(self) -> None:
        """End it now; it is gone when this returns."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._questions, self._answers):
            # what was still to be written to it is of no use any more
            with suppress(OSError):
                pipe.close()


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended with code {code}"
    with suppress(ValueError):
        return f"was ended by {signal.Signals(-code).name}"
    return f"was ended by signal {-code}"
