"""Where in the user's code something happened: the lines that exceptions and calls passed."""

from pathlib import Path

from vjp_cli.errors import shorten

# what ends a process elsewhere ends only the user's function here
ENDINGS = (SystemExit, KeyboardInterrupt, GeneratorExit)


def said(error: BaseException, path: Path) -> str:
    """``ValueError: … (line 12)``: an exception with the last line of the user's file it passed."""
    line, file = None, str(path.resolve())
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    words = str(error).strip().split("\n")[0]
    where = "" if line is None else f" (line {line})"
    return (
        shorten(f"{type(error).__name__}: {words}" if words else type(error).__name__, 160) + where
    )
