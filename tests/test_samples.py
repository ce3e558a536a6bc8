"""Every sample runs as its first line says, and gives the numbers worked out by hand."""

import json
from math import nan
from pathlib import Path

import pytest

from tests import shell

ROOT = Path(__file__).parents[1]

# the input and its vᵀJ
VJP = {
    "chain": [1.2, 16.0, 0.002],
    "masked_sqrt": [nan, 0.25],
    "matrix": [[2.0], [4.0], [6.0]],
    "matrix_sum": [[2.0], [4.0], [6.0]],
    "relu": [0.0, 0.0, 1.0],
    # 1/(1 + e), and the 1 that is torch's mistake
    "softplus": [0.2689414213699951, 1.0],
}
TRUTH = {"masked_sqrt": ["0", "0.25"], "softplus": [None, "0.5"]}
NAMES = sorted(path.stem for path in (ROOT / "samples").glob("*.txt"))


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def first_line(name):
    return (ROOT / "samples" / f"{name}.txt").read_text(encoding="utf-8").splitlines()[0]


def command(name):
    return first_line(name).removeprefix("# ")


def report(name):
    line = command(name).partition(" # ")[0]
    return json.loads(shell.answer(f"{line} --json").stdout)


def test_each_sample_has_numbers():
    assert sorted(VJP) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_first_line_is_the_command(name):
    assert first_line(name).startswith(f"# vjp inspect @samples/{name}.txt ")


@pytest.mark.parametrize("name", NAMES)
def test_exit_code(name):
    assert shell.answer(command(name)).exit_code == shell.exit_code(command(name))


@pytest.mark.parametrize("name", NAMES)
def test_vjp(name):
    found = report(name)["vjp"]["x"]
    # a column of numbers is a list of lists
    flat = [each for row in found for each in (row if isinstance(row, list) else [row])]
    expected = [each for row in VJP[name] for each in (row if isinstance(row, list) else [row])]
    assert [float(each) for each in flat] == pytest.approx(expected, rel=1e-15, nan_ok=True)
    assert isinstance(found[0], list) == isinstance(VJP[name][0], list)


@pytest.mark.parametrize("name", sorted(TRUTH))
def test_truth_where_torch_is_wrong(name):
    found = report(name)["truth"]["vjp"]["x"]
    assert [each for each, known in zip(found, TRUTH[name], strict=True) if known] == [
        known for known in TRUTH[name] if known
    ]


def test_kink_has_both_slopes():
    answer = report("relu")
    assert answer["verdict"] == "kink"
    assert answer["truth"]["vjp"]["x"][1] == {"left": "0", "right": "1.0"}


def test_chain_has_the_diagonal_jacobian():
    answer = report("chain")
    assert answer["jacobian"]["x"] == [[12.0, 0.0, 0.0], [0.0, 16.0, 0.0], [0.0, 0.0, 20.0]]
    assert answer["output"] == {"name": "z", "shape": [3], "value": [18.0, 32.0, 50.0]}
    assert answer["symbolic"]["jacobian"]["x"][0]["formula"] == "4*x[i] + 8"


def test_both_ways_of_the_matrix_agree():
    assert report("matrix")["vjp"] == report("matrix_sum")["vjp"]


def test_values_of_the_matrix_come_from_files():
    assert report("matrix")["inputs"] == {
        "k": [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]],
        "x": [[1.0], [2.0], [3.0]],
    }


def test_problems_of_the_batch():
    answers = shell.answer("vjp batch samples/problems.jsonl | jq -c '[.id,.verdict,.vjp.x]'")
    assert answers.exit_code == 1
    assert answers.stdout.splitlines() == [
        '["chain","ok",[1.2000000000000002,16.0,0.002]]',
        '["kink","kink",[0.0,0.0,1.0]]',
        '["nan","nan",["NaN",0.25]]',
    ]
