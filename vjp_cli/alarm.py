"""Stops Python code that does not end: a loop in a user's function."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def alarm(seconds: float, error: Exception) -> Iterator[None]:
    """Raise ``error`` in what runs for longer than ``seconds``.

    A loop inside C code is not stopped, nor anything where there are no alarms (on Windows, and
    outside the main thread).
    """
    usable = threading.current_thread() is threading.main_thread() and hasattr(signal, "SIGALRM")
    if not usable:
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise error

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
