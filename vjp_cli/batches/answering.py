"""One request line in, one answer line out; whatever is wrong with a line is its answer."""

import json
import time
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import msgspec

from vjp_cli.batches.lines import Line
from vjp_cli.errors import InputError, LimitError, shorten
from vjp_cli.failures import ERROR_SCHEMA, document, known
from vjp_cli.kept import Kept
from vjp_cli.lazy import inspection, torch
from vjp_cli.render import View
from vjp_cli.render import json as report_json
from vjp_cli.report import Report, Verdict
from vjp_cli.requests import Id, decode, id_of, request_of
from vjp_cli.schema.error import Explanation
from vjp_cli.settings import LIMITS, Settings

ERROR = "error"
"""What stands in the place of a verdict where there is no report."""


# of an answer about as long as its question: some ten million characters at most
_MOST_KEPT = 512
_LONGEST_KEPT = 20_000


@dataclass(frozen=True)
class Answer:
    """What one request line got.

    Attributes:
        line: the number of the line, from 1.
        text: the answer as one line of JSON, with its line end.
        exit_code: that of a call with this problem alone.
        verdict: of the report, or ``ERROR``.
    """

    line: int
    text: str
    exit_code: int
    verdict: str


class _Recorded(msgspec.Struct):
    """What is read back of an answer."""

    line: int
    exit_code: int = 0
    verdict: str = ""
    error: Explanation | None = None


def get_ready() -> None:
    """Load what inspections need, and let torch compute in one thread.

    A case of a batch is small: more threads than one slow it down, and one everywhere gives the
    same answers in one process, in several, and on a cluster. (It is a choice of each thread.)
    """
    torch.set_num_threads(1)
    _ = inspection.inspect


@dataclass(frozen=True)
class _Body:
    """A report, as it is written, without the line that asked for it.

    Attributes:
        hurried: whether it might have been another one with more time.
    """

    text: str
    exit_code: int
    verdict: str
    hurried: bool


class Answerer:
    """Answers request lines; those that ask the same are answered once.

    Args:
        settings: the choices for lines that make none of their own.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._kept: Kept[_Body] = Kept(_MOST_KEPT)

    def __call__(self, line: Line) -> Answer:
        """The answer to ``line``."""
        decoded: Any = None
        try:
            decoded = decode(_checked(line.text))
            body = self._kept.get(
                _question(decoded), lambda: self._reported(decoded), lambda body: not body.hurried
            )
        except Exception as error:
            return _refused(line.number, id_of(decoded), error)
        text = _echoed(line.number, id_of(decoded), body.text)
        return Answer(line.number, text, body.exit_code, body.verdict)

    def _reported(self, decoded: Any) -> _Body:
        start = time.monotonic()
        request, settings = request_of(decoded, self._settings)
        get_ready()
        report: Report = inspection.inspect(request, settings)
        found = report_json.document(report, View(max_entries=settings.max_entries))
        hurried = time.monotonic() - start > settings.timeout / 2
        return _Body(_written(found), report.exit_code, report.verdict.value, hurried)


def _checked(text: bytes | None) -> bytes:
    if text is None or len(text.decode(errors="replace")) > LIMITS.line_characters:
        raise LimitError(
            f"the line has more than {LIMITS.line_characters:,} characters",
            "put large values in a file, and inspect it on its own",
        )
    return text


def _question(decoded: Any) -> Hashable | None:
    """What the answer depends on; None where it may depend on more, as on a function's file."""
    if not isinstance(decoded, dict) or decoded.get("function") or decoded.get("against"):
        return None
    asked = {key: value for key, value in decoded.items() if key != "id"}
    words = msgspec.json.encode(asked, order="deterministic")
    # an id of another type is refused
    return (type(decoded.get("id")), words) if len(words) <= _LONGEST_KEPT else None


def recorded(text: bytes) -> Answer:
    """An answer as it was written.

    Raises:
        InputError: it is none.
    """
    try:
        found = msgspec.json.decode(text, type=_Recorded)
        return Answer(
            found.line,
            text.decode(),
            found.exit_code if found.error is None else int(found.error.exit_code),
            ERROR if found.error is not None else Verdict(found.verdict).value,
        )
    except (msgspec.DecodeError, ValueError):
        raise InputError(
            f"not an answer of a batch: {shorten(text.decode(errors='replace'))}"
        ) from None


def refused(line: Line, error: Exception) -> Answer:
    """The answer to a line for which there is no report, but ``error``."""
    try:
        decoded = None if line.text is None else decode(line.text)
    except (InputError, LimitError):
        decoded = None
    return _refused(line.number, id_of(decoded), error)


def _refused(number: int, identity: Id, error: Exception) -> Answer:
    worded = known(error)
    body = _written({"schema": ERROR_SCHEMA, "ok": False, "error": document(worded)})
    return Answer(number, _echoed(number, identity, body), int(worded.exit_code), ERROR)


def _written(values: dict[str, Any]) -> str:
    """``values`` as JSON in one line."""
    return json.dumps(values, allow_nan=False, separators=(",", ":"))


def _echoed(number: int, identity: Id, body: str) -> str:
    """The answer whose JSON is ``body``, with ``id`` and ``line`` before the rest of it."""
    return f"{_written({'id': identity, 'line': number})[:-1]},{body[1:]}\n"
