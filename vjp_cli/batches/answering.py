"""One request line in, one answer line out; whatever is wrong with a line is its answer."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from vjp_cli.batches.lines import Line
from vjp_cli.errors import InputError, LimitError, shorten
from vjp_cli.failures import ERROR_SCHEMA, document, known
from vjp_cli.lazy import inspection, torch
from vjp_cli.render import View
from vjp_cli.render import json as report_json
from vjp_cli.report import Report, Verdict
from vjp_cli.requests import Id, decode, id_of, request_of
from vjp_cli.schema.error import Explanation
from vjp_cli.settings import LIMITS, Settings

ERROR = "error"
"""What stands in the place of a verdict where there is no report."""


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


@cache
def get_ready() -> None:
    """Load what inspections need.

    A case of a batch is small: more threads than one slow it down, and one everywhere gives the
    same answers in one process, in several, and on a cluster.
    """
    torch.set_num_threads(1)
    _ = inspection.inspect


def answer(line: Line, settings: Settings) -> Answer:
    """The answer to ``line``.

    Args:
        line: a request.
        settings: the choices for lines that make none of their own.
    """
    decoded: Any = None
    try:
        if line.text is None or len(line.text.decode(errors="replace")) > LIMITS.line_characters:
            raise LimitError(
                f"the line has more than {LIMITS.line_characters:,} characters",
                "put large values in a file, and inspect it on its own",
            )
        decoded = decode(line.text)
        request, chosen = request_of(decoded, settings)
        get_ready()
        report: Report = inspection.inspect(request, chosen)
    except Exception as error:
        return _refused(line.number, id_of(decoded), error)
    body = report_json.document(report, View(max_entries=settings.max_entries))
    text = _written(line.number, id_of(decoded), body)
    return Answer(line.number, text, report.exit_code, report.verdict.value)


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
    body = {"schema": ERROR_SCHEMA, "ok": False, "error": document(worded)}
    return Answer(number, _written(number, identity, body), int(worded.exit_code), ERROR)


def _written(number: int, identity: Id, body: dict[str, Any]) -> str:
    """``body`` as one line of JSON, with ``id`` and ``line`` before it."""
    echoed = {"id": identity, "line": number}
    return json.dumps(echoed | body, allow_nan=False, separators=(",", ":")) + "\n"
