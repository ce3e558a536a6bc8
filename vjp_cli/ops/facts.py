"""What is told of an operation: a line of the listing, or a page."""

from collections.abc import Mapping
from dataclasses import dataclass

from vjp_cli.ops.table import Kind
from vjp_cli.report import Number, Verdict


@dataclass(frozen=True)
class OpLine:
    """One row of the table in the listing.

    Attributes:
        family: the group of operations that the row lies with.
        checked: how its derivative is found: by a formula, by tracing the same algorithm, or by
            evaluation and slopes alone.
    """

    name: str
    family: str
    kind: Kind
    checked: str
    kinks: str


@dataclass(frozen=True)
class MeasuredKink:
    """Torch's choice at a kink, and the slopes there.

    Attributes:
        call: the expression that was inspected.
        at: the value of its first input, as the row has it.
        torch: torch's derivative by that input; None where it gives none.
        left: the slope from the left, 30 digits.
        right: the slope from the right.
    """

    call: str
    at: str
    torch: Number | None
    left: str
    right: str
    verdict: Verdict


@dataclass(frozen=True)
class OpPage:
    """All that the table says of one operation, and what torch does at its kinks.

    Attributes:
        signature: of torch's function.
        rule: for a formula: the formula and, by the name of each argument, its derivative.
        domain: where the samples' inputs may lie.
        measured: empty where ``line.kinks`` names no number.
    """

    line: OpLine
    torch: str
    signature: str
    aliases: tuple[str, ...]
    fields: tuple[str, ...]
    samples: tuple[str, ...]
    rule: str
    derivatives: Mapping[str, str]
    domain: tuple[float, float]
    measured: tuple[MeasuredKink, ...]
    note: str
    departure: str
