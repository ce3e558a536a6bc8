"""What must come out, whatever goes in: an answer, or an error of ours, within 50 ms."""

import random
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

from tests.fuzz import inputs
from tests.helpers import REPORT, run
from vjp_cli import cli
from vjp_cli.errors import VjpError, clean
from vjp_cli.expression import parse
from vjp_cli.requests import decode, request_of
from vjp_cli.settings import Settings
from vjp_cli.values import parse_value

SECONDS = 0.05
_USAGE, _LIMIT = 2, 4


def of_expression(text: str) -> None:
    """Parse it."""
    parse(text)


def of_value(text: str) -> None:
    """Read it as a value; standard input has the same text."""
    parse_value(text, "--x", lambda: text.encode("utf-8", "surrogatepass"))


def of_request(line: bytes) -> None:
    """Decode it and make it a request."""
    request_of(decode(line), Settings())


def of_options(words: list[str]) -> None:
    """Give the words to the program, whose inspection answers at once.

    Raises:
        AssertionError: the answer or its exit code is not what the design says.
    """
    with mock.patch.object(cli.inspection, "inspect", return_value=REPORT):
        result = run(*words)
    assert "Traceback" not in result.stderr
    assert "\x1b" not in result.stderr + result.stdout.replace("\x1b[", "")
    assert result.exit_code in (0, 1, _USAGE, _LIMIT), f"exit {result.exit_code}"
    if result.exit_code in (_USAGE, _LIMIT):
        assert result.stdout == ""
        # one line, perhaps a hint; in JSON with --json
        assert result.stderr.startswith(("vjp: error: ", "{")), result.stderr[:200]


TRIALS: dict[str, Callable[[Any], None]] = {
    "expression": of_expression,
    "value": of_value,
    "request": of_request,
    "options": of_options,
}


def fault_of(kind: str, given: Any, seconds: float = SECONDS) -> str:
    """What is wrong with how this input is taken; "" for nothing. Seconds are those of the CPU."""
    fault, taken = _tried(kind, given)
    for _ in range(2):
        if taken > seconds:
            # others may have warmed up, or a collection of garbage come between
            taken = min(taken, _tried(kind, given)[1])
    if fault:
        return f"{kind} {given!r:.300}: {fault}"
    return f"{kind} {given!r:.300}: {1000 * taken:.0f} ms" if taken > seconds else ""


def _tried(kind: str, given: Any) -> tuple[str, float]:
    begin = time.process_time()
    fault = ""
    try:
        TRIALS[kind](given)
    except VjpError as error:
        # a message goes to a terminal: nothing in it may steer one
        if not error.message or clean(error.message) != error.message:
            fault = f"the message {error.message!r}"
        elif error.hint and clean(error.hint) != error.hint:
            fault = f"the hint {error.hint!r}"
    except Exception as error:
        fault = f"{type(error).__name__}: {error}"
    return fault, time.process_time() - begin


def fault_of_valid(chance: random.Random) -> str:
    """What is wrong with how an expression of the language is taken."""
    text = inputs.valid(chance)
    try:
        found = parse(text)
    except VjpError as error:
        return f"{text!r} is refused: {error.message}"
    return "" if set(found.names) <= {"x", "y", "k"} else f"{text!r} has the names {found.names}"
