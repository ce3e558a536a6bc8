"""Runs ``vjp inspect`` and reads its answer."""

import json
from typing import Any

from tests.helpers import run


def asked(*arguments: str, code: int = 0) -> dict[str, Any]:
    """The report as JSON."""
    result = run("inspect", *arguments, "--json")
    assert (result.exit_code, result.stderr) == (code, "")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def row(report: dict[str, Any], name: str) -> dict[str, Any]:
    """The check of that name."""
    [found] = [check for check in report["checks"] if check["name"] == name]
    return found


def shown(*arguments: str) -> str:
    """The report for the screen."""
    result = run("inspect", *arguments)
    assert result.stderr == ""
    return result.stdout
