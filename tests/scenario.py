"""One problem with its answer, and the way to ask for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vjp_cli.expression import parse
from vjp_cli.inspection import inspect
from vjp_cli.report import Report
from vjp_cli.request import Request
from vjp_cli.settings import Settings
from vjp_cli.values import parse_value


def solve(
    expression: str,
    inputs: Mapping[str, str],
    v: str | None = None,
    settings: Settings | None = None,
) -> Report:
    """The report of one problem, with values as they are written on the command line."""
    values = {name: parse_value(text, f"--{name}") for name, text in inputs.items()}
    cotangent = None if v is None else parse_value(v, "--v")
    return inspect(Request(parse(expression), values, cotangent), settings or Settings())


@dataclass(frozen=True)
class Scenario:
    """One problem and its answer.

    Attributes:
        jacobian: for each input nested lists of shape y.shape + x.shape.
        pattern: for each input one word a row of J; ``x`` for an entry that can be non-zero.
        vjp: for each input nested lists of its shape.
    """

    expression: str
    inputs: Mapping[str, str]
    v: str | None
    jacobian: Mapping[str, Any]
    pattern: Mapping[str, str]
    vjp: Mapping[str, Any]
    dtype: str = "float64"
