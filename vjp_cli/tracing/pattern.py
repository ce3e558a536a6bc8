"""The pattern of J: which entries can be non-zero, and the words for it."""

from vjp_cli.derivatives.colouring import colouring
from vjp_cli.kept import Kept
from vjp_cli.report import Structure
from vjp_cli.tracing.arrangement import arrangement
from vjp_cli.tracing.node import Index

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
    pattern, description = arrangement(shape, rows, columns)
    return Structure(
        shape=shape,
        nonzeros=len(flat),
        pattern=pattern,
        description=description,
        positions=frozenset(flat.tolist()),
        colours=colouring(shape, rows, columns, forward=forward).colours,
    )
