"""The table of the bench: its words, its arithmetic, and that every part answers."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.bench import __main__ as bench
from tests.bench import dense, problems, structured, timing
from vjp_cli.derivatives.dense import dense_jacobian


def test_ratios_are_taken_pair_by_pair() -> None:
    found = timing.ratio([1, 8, 3], [2, 2, 3])
    assert (found.median, found.least, found.most) == (1, 0.5, 4)
    assert (found.inverse.median, found.inverse.least, found.inverse.most) == (1, 0.25, 2)
    assert str(found) == "1 (0.5 to 4)"
    assert timing.number(1234.5) == "1,234"


def test_a_bar_that_is_not_met_is_shown_as_such() -> None:
    one = timing.Ratio(0.8, 0.7, 0.9)
    rows = [
        timing.at_most("small", 0.75, "torch", one),
        timing.at_most("large", 0.85, "torch", one),
        timing.at_least("fast", 2, "torch", one.inverse),
        timing.Row("nobody", "", "nothing is not installed"),
    ]
    assert [row.met for row in rows] == [False, True, False, None]
    text = bench.table(rows)
    assert "| small | at most 0.75 of torch | 0.8 (0.7 to 0.9) | **no** |" in text
    assert "| large | at most 0.85 of torch | 0.8 (0.7 to 0.9) | yes |" in text
    assert text.endswith("| nobody | nothing is not installed |\n")


def test_every_work_has_its_turn_in_each_round() -> None:
    seen = []
    works = {name: lambda name=name: seen.append(name) for name in "ab"}
    times = timing.rounds_of(works, 2, least=0)
    assert {name: len(each) for name, each in times.items()} == {"a": 2, "b": 2}
    # a warm-up, one to see how long it takes, then in turn
    assert seen == [*"aabb", *"abab"]


@pytest.mark.parametrize("name", problems.dense(4))
def test_all_dense_ways_agree(name: str) -> None:
    f, x = problems.dense(7)[name], problems.point(7)
    [ours] = dense_jacobian(f(x), [x]).parts
    ways = dense.ways(f, x)
    assert len(ways) == 7
    for way in ways.values():
        torch.testing.assert_close(way().reshape(ours.shape), ours, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("name", problems.STRUCTURED)
def test_the_patterns_are_those_of_the_problems(name: str) -> None:
    x = problems.point(structured.SIZE)
    rows, _ = structured.pattern_of(structured.program_of(name), x)
    counts = {
        "elementwise": 10_000,
        "1-D stencil": 3 * 9998,
        "2-D stencil": 5 * 98 * 98,
        # of u and of v: four neighbours, the place itself and that of the other
        "Brusselator": 6 * 10_000,
        "blocks of 10": 100_000,
    }
    assert len(rows) == counts[name]


def test_a_batch_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "find_spec", lambda name: None)
    [row] = bench.batch()
    assert (row.found, row.met) == ("not measured", None)


def test_peers_that_are_not_installed_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.peers, "find_spec", lambda name: None)
    found = bench.peers.rows()
    assert all(row.found.endswith(" is not installed") for row in found)
    assert {"asdex", "sparsejac", "symengine"} <= {row.found.split()[0] for row in found}


def test_the_readme_has_the_place_for_the_table() -> None:
    assert bench.TABLE.search(bench.README.read_text(encoding="utf-8"))


def test_nothing_is_imported_that_a_user_may_lack() -> None:
    code = "import tests.bench.__main__, sys; print({'jax', 'asdex', 'symengine'} & {*sys.modules})"
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, check=True)
    assert done.stdout == b"set()\n"
