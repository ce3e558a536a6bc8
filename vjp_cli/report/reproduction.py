"""What makes a report again."""

from collections.abc import Mapping
from dataclasses import dataclass

from vjp_cli.report.values import Array, Number


@dataclass(frozen=True)
class Point:
    """Another point at which the problem was judged, too.

    Attributes:
        inputs: every input, by name.
        v: the cotangent there; None where there is none.
    """

    inputs: Mapping[str, Array[Number]]
    v: Array[Number] | None


@dataclass(frozen=True)
class Reproduction:
    """Command lines for a shell.

    Attributes:
        problem: that of the report; None where it is too long for a line.
        point: that of the first random point with a finding; None where there is none, too.
    """

    problem: str | None
    point: str | None = None
