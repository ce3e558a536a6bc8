"""What a batch came to: how many lines got which verdict, while it runs and at the end."""

import time
from collections import Counter
from collections.abc import Callable

from vjp_cli.batches.answering import ERROR, Answer
from vjp_cli.report import Verdict

# errors first, then the verdicts from the worst on
_ORDER = (ERROR, *(verdict.value for verdict in Verdict))
_FIRST_SECONDS = 2.0
_EACH_SECONDS = 0.2
# back to the start of the line, and all of it erased
_ERASE = "\r\x1b[K"


class Tally:
    """The lines that were answered, counted by verdict."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, answer: Answer) -> None:
        """Count an answer."""
        self._counts[answer.verdict] += 1

    @property
    def total(self) -> int:
        """How many there are."""
        return self._counts.total()

    def __str__(self) -> str:
        """``7 lines: 1 error, 1 wrong, 5 ok``."""
        parts = (_counted(self._counts[word], word) for word in _ORDER if self._counts[word])
        return f"{_counted(self.total, 'line')}: {', '.join(parts)}"


def _counted(count: int, word: str) -> str:
    """The words of verdicts have no plural."""
    plural = count != 1 and word in ("line", ERROR)
    return f"{count:,} {word}{'s' if plural else ''}"


class Progress:
    """A line on the terminal that says how far a batch is, once it takes longer than a moment."""

    def __init__(
        self, write: Callable[[str], object], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start the clock.

        Args:
            write: shows text on the terminal.
            clock: tells the time in seconds.
        """
        self._write, self._clock = write, clock
        self._start = clock()
        self._next = self._start + _FIRST_SECONDS
        self._shown = False

    def show(self, tally: Tally) -> None:
        """Say how far it is, unless that was said just now."""
        now = self._clock()
        if now < self._next:
            return
        self._next = now + _EACH_SECONDS
        self._shown = True
        rate = tally.total / (now - self._start)
        self._write(f"{_ERASE}{tally} ({rate:,.3g} a second)")

    def erase(self) -> None:
        """Leave the terminal as it was."""
        if self._shown:
            self._write(_ERASE)
            self._shown = False
