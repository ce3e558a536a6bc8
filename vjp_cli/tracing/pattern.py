"""The pattern of J: which entries can be non-zero, and the word for it."""

from vjp_cli.derivatives.colouring import colouring
from vjp_cli.kept import Kept
from vjp_cli.lazy import numpy
from vjp_cli.report import Structure
from vjp_cli.tracing.node import Index

# A pattern whose entries all lie this close to the diagonal is called banded.
_BAND = 3
# a batch has few patterns and many points
_MOST_KEPT = 1024
_KEPT: Kept[Structure] = Kept(256)


def structure(
    shape: tuple[int, int], rows: Index, columns: Index, *, forward: bool = True
) -> Structure:
    """The structure of a matrix whose structural non-zeros are at (rows, columns).

    ``forward``: whether double backwards may be used to compute columns of it.
    """
    small = len(rows) <= _MOST_KEPT
    key = (shape, rows.tobytes(), columns.tobytes(), forward) if small else None
    return _KEPT.get(key, lambda: _structure(shape, rows, columns, forward))


def _structure(shape: tuple[int, int], rows: Index, columns: Index, forward: bool) -> Structure:
    flat = rows * shape[1] + columns
    return Structure(
        shape=shape,
        nonzeros=len(flat),
        pattern=_word(shape, rows, columns),
        positions=frozenset(flat.tolist()),
        colours=colouring(shape, rows, columns, forward=forward).colours,
    )


def _word(shape: tuple[int, int], rows: Index, columns: Index) -> str:
    if not len(rows):
        return "zero"
    if len(rows) == shape[0] * shape[1]:
        return "dense"
    distance = numpy.abs(rows - columns).max()
    if distance == 0:
        return "diagonal"
    return "banded" if distance <= _BAND and min(shape) > 2 * _BAND else "sparse"
