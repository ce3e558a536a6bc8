"""Where in the user's code something happened: the lines that exceptions and calls passed."""

import sys
import sysconfig
from functools import cache
from pathlib import Path
from types import FrameType

from vjp_cli.errors import shorten
from vjp_cli.lazy import torch

# of an exception's way through the user's file
_LINES = 3
# what ends a process elsewhere ends only the user's function here
ENDINGS = (SystemExit, KeyboardInterrupt, GeneratorExit)


def said(error: BaseException, path: Path) -> str:
    """An exception with its way in the user's file: ``ValueError: … (line 12, from line 30)``."""
    lines, file = [], str(path.resolve())
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            lines.append(f"line {trace.tb_lineno}")
        trace = trace.tb_next
    words = str(error).strip().split("\n")[0]
    # recursion repeats its lines
    passed = list(dict.fromkeys(reversed(lines)))[:_LINES]
    where = f" ({', from '.join(passed)})" if passed else ""
    return (
        shorten(f"{type(error).__name__}: {words}" if words else type(error).__name__, 160) + where
    )


def line_of(error: BaseException) -> str:
    """``model.py line 12``: the innermost line of the user's code that an exception passed.

    "" where it passed none.
    """
    found, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if is_users(file):
            found = f"{Path(file).name} line {trace.tb_lineno}"
        trace = trace.tb_next
    return found


def line_here(outermost: FrameType | None) -> str:
    """The innermost line of the user's code that is running now, below the given frame."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame is not outermost:
        if is_users(frame.f_code.co_filename):
            return f"{Path(frame.f_code.co_filename).name} line {frame.f_lineno}"
        frame = frame.f_back
    return ""


@cache
def is_users(file: str) -> bool:
    """Whether code of this file is neither torch's, nor Python's own, nor of this package."""
    if file.startswith("<frozen"):
        return False
    ours = (str(Path(__file__).parent), str(Path(torch.__file__).parent))
    if file.startswith(ours):
        return False
    return not file.startswith(sysconfig.get_path("stdlib")) or "site-packages" in file
