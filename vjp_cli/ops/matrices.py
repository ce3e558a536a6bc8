"""Batches of matrices of exact numbers, as rules that look at whole matrices take them apart."""

from collections.abc import Sequence
from math import prod

from vjp_cli.numbers.exact_array import ExactArray
from vjp_cli.numbers.scalar import Number
from vjp_cli.numbers.symmetric import Row

Matrix = Sequence[Sequence[Number]]


def matrices(A: ExactArray) -> list[Matrix]:
    """The matrices of a batch, each as its rows."""
    rows, columns = A.shape[-2:]
    size = rows * columns
    starts = [k * size for k in range(prod(A.shape[:-2]))]
    return [
        [list(A.numbers[start + i * columns : start + (i + 1) * columns]) for i in range(rows)]
        for start in starts
    ]


def joined(A: ExactArray, width: int, found: Sequence[Row]) -> ExactArray:
    """One vector of ``width`` elements for each matrix of the batch ``A``."""
    return ExactArray((*A.shape[:-2], width), tuple(x for row in found for x in row))


def stacked(A: ExactArray, shape: tuple[int, int], found: Sequence[Matrix]) -> ExactArray:
    """One matrix of ``shape`` for each matrix of the batch ``A``."""
    numbers = tuple(x for matrix in found for row in matrix for x in row)
    return ExactArray((*A.shape[:-2], *shape), numbers)


def transposed(matrix: Matrix) -> Matrix:
    """The columns of a matrix."""
    return [list(column) for column in zip(*matrix, strict=True)]
