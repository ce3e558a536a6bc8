"""How the possible non-zeros of a J are arranged, in words: banded, block diagonal, triangular.

Every question is asked of index arrays: nothing of the size of J is made.
"""

from collections.abc import Callable
from typing import Any

from vjp_cli.lazy import numpy
from vjp_cli.report import in_words
from vjp_cli.tracing.node import Index

Shape = tuple[int, int]
# A word, and what it leaves open; None where the word does not fit.
Answer = tuple[str, str] | None

# So many diagonals are named one by one.
_NAMED_DIAGONALS = 9
# A row or column is dense from this share of its places on, and in so many places at least.
_DENSE_SHARE = 0.75
_DENSE_PLACES = 8
# Only a few of all rows (or columns) can stand out: one in so many.
_FEW_DENSE = 8


def arrangement(shape: Shape, rows: Index, columns: Index) -> tuple[str, str]:
    """One of ``report.PATTERNS``, and what there is to add to it, else "".

    Args:
        shape: of J.
        rows: the row of each entry that can be non-zero; no entry occurs twice.
        columns: its column.
    """
    return next(found for ask in _QUESTIONS if (found := ask(shape, rows, columns)) is not None)


def _plain(shape: Shape, rows: Index, columns: Index) -> Answer:
    if not len(rows):
        return "zero", ""
    if len(rows) == shape[0] * shape[1]:
        return "dense", ""
    offsets = columns - rows
    if not offsets.any():
        return "diagonal", ""
    if shape[0] == shape[1] > 2 and numpy.abs(offsets).max() == 1 and len(offsets) > shape[0]:
        return "tridiagonal", ""
    return None


def _permutation(shape: Shape, rows: Index, columns: Index) -> Answer:
    every = shape[0] == shape[1] == len(rows)
    if every and len(_distinct(rows)) == len(_distinct(columns)) == len(rows):
        return "permutation", "each output depends on an element of its own"
    return None


def _blocks(shape: Shape, rows: Index, columns: Index) -> Answer:
    """Full blocks one after another, each with rows and columns of its own."""
    order = numpy.lexsort((columns, rows))
    rows, columns = rows[order], columns[order]
    used, starts, sizes = numpy.unique(rows, return_index=True, return_counts=True)
    first, last = columns[starts], columns[starts + sizes - 1]
    fresh = numpy.ones(len(used), dtype=bool)
    fresh[1:] = first[1:] > numpy.maximum.accumulate(last)[:-1]
    begins = numpy.flatnonzero(fresh)
    ends = numpy.append(begins[1:], len(used)) - 1
    heights = used[ends] - used[begins] + 1
    widths = numpy.maximum.reduceat(last, begins) - numpy.minimum.reduceat(first, begins) + 1
    full = int((heights * widths).sum()) == len(rows)
    if len(begins) < 2 or not full or (heights.max() == 1 and widths.max() == 1):
        return None
    alike = heights.min() == heights.max() and widths.min() == widths.max()
    size = f"{'' if alike else 'up to '}{heights.max()}x{widths.max()}"
    return "block diagonal", f"{len(begins)} blocks of {size}"


def _triangular(shape: Shape, rows: Index, columns: Index) -> Answer:
    if min(shape) < 2:
        return None
    for word, below, above, across in (
        ("lower triangular", rows, columns, shape),
        ("upper triangular", columns, rows, shape[::-1]),
    ):
        distance = int((below - above).min())
        # full, but for the diagonal
        height, width = across[0] - distance, min(across[1], across[0] - distance)
        if distance in (0, 1) and len(rows) == width * height - width * (width - 1) // 2:
            return word, "strictly" if distance else ""
    return None


def _dense_lines(shape: Shape, rows: Index, columns: Index) -> Answer:
    """A few rows or columns of many entries, and how the rest is arranged without them."""
    by_row, by_column = _dense(rows, shape), _dense(columns, shape[::-1])
    chosen = by_row[rows] | by_column[columns]
    if not chosen.any():
        return None
    counts = {"row": int(by_row.sum()), "column": int(by_column.sum())}
    named = (
        f"{count} dense {what}{'' if count == 1 else 's'}"
        for what, count in counts.items()
        if count
    )
    rest = in_words(*arrangement(shape, rows[~chosen], columns[~chosen]))
    return "dense rows and columns", f"{' and '.join(named)}; the rest {rest}"


def _dense(lines: Index, shape: Shape) -> Any:
    """Which of the lines are dense; none where they are no exception."""
    sizes = numpy.bincount(lines, minlength=shape[0])
    dense = sizes >= max(_DENSE_SHARE * shape[1], _DENSE_PLACES)
    return dense & (int(dense.sum()) <= max(1, shape[0] // _FEW_DENSE))


def _band(shape: Shape, rows: Index, columns: Index) -> Answer:
    """Diagonals side by side, perhaps around the corners."""
    least = min(shape)
    offsets = _distinct(columns - rows)
    if _is_band(offsets, len(rows), least):
        return "banded", _range(offsets)
    if shape[0] == shape[1]:
        around = _distinct((columns - rows + least // 2) % least - least // 2)
        if _is_band(around, len(rows), least):
            return "banded", f"{_range(around)} around the corners"
    return None


def _diagonals(shape: Shape, rows: Index, columns: Index) -> Answer:
    """A few diagonals that lie apart."""
    least = min(shape)
    offsets = _distinct(columns - rows)
    few = 2 <= len(offsets) <= min(_NAMED_DIAGONALS, least // 3)
    if few and 2 * len(rows) >= len(offsets) * least > len(rows) // 2:
        named = ", ".join(str(offset) for offset in offsets.tolist())
        return "multidiagonal", f"offsets {named}"
    return None


def _is_band(offsets: Index, entries: int, least: int) -> bool:
    """Whether these diagonals lie side by side, are few, and are filled at least by half."""
    wide = int(offsets[-1] - offsets[0]) + 1
    return 3 * wide <= least + 2 and 2 * len(offsets) >= wide and 2 * entries >= wide * least


def _range(offsets: Index) -> str:
    if len(offsets) == 1:
        return f"offset {offsets[0]}"
    return f"offsets {offsets[0]} to {offsets[-1]}"


def _selection(shape: Shape, rows: Index, columns: Index) -> Answer:
    if 2 * len(rows) >= shape[0] and len(_distinct(rows)) == len(rows):
        return "selection", "each output depends on one element at most"
    return None


def _sparse(shape: Shape, rows: Index, columns: Index) -> Answer:
    side = ""
    if min(shape) > 1 and bool((columns <= rows).all()):
        side = "all below the diagonal"
    elif min(shape) > 1 and bool((columns >= rows).all()):
        side = "all above the diagonal"
    return "sparse", side


def _distinct(numbers: Index) -> Index:
    """The different ones, in ascending order."""
    least, most = int(numbers.min()), int(numbers.max())
    # counting is faster than sorting, where it needs no more memory than the numbers themselves
    if most - least <= 4 * len(numbers):
        return numpy.flatnonzero(numpy.bincount(numbers - least)) + least
    return numpy.unique(numbers)


_QUESTIONS: tuple[Callable[[Shape, Index, Index], Answer], ...] = (
    _plain,
    _permutation,
    _blocks,
    _triangular,
    _dense_lines,
    _band,
    _selection,
    _diagonals,
    _sparse,
)
