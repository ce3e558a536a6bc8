"""The word for a pattern."""

import numpy
import pytest

from vjp_cli.tracing.pattern import structure


@pytest.mark.parametrize(
    ("shape", "entries", "word"),
    [
        ((3, 2), [], "zero"),
        ((2, 0), [], "zero"),
        ((2, 3), [(i, j) for i in range(2) for j in range(3)], "dense"),
        ((3, 4), [(0, 0), (2, 2)], "diagonal"),
        ((8, 9), [(i, i + 1) for i in range(8)], "banded"),
        ((8, 9), [(0, 4)], "sparse"),
        ((3, 5), [(0, 1)], "sparse"),
        ((1, 1), [(0, 0)], "dense"),
    ],
)
def test_word(shape: tuple[int, int], entries: list[tuple[int, int]], word: str) -> None:
    rows = numpy.array([row for row, _ in entries], dtype=int)
    columns = numpy.array([column for _, column in entries], dtype=int)
    found = structure(shape, rows, columns)
    assert found.pattern == word
    assert found.shape == shape
    assert found.nonzeros == len(entries)
    assert found.positions == {row * shape[1] + column for row, column in entries}
