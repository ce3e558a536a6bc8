"""What a process spares at both ends where no code of the user's runs in it.

Taking apart the modules of torch and SymPy, one object after another, costs a tenth of a second,
of which the operating system needs nothing. It is left out once all handlers of ``atexit`` have
run, all threads were joined and the output is written. A user's function may hold a file that only
its destructor flushes: with one, the process ends as Python ends it.
"""

import atexit
import gc
import io
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass


@dataclass
class _Process:
    ours: bool = False
    theirs: bool = False
    code: int | None = None


_PROCESS = _Process()
_SPARED = {
    # torch would look through the metadata of all installed packages for devices of other makers
    "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
    # NumPy's BLAS starts a thread for each processor, and none of its products is called here
    "OPENBLAS_NUM_THREADS": "1",
}


def by_signals() -> None:
    """Let Ctrl-C and a closed pipe end the process as the system does, from here on.

    A loop in C hears Ctrl-C only so, and an import says nothing of it.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def prepare() -> None:
    """Take the last place among the handlers of ``atexit``: to be called before any other is."""
    atexit.register(_leave)


def only_ours() -> None:
    """No code of the user's will run in this process."""
    _PROCESS.ours = True
    for name, value in _SPARED.items():
        os.environ.setdefault(name, value)


def theirs() -> None:
    """Code of the user's is about to run in this process."""
    _PROCESS.theirs = True


def known(code: int) -> None:
    """The process is about to end with this code."""
    _PROCESS.code = code
    if _PROCESS.theirs:
        # late imports froze what was there, perhaps some of the user's objects
        gc.unfreeze()
        _flush_files()
    else:
        # what torch has made lives until the end: do not scan it once more for garbage
        gc.freeze()


def _flush_files() -> None:
    """Write what is left in all open files.

    Python does not always: of a file in a circle of objects it may close the inner part first.
    """
    texts, buffers = [], []
    for each in gc.get_objects():
        kind = type(each)
        if issubclass(kind, io.TextIOWrapper):
            texts.append(each)
        elif issubclass(kind, io.BufferedWriter):
            buffers.append(each)
    # a text goes through the buffer of its file
    for file in (*texts, *buffers):
        with suppress(OSError, ValueError):
            file.flush()


def _leave() -> None:
    # a debugger or a measurement of coverage has its own work to do at the end
    if not _PROCESS.ours or _PROCESS.code is None or sys.gettrace() is not None:
        return
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        # Python says what it always says
        return
    os._exit(_PROCESS.code)
