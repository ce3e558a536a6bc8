"""The arrangement of a pattern in words."""

import numpy
import pytest

from vjp_cli.report import PATTERNS
from vjp_cli.tracing.arrangement import arrangement

Places = list[tuple[int, int]]


def band(shape: tuple[int, int], *offsets: int) -> Places:
    return [(i, i + k) for i in range(shape[0]) for k in offsets if 0 <= i + k < shape[1]]


def blocks(count: int, rows: int, columns: int) -> Places:
    return [
        (b * rows + i, b * columns + j)
        for b in range(count)
        for i in range(rows)
        for j in range(columns)
    ]


CASES: dict[str, tuple[tuple[int, int], Places, str, str]] = {
    "nothing": ((3, 2), [], "zero", ""),
    "no columns": ((2, 0), [], "zero", ""),
    "no rows": ((0, 3), [], "zero", ""),
    "full": ((2, 3), [(i, j) for i in range(2) for j in range(3)], "dense", ""),
    "one row": ((1, 4), [(0, j) for j in range(4)], "dense", ""),
    "one": ((1, 1), [(0, 0)], "dense", ""),
    "diagonal": ((3, 4), [(0, 0), (2, 2)], "diagonal", ""),
    "tridiagonal": ((9, 9), band((9, 9), -1, 0, 1), "tridiagonal", ""),
    "central": ((9, 9), band((9, 9), -1, 1), "tridiagonal", ""),
    "second derivative": ((8, 10), band((8, 10), 0, 1, 2), "banded", "offsets 0 to 2"),
    "shift": ((8, 9), band((8, 9), 1), "banded", "offset 1"),
    "wide band": ((40, 40), band((40, 40), *range(-4, 3)), "banded", "offsets -4 to 2"),
    "ring": (
        (12, 12),
        [(i, (i + k) % 12) for i in range(12) for k in (-1, 0, 1)],
        "banded",
        "offsets -1 to 1 around the corners",
    ),
    "grid": (
        (60, 60),
        band((60, 60), -10, -1, 0, 1, 10),
        "multidiagonal",
        "offsets -10, -1, 0, 1, 10",
    ),
    "blocks": ((8, 12), blocks(4, 2, 3), "block diagonal", "4 blocks of 2x3"),
    "sums of rows": ((3, 12), blocks(3, 1, 4), "block diagonal", "3 blocks of 1x4"),
    "uneven blocks": (
        (5, 5),
        [(0, 0), (0, 1), (1, 0), (1, 1), *((i, j) for i in (2, 3, 4) for j in (2, 3, 4))],
        "block diagonal",
        "2 blocks of up to 3x3",
    ),
    "lower": ((6, 6), [(i, j) for i in range(6) for j in range(i + 1)], "lower triangular", ""),
    "below": ((6, 6), [(i, j) for i in range(6) for j in range(i)], "lower triangular", "strictly"),
    "upper": ((5, 7), [(i, j) for i in range(5) for j in range(i, 7)], "upper triangular", ""),
    "flip": (
        (7, 7),
        [(i, 6 - i) for i in range(7)],
        "permutation",
        "each output depends on an element of its own",
    ),
    "every second": (
        (5, 10),
        [(i, 2 * i) for i in range(5)],
        "selection",
        "each output depends on one element at most",
    ),
    "tiled": (
        (6, 3),
        [(i, i % 3) for i in range(6)],
        "selection",
        "each output depends on one element at most",
    ),
    "arrow": (
        (9, 9),
        [
            *((0, j) for j in range(9)),
            *((i, 0) for i in range(1, 9)),
            *((i, i) for i in range(1, 9)),
        ],
        "dense rows and columns",
        "1 dense row and 1 dense column; the rest is diagonal",
    ),
    "a dense column": (
        (8, 9),
        [(i, j) for i in range(8) for j in (0, i + 1)],
        "dense rows and columns",
        "1 dense column; the rest is banded, offset 1",
    ),
    "only dense rows": (
        (30, 9),
        [(i, j) for i in (3, 17) for j in range(9)],
        "dense rows and columns",
        "2 dense rows; the rest is zero",
    ),
    "scattered": ((9, 9), [(0, 4), (0, 7), (3, 1), (8, 4), (5, 6)], "sparse", ""),
    "scattered below": (
        (9, 9),
        [(4, 0), (4, 1), (8, 3), (8, 7), (6, 2)],
        "sparse",
        "all below the diagonal",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_in_words(name: str) -> None:
    shape, places, word, sentence = CASES[name]
    assert len(set(places)) == len(places)
    # the order of the entries says nothing
    places = sorted(places, key=lambda place: (place[1] * 7 + place[0] * 3) % 11)
    rows = numpy.array([row for row, _ in places], dtype=int)
    columns = numpy.array([column for _, column in places], dtype=int)
    assert arrangement(shape, rows, columns) == (word, sentence)


def test_every_word_is_shown_here() -> None:
    assert {case[2] for case in CASES.values()} == set(PATTERNS)


def test_a_million_entries_take_a_moment() -> None:
    rows = numpy.repeat(numpy.arange(333_333), 3)
    columns = rows + numpy.tile([0, 1, 2], 333_333)
    assert arrangement((333_333, 333_335), rows, columns) == ("banded", "offsets 0 to 2")
