"""A process that answers request lines for another one: pickled lines in, pickled answers out.

It is started fresh, never forked from the process that it works for: torch and OpenMP have threads,
and a copy of a process with threads may wait for ever for a lock that one of them held.
"""

import ctypes
import os
import pickle
import signal
import sys
from typing import BinaryIO

from vjp_cli import ending
from vjp_cli.batches.answering import Answerer
from vjp_cli.batches.lines import Line

# as Linux numbers it: the signal that a process gets when its parent is gone
_PR_SET_PDEATHSIG = 1
_FIRST = Line(0, b'{"expression": "x*exp(x)", "inputs": {"x": [1, 2]}, "v": [1, 2]}')


def main(parent: int) -> None:
    """Answer until there are no more lines, or the process ``parent`` is gone.

    First come the settings; what answers them, when all is loaded, is True.
    """
    _die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPIPE})
    lines, answers = _own_streams()
    answer = Answerer(pickle.load(lines))
    # the first one loads what none should have to wait for
    answer(_FIRST)
    _send(True, answers)
    while True:
        try:
            line = pickle.load(lines)
        except EOFError:
            ending.known(0)
            return
        _send(answer(line), answers)


def _die_with(parent: int) -> None:
    """End with the parent, also in the middle of a computation in C.

    Where that is not to be had, the end of the pipe ends this process after its line.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit()


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """The two pipes, out of reach of what a user's function prints or reads."""
    lines, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return lines, answers


def _send(found: object, answers: BinaryIO) -> None:
    pickle.dump(found, answers, pickle.HIGHEST_PROTOCOL)
    answers.flush()
