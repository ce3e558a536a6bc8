"""Numbers that are the same object: what is computed of one holds for all.

Large arrays often hold few different numbers (ones, masks, a broadcast scalar). An object that
stands in many places is converted, rounded and computed with once.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from vjp_cli.lazy import numpy
from vjp_cli.numbers.scalar import Number, exact

T = TypeVar("T")
# arrays shorter than this are not worth the look
_LONG = 256
# ... nor are those of which the first elements are all different
_LOOKED_AT = 64


def exact_each(numbers: Iterable[complex]) -> list[Number]:
    """The exact numbers, one object for all that are equal."""
    known: dict[complex, Number] = {}
    found = []
    for number in numbers:
        value = known.get(number)
        if value is None:
            value = known[number] = exact(number)
        found.append(value)
    return found


def each_once(function: Callable[[Any], T], values: Sequence[Any]) -> list[T]:
    """``function`` of every value, computed once for each object."""
    groups = repeated([values])
    if groups is None:
        return [function(value) for value in values]
    firsts, places = groups
    found = [function(values[first]) for first in firsts]
    return [found[place] for place in places]


def repeated(columns: Sequence[Sequence[Any]]) -> tuple[list[int], list[int]] | None:
    """The points at which the objects of the columns stand together for the first time.

    Returns:
        Their positions, and for every point which of them it repeats; None where few do.
    """
    size = len(columns[0]) if columns else 0
    if size < _LONG or _different([column[:_LOOKED_AT] for column in columns]) == _LOOKED_AT:
        return None
    codes = numpy.zeros(size, dtype=numpy.int64)
    for column in columns:
        ids = numpy.fromiter(map(id, column), dtype=numpy.int64, count=size)
        _, own = numpy.unique(ids, return_inverse=True)
        codes = codes * (int(own.max()) + 1) + own
        # small again: columns are many, and products of their numbers would not fit
        _, codes = numpy.unique(codes, return_inverse=True)
    _, firsts, places = numpy.unique(codes, return_index=True, return_inverse=True)
    return None if 2 * len(firsts) > size else (firsts.tolist(), places.tolist())


def _different(columns: Sequence[Sequence[Any]]) -> int:
    return len(set(zip(*[map(id, column) for column in columns], strict=True)))
