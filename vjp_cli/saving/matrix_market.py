"""The Matrix Market exchange format (NIST): a text that nearly every matrix library reads."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import prod
from typing import IO

from vjp_cli.lazy import numpy
from vjp_cli.saving.matrices import Matrix

# with a row, a column and a number on a line, fewer entries than this share are shorter by place
_SHARE = 3
_LINES = 10_000


def write_matrix_market(file: IO[bytes], matrices: Sequence[Matrix]) -> None:
    """The only J: by coordinates where it has few entries, else in full, column by column."""
    [matrix] = matrices
    rows, columns = matrix.shape
    few = matrix.sparse or _SHARE * len(matrix.positions) <= prod(matrix.shape)
    field = "complex" if numpy.iscomplexobj(matrix.values) else "real"
    form = "coordinate" if few else "array"
    size = f"{rows} {columns} {len(matrix.positions)}" if few else f"{rows} {columns}"
    _write(file, [f"%%MatrixMarket matrix {form} {field} general", size])
    _write(file, _coordinates(matrix) if few else _columns(matrix))


def _coordinates(matrix: Matrix) -> Iterator[str]:
    places = zip(matrix.rows.tolist(), matrix.columns.tolist(), strict=True)
    for (row, column), value in zip(places, _numbers(matrix.values), strict=True):
        yield f"{row + 1} {column + 1} {value}"


def _columns(matrix: Matrix) -> Iterator[str]:
    full = numpy.concatenate([*matrix.pieces(), matrix.values[:0]]).reshape(matrix.shape)
    return _numbers(full.T.reshape(-1))


def _numbers(values: object) -> Iterator[str]:
    """The shortest text that reads back as the same double; two for a complex number."""
    array = numpy.asarray(values)
    if not numpy.iscomplexobj(array):
        return map(repr, array.astype(float).tolist())
    wide = array.astype(complex)
    pairs = zip(wide.real.tolist(), wide.imag.tolist(), strict=True)
    return (f"{real!r} {imag!r}" for real, imag in pairs)


def _write(file: IO[bytes], lines: Iterable[str]) -> None:
    waiting = iter(lines)
    while some := list(islice(waiting, _LINES)):
        file.write(("\n".join(some) + "\n").encode())
