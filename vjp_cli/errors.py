"""What can go wrong, the exit code of each, and how an error is worded.

A bad input is an exception of this module; a wrong gradient is data (a verdict in the report).
Every message says what is wrong and where; ``hint`` says what to write instead.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of the program (signals add 130, 141 and 143)."""

    OK = 0
    WRONG = 1
    USAGE = 2
    EVALUATION = 3
    LIMIT = 4
    OUTPUT = 5
    BUG = 70


@dataclass(frozen=True)
class Place:
    """A span of characters (not bytes) of ``source``: start inclusive, end exclusive."""

    source: str
    start: int
    end: int

    @property
    def text(self) -> str:
        """The characters of the span."""
        return self.source[self.start : self.end]

    def caret(self, width: int = 76) -> str:
        """The line of the source that holds the span, with a line of carets under it."""
        begin = self.source.rfind("\n", 0, self.start) + 1
        end = self.source.find("\n", begin)
        line = self.source[begin : end if end >= 0 else None]
        column = self.start - begin
        # a long line is shown around the place only
        cut = max(0, column - width // 2) if len(line) > width else 0
        shown = line[cut : cut + width]
        # a span that goes on in the next line is marked to the end of this one
        count = max(1, min(self.end - self.start, cut + len(shown) - column))
        return f"  {clean(shown)}\n  {' ' * len(clean(shown[: column - cut]))}{'^' * count}"


class VjpError(Exception):
    """An error of the user's input or of the evaluation, worded for the user.

    Args:
        message: one line, lower case, without a full stop.
        hint: what to write instead; empty when there is nothing to say.
        place: where in the source it happened.
    """

    kind = "usage"
    exit_code = ExitCode.USAGE

    def __init__(self, message: str, hint: str = "", place: Place | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.place = place


class InputError(VjpError):
    """A bad option, value or file (exit 2)."""

    kind = "input"


class ExpressionError(VjpError):
    """An expression that is not in the language (exit 2)."""

    kind = "expression"


class EvaluationError(VjpError):
    """torch or the user's function failed on acceptable input (exit 3)."""

    kind = "evaluation"
    exit_code = ExitCode.EVALUATION


class LimitError(VjpError):
    """A limit was reached before anything was paid for (exit 4)."""

    kind = "limit"
    exit_code = ExitCode.LIMIT


class OutputError(VjpError):
    """The result could not be written (exit 5)."""

    kind = "output"
    exit_code = ExitCode.OUTPUT


_NO_MEMORY = re.compile(r"can't allocate memory|out of memory|Storage size calculation overflowed")


def out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out: of torch's exceptions only the text says it."""
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and _NO_MEMORY.search(str(error)) is not None
    )


def clean(text: str) -> str:
    r"""``text`` with everything that a terminal would act on, or hide, written as an escape.

    Control characters become ``\x1b``, and format characters (bidirectional marks, zero-width
    joiners) and lone surrogates become ``\u{202e}``, so that no user text reaches a terminal raw.
    """
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cc":
        return f"\\x{ord(character):02x}"
    if category in ("Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return f"\\u{{{ord(character):x}}}"
    return character


def shorten(text: str, length: int = 80) -> str:
    """``text`` cleaned and cut to ``length`` characters, for quoting user text in a message."""
    cleaned = clean(text[: length + 1])
    return cleaned if len(cleaned) <= length else cleaned[: length - 1] + "…"
