"""Colourings of patterns: valid always, and as few colours as known for the usual ones."""

from itertools import pairwise

import numpy
import pytest

from vjp_cli.derivatives import colouring as module
from vjp_cli.derivatives.colouring import Colouring, colouring


def is_valid(plan: Colouring, rows: numpy.ndarray, columns: numpy.ndarray) -> bool:
    """Whether every entry is alone in the cell where it is looked for."""
    own = plan.by_row
    cotangents = list(zip(plan.rows[rows[own]], columns[own], strict=True))
    tangents = list(zip(plan.columns[columns[~own]], rows[~own], strict=True))
    named = (plan.rows[rows[own]] >= 0).all() and (plan.columns[columns[~own]] >= 0).all()
    return bool(named) and all(len(set(cells)) == len(cells) for cells in (cotangents, tangents))


def band(n: int, offsets: range) -> tuple[numpy.ndarray, numpy.ndarray]:
    pairs = [(i, i + k) for i in range(n) for k in offsets if 0 <= i + k < n]
    return tuple(numpy.array(pairs, dtype=int).T)


def grid(height: int, width: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The five-point stencil."""
    pairs = []
    for i in range(height):
        for j in range(width):
            for a, b in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)):
                if 0 <= i + a < height and 0 <= j + b < width:
                    pairs.append((i * width + j, (i + a) * width + j + b))
    return tuple(numpy.array(pairs).T)


def arrow(n: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    pairs = [(0, k) for k in range(n)] + [(k, 0) for k in range(1, n)]
    return tuple(numpy.array(pairs + [(k, k) for k in range(1, n)]).T)


@pytest.mark.parametrize("n", [1, 2, 50, 10_000])
def test_diagonal_needs_one_colour(n: int) -> None:
    plan = colouring((n, n), numpy.arange(n), numpy.arange(n))
    assert (plan.cotangents, plan.tangents) == (1, 0)


@pytest.mark.parametrize(("offsets", "colours"), [(range(2), 2), (range(-1, 2), 3)])
def test_bands_need_their_width(offsets: range, colours: int) -> None:
    rows, columns = band(10_000, offsets)
    plan = colouring((10_000, 10_000), rows, columns)
    assert plan.colours == colours
    assert is_valid(plan, rows, columns)


def test_two_dimensional_stencil_needs_few() -> None:
    rows, columns = grid(30, 20)
    plan = colouring((600, 600), rows, columns)
    assert 5 <= plan.colours <= 7
    assert is_valid(plan, rows, columns)


def test_blocks_need_the_size_of_a_block() -> None:
    pairs = [(10 * b + i, 10 * b + j) for b in range(40) for i in range(10) for j in range(10)]
    rows, columns = numpy.array(pairs).T
    plan = colouring((400, 400), rows, columns)
    assert plan.colours == 10
    assert is_valid(plan, rows, columns)


def test_arrow_splits_off_what_is_dense() -> None:
    rows, columns = arrow(2000)
    plan = colouring((2000, 2000), rows, columns)
    assert plan.colours == 3
    assert is_valid(plan, rows, columns)
    assert colouring((2000, 2000), rows, columns, forward=False).cotangents == 2000


def test_dense_row_over_a_diagonal_needs_two_cotangents() -> None:
    rows = numpy.concatenate([numpy.zeros(300, int), numpy.arange(300) + 1])
    columns = numpy.concatenate([numpy.arange(300), numpy.arange(300)])
    plan = colouring((301, 300), rows, columns)
    assert (plan.cotangents, plan.tangents) == (2, 0)


def test_dense_columns_beside_a_diagonal_need_tangents() -> None:
    pairs = [(i, i) for i in range(300)] + [(i, 300) for i in range(300)]
    rows, columns = numpy.array(pairs).T
    plan = colouring((300, 301), rows, columns)
    assert (plan.cotangents, plan.tangents) == (1, 1)
    assert is_valid(plan, rows, columns)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (4, 5)])
def test_without_entries_there_is_no_colour(shape: tuple[int, int]) -> None:
    nothing = numpy.zeros(0, int)
    assert colouring(shape, nothing, nothing).colours == 0


def test_rows_without_entries_have_no_group() -> None:
    plan = colouring((7, 3), numpy.array([2, 5]), numpy.array([0, 0]))
    assert plan.colours == 2
    assert [k for k in range(7) if plan.rows[k] < 0] == [0, 1, 3, 4, 6]


@pytest.mark.parametrize("seed", range(20))
def test_random_patterns(seed: int) -> None:
    draw = numpy.random.default_rng(seed)
    shape = (int(draw.integers(1, 40)), int(draw.integers(1, 40)))
    rows, columns = numpy.nonzero(draw.random(shape) < draw.choice([0.05, 0.2, 0.9]))
    plan = colouring(shape, rows, columns)
    assert is_valid(plan, rows, columns)
    assert plan.cost <= min(shape[0], 2 * shape[1])
    groups = sorted({*plan.rows.tolist()} - {-1})
    assert all(b == a + 1 for a, b in pairwise(groups))


def test_a_pattern_is_coloured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    work = module._coloured
    monkeypatch.setattr(module, "_coloured", lambda *a: calls.append(a[0]) or work(*a))
    before = len(module._KNOWN)
    rows, columns = grid(5, 4)
    plan = colouring((20, 20), rows, columns)
    assert colouring((20, 20), rows, columns) is plan
    assert calls == [(20, 20)]
    # another question, and equal arrays of other identity
    colouring((20, 20), rows, columns, forward=False)
    colouring((20, 20), rows.copy(), columns.copy())
    assert len(calls) == 3
    calls.clear()
    del rows, columns
    # nothing is kept of arrays that are gone
    assert len(module._KNOWN) == before
