"""Many problems, one JSON line each: request lines in, answers out, in order and as they come."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from vjp_cli.errors import LimitError, VjpError
from vjp_cli.failures import ERROR_SCHEMA, known
from vjp_cli.failures import document as error_document
from vjp_cli.lazy import inspection
from vjp_cli.render import View
from vjp_cli.render.json import document
from vjp_cli.report import Report
from vjp_cli.requests import Id, decode, id_of, request_of
from vjp_cli.settings import LIMITS, Settings

# one character is four bytes of UTF-8 at most; a byte order mark and a line end come beside them
_MOST_BYTES = 4 * LIMITS.line_characters + 5
_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Answer:
    """What one request line got.

    Attributes:
        line: the number of the line, from 1.
        id: the ``id`` of the request; None where it has none.
        outcome: the report, or why there is none.
    """

    line: int
    id: Id
    outcome: Report | VjpError

    @property
    def exit_code(self) -> int:
        """The exit code of a call with this problem alone."""
        return int(self.outcome.exit_code)


def answers(stream: BinaryIO, settings: Settings) -> Iterator[Answer]:
    """An answer for each line of ``stream`` that is not blank, made when it is asked for.

    Whatever is wrong with a line is its answer, and the next line is read all the same.

    Args:
        stream: JSON Lines in UTF-8.
        settings: the choices for lines that make none of their own.
    """
    number = 0
    while line := stream.readline(_MOST_BYTES + 1):
        number += 1
        whole = _skip_rest(stream, line)
        if number == 1:
            line = line.removeprefix(_MARK)
        line = line.strip()
        if line:
            yield _answer(number, line if whole else None, settings)


def answer_line(answer: Answer, view: View) -> str:
    """``answer`` as one line of JSON: a report or an error, with ``id`` and ``line`` before it."""
    if isinstance(answer.outcome, Report):
        body = document(answer.outcome, view)
    else:
        error = error_document(answer.outcome)
        body = {"schema": ERROR_SCHEMA, "ok": False, "error": error}
    echoed = {"id": answer.id, "line": answer.line}
    return json.dumps(echoed | body, allow_nan=False, separators=(",", ":")) + "\n"


def _skip_rest(stream: BinaryIO, line: bytes) -> bool:
    """Whether ``line`` is a whole one; if not, what is left of it is read over."""
    if len(line) <= _MOST_BYTES:
        return True
    while not line.endswith(b"\n") and (line := stream.readline(1 << 20)):
        pass
    return False


def _answer(number: int, line: bytes | None, settings: Settings) -> Answer:
    decoded: Any = None
    outcome: Report | VjpError
    try:
        if line is None or len(line.decode(errors="replace")) > LIMITS.line_characters:
            raise LimitError(
                f"the line has more than {LIMITS.line_characters:,} characters",
                "put large values in a file, and inspect it on its own",
            )
        decoded = decode(line)
        request, chosen = request_of(decoded, settings)
        outcome = inspection.inspect(request, chosen)
    except Exception as error:
        outcome = known(error)
    return Answer(number, id_of(decoded), outcome)
