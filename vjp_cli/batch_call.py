"""One call of `vjp batch`: where the lines come from, who answers them, where the answers go."""

import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

from vjp_cli.batches.answering import Answer, Answerer
from vjp_cli.batches.cluster import clustered
from vjp_cli.batches.junit import junit
from vjp_cli.batches.lines import Line, lines_of
from vjp_cli.batches.part import part
from vjp_cli.batches.pool import pooled
from vjp_cli.batches.tally import Progress, Tally
from vjp_cli.errors import ExitCode, InputError
from vjp_cli.line_source import request_lines
from vjp_cli.output import made_apart, progress_wanted, say, writer
from vjp_cli.settings import Settings


@dataclass(frozen=True)
class BatchCall:
    """What a call chooses besides how each line is judged.

    Attributes:
        file: the request lines; ``-`` is standard input.
        output: a file for the answers; None and ``-`` are standard output.
        quiet: whether standard output stays empty.
        fail_fast: whether the first line that is not ok is the last one.
        jobs: how many processes answer; None for this one.
        resume: whether answers that are there already, of a call that was stopped, are kept.
        junit: a file for the outcome as a test run.
        scheduler: the address of the Dask scheduler whose workers answer; None for this machine.
    """

    file: str
    output: str | None = None
    quiet: bool = False
    fail_fast: bool = False
    jobs: int | None = None
    resume: bool = False
    junit: str | None = None
    scheduler: str | None = None


def run_batch(call: BatchCall, settings: Settings) -> int:
    """Answer every line, and return the exit code of the worst.

    Raises:
        VjpError: the lines cannot be read, or the answers not written.
    """
    if call.resume and call.output is None:
        raise InputError("--resume needs a file to go on with", "-o FILE")
    if call.scheduler is not None and call.jobs is not None:
        raise InputError("--jobs is for this machine, --scheduler for others", "leave one out")
    worst, tally = int(ExitCode.OK), Tally()
    with ExitStack() as stack:
        lines = lines_of(stack.enter_context(request_lines(call.file)))
        told = stack.enter_context(_told(call, tally))
        sink = stack.enter_context(_sink(call, settings))
        for each in sink.earlier:
            worst = max(worst, each.exit_code)
            told(each)
        answers = stack.enter_context(_answered(sink.left(lines), call, settings))
        # a call that was stopped may have gone on after a line that is not ok
        for each in () if call.fail_fast and worst else answers:
            worst = max(worst, each.exit_code)
            sink.write(each)
            told(each)
            if call.fail_fast and worst:
                break
    if tally.total and not call.quiet:
        say(f"vjp: {tally}\n")
    return worst


@contextmanager
def _told(call: BatchCall, tally: Tally) -> Iterator[Callable[[Answer], None]]:
    """What is told of each answer besides the answer."""
    progress = Progress(say) if progress_wanted(call.output, call.quiet) else None
    with ExitStack() as stack:
        case = None
        if call.junit is not None:
            write = stack.enter_context(writer(call.junit))
            case = stack.enter_context(junit(write, call.file))
        if progress is not None:
            stack.callback(progress.erase)

        def tell(answer: Answer) -> None:
            tally.add(answer)
            if case is not None:
                case(answer)
            if progress is not None:
                progress.show(tally)

        yield tell


@dataclass(frozen=True)
class _Sink:
    """Where answers go.

    Attributes:
        write: puts one there.
        earlier: those that are there already.
        left: of the lines of the batch, those that have none yet.
    """

    write: Callable[[Answer], None]
    earlier: Iterable[Answer] = ()
    left: Callable[[Iterator[Line]], Iterator[Line]] = iter


@contextmanager
def _sink(call: BatchCall, settings: Settings) -> Iterator[_Sink]:
    if call.resume and call.output is not None:
        with part(call.output, settings) as found:
            yield _Sink(found.write, found.earlier(), found.left)
        return
    with writer(call.output) as write:
        silent = call.quiet and not call.output
        yield _Sink(lambda answer: None if silent else write(answer.text))


@contextmanager
def _answered(
    lines: Iterator[Line], call: BatchCall, settings: Settings
) -> Iterator[Iterator[Answer]]:
    """The answers to ``lines``; whatever makes them is gone at the end."""
    if call.jobs is None and call.scheduler is None:
        yield made_apart(map(Answerer(settings), lines))
        return
    if call.scheduler is None:
        elsewhere = pooled(lines, settings, call.jobs or 1)
    else:
        elsewhere = clustered(lines, settings, call.scheduler)
    with _heard(), closing(elsewhere) as answers:
        yield answers


@contextmanager
def _heard() -> Iterator[None]:
    """Let Ctrl-C and termination end what was started, in place of this process alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = [
        (signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler)),
        (signal.SIGTERM, signal.signal(signal.SIGTERM, _terminated)),
    ]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)
