"""What a report is made of: verdicts, arrays, and what is known of an exact derivative.

All arrays are ``Array`` objects, flat in row-major order.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from math import prod
from typing import Any, Generic, TypeVar

T = TypeVar("T")
U = TypeVar("U")


class Verdict(StrEnum):
    """The judgement of one entry of J or of vᵀJ (the README's table says when each applies)."""

    WRONG = "wrong"
    NAN = "nan"
    SATURATED = "saturated"
    MISSING = "missing"
    IMPRECISE = "imprecise"
    UNCHECKED = "unchecked"
    UNDEFINED = "undefined"
    KINK = "kink"
    POLE = "pole"
    BY_DESIGN = "by-design"
    OK = "ok"

    @property
    def severity(self) -> int:
        """0 for ``ok``; the larger, the worse. A report's verdict is that of its worst entry."""
        return len(Verdict) - 1 - list(Verdict).index(self)


def worst(verdicts: "list[Verdict] | tuple[Verdict, ...] | set[Verdict]") -> Verdict:
    """The most severe of ``verdicts``; ``ok`` for none."""
    return max(verdicts, key=lambda verdict: verdict.severity, default=Verdict.OK)


@dataclass(frozen=True)
class Array(Generic[T]):
    """``values`` in row-major order under a ``shape``; a scalar has the shape ``()``."""

    shape: tuple[int, ...]
    values: tuple[T, ...]

    def __post_init__(self) -> None:
        if prod(self.shape) != len(self.values):
            raise ValueError(f"{len(self.values)} values do not fill the shape {self.shape}")

    def map(self, function: Callable[[T], U]) -> "Array[U]":
        """The array of ``function(value)``, with the same shape."""
        return Array(self.shape, tuple(function(value) for value in self.values))

    def nested(self) -> Any:
        """The values as nested lists; the bare value for a scalar."""
        return _nest(self.shape, self.values)


def _nest(shape: tuple[int, ...], values: tuple[Any, ...]) -> Any:
    if not shape:
        return values[0]
    size = prod(shape[1:])
    return [_nest(shape[1:], values[k * size : (k + 1) * size]) for k in range(shape[0])]


Number = float | complex


class TruthKind(StrEnum):
    """What is known of an exact derivative."""

    VALUE = "value"
    SLOPES = "slopes"
    REMOVABLE = "removable"
    UNDEFINED = "undefined"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Truth:
    """The exact derivative at the dtype-rounded inputs, or the slopes where there is none.

    Attributes:
        kind: which of the fields below hold.
        value: 30 certain digits (``"0"``, ``"inf"``, ``"-inf"`` included), for ``value`` and for
            ``removable`` (the function has a removable hole here).
        left: the slope from the left, in the same notation or ``"undefined"``.
        right: the slope from the right.
    """

    kind: TruthKind
    value: str = ""
    left: str = ""
    right: str = ""
