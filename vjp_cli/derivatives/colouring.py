"""Groups of rows (or columns) of a pattern that one product with J can compute together.

Two rows that share no column do not mix when they are pulled back with one cotangent: every number
of the sum belongs to one of them (Curtis, Powell and Reid, 1974). Most patterns of arrays repeat,
so that the remainder of the row number is a colouring; a greedy one serves the others.
"""

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vjp_cli.lazy import numpy

# How many remainders are tried before the greedy colouring; on grids one of the first few fits.
_TRIALS = 8
# A remainder is tried on the entries of about so many columns before it is tried on all.
_SAMPLE = 64
# A row or column is dense, and split off, when it has this many times the entries of the average.
_DENSE = 8
# With so few colours nothing is gained by another side.
_FEW = 4
# A Jacobian-vector product is a double backward: about two plain ones.
_FORWARD_COST = 2


@dataclass(frozen=True)
class Colouring:
    """How the entries of a pattern are found with few products.

    Attributes:
        rows: for each row its group among the cotangents; -1 for one that none takes.
        columns: for each column its group among the tangents; -1 likewise.
        by_row: for each entry of the pattern whether a cotangent finds it, else a tangent.
    """

    rows: Any
    columns: Any
    by_row: Any

    @property
    def cotangents(self) -> int:
        """The number of plain VJPs."""
        return int(self.rows.max(initial=-1)) + 1

    @property
    def tangents(self) -> int:
        """The number of JVPs."""
        return int(self.columns.max(initial=-1)) + 1

    @property
    def colours(self) -> int:
        """The number of products with J."""
        return self.cotangents + self.tangents

    @property
    def cost(self) -> int:
        """In plain VJPs."""
        return self.cotangents + _FORWARD_COST * self.tangents


def colouring(
    shape: tuple[int, int], rows: Any, columns: Any, *, forward: bool = True
) -> Colouring:
    """The cheapest of the colourings by rows, by columns, and with dense lines split off.

    A pattern is coloured once: for J itself, and again where the report names the colours.

    Args:
        shape: of J.
        rows: the row of each entry; no entry may occur twice. Not to be written to afterwards.
        columns: the column of each entry; likewise.
        forward: whether tangents may be used.
    """
    key = (id(rows), id(columns), shape, forward)
    known = _KNOWN.get(key)
    if known is not None:
        return known
    found = _KNOWN[key] = _coloured(shape, rows, columns, forward)
    # an identity may be given to another array once this one is gone
    weakref.finalize(rows, _KNOWN.pop, key, None).atexit = False
    weakref.finalize(columns, _KNOWN.pop, key, None).atexit = False
    return found


_KNOWN: dict[Any, Colouring] = {}


def _coloured(shape: tuple[int, int], rows: Any, columns: Any, forward: bool) -> Colouring:
    everything = numpy.ones(len(rows), dtype=bool)
    best = _split(shape, rows, columns, everything)
    if best.colours <= _FEW or not forward:
        return best
    lower = _FORWARD_COST * int(numpy.bincount(rows).max(initial=0))
    if lower < best.cost:
        best = _cheaper(best, _split(shape, rows, columns, ~everything))
    dense_columns = _dense(columns, shape[1])
    if dense_columns.any():
        best = _cheaper(best, _split(shape, rows, columns, ~dense_columns[columns]))
    dense_rows = _dense(rows, shape[0])
    if dense_rows.any():
        best = _cheaper(best, _split(shape, rows, columns, dense_rows[rows]))
    return best


def joint_colouring(shapes: Sequence[tuple[int, int]], patterns: Sequence[tuple[Any, Any]]) -> Any:
    """The group of each row (-1 for one without entries) where each cotangent serves all inputs.

    The Jacobians stand side by side, as one wide matrix.

    Args:
        shapes: of the Jacobian of each input; all have the same rows.
        patterns: the rows and the columns of the entries of each.
    """
    starts = numpy.cumsum([0, *(columns for _, columns in shapes)])
    rows = numpy.concatenate([rows for rows, _ in patterns])
    columns = numpy.concatenate(
        [columns + start for (_, columns), start in zip(patterns, starts[:-1], strict=True)]
    )
    return _groups((shapes[0][0], int(starts[-1])), rows, columns)


def _cheaper(one: Colouring, other: Colouring) -> Colouring:
    return other if other.cost < one.cost else one


def _dense(lines: Any, count: int) -> Any:
    """Which rows (or columns) have far more entries than the average one."""
    sizes = numpy.bincount(lines, minlength=count)
    return sizes > _DENSE * max(1.0, len(lines) / max(count, 1))


def _split(shape: tuple[int, int], rows: Any, columns: Any, by_row: Any) -> Colouring:
    """Cotangents for the chosen entries, tangents for all others."""
    others = ~by_row
    return Colouring(
        _groups(shape, rows[by_row], columns[by_row]),
        _groups(shape[::-1], columns[others], rows[others]),
        by_row,
    )


def _groups(shape: tuple[int, int], rows: Any, columns: Any) -> Any:
    """A group for each row with an entry; rows of a group share no column."""
    if not len(rows):
        return numpy.full(shape[0], -1)
    groups = _by_remainder(shape, rows, columns)
    if groups is None:
        groups = _greedy(shape, rows, columns)
    taken = numpy.zeros(shape[0], dtype=bool)
    taken[rows] = True
    # consecutive numbers, since a remainder may have only rows without entries
    _, numbers = numpy.unique(groups[taken], return_inverse=True)
    found = numpy.full(shape[0], -1)
    found[taken] = numbers.reshape(-1)
    return found


def _by_remainder(shape: tuple[int, int], rows: Any, columns: Any) -> Any:
    """The row number modulo the least k that is a colouring; None when the first few are not."""
    least = int(numpy.bincount(columns).max(initial=1))
    # most remainders fail in any few columns: look there first
    few = numpy.flatnonzero(columns % max(1, shape[1] // _SAMPLE) == 0)
    for k in range(least, min(least + _TRIALS, shape[0] + 1)):
        if _alone(shape[1], rows[few], columns[few], k) and _alone(shape[1], rows, columns, k):
            return numpy.arange(shape[0]) % k
    return None


def _alone(width: int, rows: Any, columns: Any, k: int) -> bool:
    """Whether no column has two entries whose rows have the same remainder."""
    together = columns * k + rows % k
    # counting costs memory for each column and remainder: of a few entries sort instead
    if width * k <= 4 * len(rows) + 1024:
        return bool(numpy.bincount(together).max(initial=0) <= 1)
    return len(numpy.unique(together)) == len(together)


def _greedy(shape: tuple[int, int], rows: Any, columns: Any) -> Any:
    """The first free colour for each row, the longest rows first; colours are bits of an int."""
    order = numpy.argsort(rows, kind="stable")
    sizes = numpy.bincount(rows, minlength=shape[0])
    ends = numpy.cumsum(sizes)
    sorted_columns = columns[order].tolist()
    used = [0] * shape[1]
    groups = numpy.zeros(shape[0], dtype=int)
    for row in numpy.argsort(-sizes, kind="stable").tolist():
        own = sorted_columns[ends[row] - sizes[row] : ends[row]]
        taken = 0
        for column in own:
            taken |= used[column]
        bit = ~taken & (taken + 1)
        for column in own:
            used[column] |= bit
        groups[row] = bit.bit_length() - 1
    return groups
