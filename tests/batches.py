"""Batches in tests: request lines in, decoded answers out."""

import json
from typing import Any

from tests.helpers import run

GOOD = {"expression": "x", "inputs": {"x": 1}}


def lines(*requests: dict[str, Any]) -> str:
    return "".join(json.dumps(request) + "\n" for request in requests)


def batched(stdin: str | bytes, *arguments: str) -> tuple[list[dict[str, Any]], int]:
    """The answers to the lines of ``stdin`` and the exit code; stderr has the summary alone."""
    result = run("batch", "-", *arguments, stdin=stdin)
    assert result.stderr.startswith("vjp: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout.isascii()
    return [json.loads(line) for line in result.stdout.splitlines()], result.exit_code


def error_of(request: dict[str, Any] | str | bytes) -> dict[str, Any]:
    """The error of the only line, whose exit code is that of the call."""
    line = json.dumps(request) if isinstance(request, dict) else request
    [answer], code = batched(line)
    assert (answer["schema"], answer["ok"]) == ("vjp.error/1", False)
    assert list(answer) == ["id", "line", "schema", "ok", "error"]
    error: dict[str, Any] = answer["error"]
    assert error["exit_code"] == code
    return error
