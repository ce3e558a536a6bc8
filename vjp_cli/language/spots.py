"""Where a node stands, which decides what it may be besides a number or an array."""

from enum import Enum, auto
from types import EllipsisType, NoneType

from vjp_cli.language.refusals import Refusal


class Spot(Enum):
    """The places of an expression.

    OPERAND: of an operator, a method or an attribute: a number or an array, nothing else.
    RESULT: of a statement: also a tuple.
    ARGUMENT: the value of an argument: also a tuple, a string, None, a dtype.
    INDEX: in square brackets: also a tuple, a slice, None, an ellipsis.
    """

    OPERAND = auto()
    RESULT = auto()
    ARGUMENT = auto()
    INDEX = auto()

    @property
    def of_tuple(self) -> "Spot":
        """The spot of an element of a tuple that stands here."""
        return Spot.OPERAND if self is Spot.RESULT else self

    @property
    def of_list(self) -> "Spot":
        """The spot of an element of a list that stands here."""
        return Spot.ARGUMENT if self is Spot.ARGUMENT else Spot.OPERAND


_ALLOWED: dict[type, tuple[frozenset[Spot], str, str]] = {
    str: (
        frozenset({Spot.ARGUMENT}),
        "a string is allowed only as the value of an argument",
        "as in reduction='sum'",
    ),
    NoneType: (
        frozenset({Spot.ARGUMENT, Spot.INDEX}),
        "None is allowed only as an index or as the value of an argument",
        "as in x[:, None]",
    ),
    EllipsisType: (
        frozenset({Spot.INDEX}),
        "an ellipsis (...) is allowed only as an index",
        "as in x[..., 0]",
    ),
    bytes: (
        frozenset(),
        "a bytes literal is not part of the expression language",
        "write 'sum', not b'sum'",
    ),
}


def misplaced_constant(value: object, spot: Spot) -> Refusal | None:
    """Why ``value``, which is no number, may not stand at ``spot``; None where it may."""
    spots, message, hint = _ALLOWED[type(value)]
    return None if spot in spots else (message, hint)


def misplaced_sequence(kind: str, empty: bool, spot: Spot) -> Refusal | None:
    """Why a ``tuple`` or ``list`` may not stand at ``spot``; None where it may."""
    if kind == "tuple" and spot is Spot.OPERAND:
        return "a tuple is not an operand", "an array is written with brackets: [1, 2, 3]"
    if empty and spot in (Spot.OPERAND, Spot.RESULT):
        return f"an empty {kind} is not a value", "write zeros(0) for an empty array"
    return None
