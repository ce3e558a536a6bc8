"""What a report is made of: verdicts, arrays, and what is known of an exact derivative.

All arrays are ``Array`` objects, flat in row-major order.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import prod
from typing import Any, Generic, TypeVar, overload

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


class Scattered(Sequence[T]):
    """Values of which nearly all are alike: only the others take memory.

    Args:
        size: how many values there are.
        rest: the value at every position that is not listed.
        listed: the other values by position, in ascending order.
    """

    def __init__(self, size: int, rest: T, listed: Mapping[int, T]) -> None:
        self.size = size
        self.rest = rest
        self.listed = listed

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        places = range(self.size)[index]
        if isinstance(places, range):
            return [self.listed.get(place, self.rest) for place in places]
        return self.listed.get(places, self.rest)


class Deferred(Sequence[T]):
    """Values of which some are only made when someone looks at them.

    Args:
        known: the other values.
        positions: of those that are made.
        make: gives the values at some of these positions.
        floats: gives those values as doubles, without making them.
    """

    def __init__(
        self,
        known: Sequence[T],
        positions: Iterable[int],
        make: Callable[[list[int]], list[T]],
        floats: Callable[[list[int]], list[float]] | None = None,
    ) -> None:
        self.known = known
        self.positions = positions
        self.make = make
        self.floats = floats

    @cached_property
    def places(self) -> frozenset[int]:
        """The positions of those that are made."""
        return frozenset(map(int, self.positions))

    def __len__(self) -> int:
        return len(self.known)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        places = range(len(self))[index]
        if not isinstance(places, range):
            return self.make([places])[0] if places in self.places else self.known[places]
        return self.at(places)

    def __iter__(self) -> Iterator[T]:
        return iter(self.at(range(len(self))))

    def at(self, places: Sequence[int]) -> list[T]:
        """The values at these positions, made together."""
        wanted = [place for place in places if place in self.places]
        made = dict(zip(wanted, self.make(wanted), strict=True))
        return [made[place] if place in made else self.known[place] for place in places]


def scattered(size: int, rest: T, listed: Mapping[int, T]) -> Sequence[T]:
    """The values as a tuple, or ``Scattered`` where that saves much; positions ascend."""
    if size < _LARGE or _SPARSE * len(listed) > size:
        flat = [rest] * size
        for place, value in listed.items():
            flat[place] = value
        return tuple(flat)
    return Scattered(size, rest, listed)


# arrays below this size are held in full, as are those that list more than one value in so many
_LARGE = 10_000
_SPARSE = 4


@dataclass(frozen=True)
class Array(Generic[T]):
    """``values`` in row-major order under a ``shape``; a scalar has the shape ``()``."""

    shape: tuple[int, ...]
    values: Sequence[T]

    def __post_init__(self) -> None:
        if prod(self.shape) != len(self.values):
            raise ValueError(f"{len(self.values)} values do not fill the shape {self.shape}")

    def map(self, function: Callable[[T], U]) -> "Array[U]":
        """The array of ``function(value)``, with the same shape."""
        values = self.values
        if isinstance(values, Scattered):
            listed = {place: function(value) for place, value in values.listed.items()}
            return Array(self.shape, Scattered(values.size, function(values.rest), listed))
        if isinstance(values, Deferred):
            make = values.make
            known = Array(self.shape, values.known).map(function).values
            made = Deferred(known, values.positions, lambda k: [function(v) for v in make(k)])
            return Array(self.shape, made)
        return Array(self.shape, tuple(function(value) for value in values))

    def at(self, places: Sequence[int]) -> list[T]:
        """The values at these flat positions."""
        values = self.values
        if isinstance(values, Scattered):
            listed, rest = values.listed, values.rest
            return [listed.get(place, rest) for place in places]
        if isinstance(values, Deferred):
            return values.at(places)
        return [values[place] for place in places]

    def listed(self) -> Iterable[tuple[int, T]]:
        """Positions and values, without those of which nearly all are alike, and deferred ones."""
        values = self.values.known if isinstance(self.values, Deferred) else self.values
        if isinstance(values, Scattered):
            return values.listed.items()
        return enumerate(values)

    def counts(self) -> Counter[T]:
        """How often each value occurs."""
        counts = Counter(value for _, value in self.listed())
        if isinstance(self.values, Scattered) and self.values.size > len(self.values.listed):
            counts[self.values.rest] += self.values.size - len(self.values.listed)
        return counts

    def nested(self) -> Any:
        """The values as nested lists; the bare value for a scalar."""
        return _nest(self.shape, list(self.values[:]))


def _nest(shape: tuple[int, ...], values: list[Any]) -> Any:
    if not shape:
        return values[0]
    if len(shape) == 1:
        return values
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
