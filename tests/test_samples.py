"""Every sample runs as its first line says, and gives the numbers worked out by hand."""

import json
import shlex
from math import nan
from pathlib import Path

import pytest
import torch

from tests import shell
from tests.helpers import run

ROOT = Path(__file__).parents[1]

# the input and its vᵀJ
VJP = {
    "chain": [1.2, 16.0, 0.002],
    "loss": [[2.0], [4.0], [6.0]],
    "masked_sqrt": [nan, 0.25],
    "matrix": [[2.0], [4.0], [6.0]],
    "matrix_sum": [[2.0], [4.0], [6.0]],
    "relu": [0.0, 0.0, 1.0],
    # sin(1/x) - cos(1/x)/x at 0.2, where 1/x is 5, and nothing from the other outputs
    "saved": [0.0, -2.377235202, 0.0],
    "tasks": [-1.0, 2.0],
    # 1/(1 + e), and the 1 that is torch's mistake
    "softplus": [0.2689414213699951, 1.0],
}
TRUTH = {"masked_sqrt": ["0", "0.25"], "softplus": [None, "0.5"]}
NAMES = sorted(path.stem for path in (ROOT / "samples").glob("*.txt"))
SWISH = "vjp inspect --function samples/swish.py"


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
    assert f"{first_line(name)} ".startswith(f"# vjp inspect @samples/{name}.txt ")


@pytest.mark.parametrize("name", NAMES)
def test_exit_code(name):
    assert shell.answer(command(name)).exit_code == shell.exit_code(command(name))


@pytest.mark.parametrize("name", NAMES)
def test_vjp(name):
    found = report(name)["vjp"]["x"]
    # a column of numbers is a list of lists
    flat = [each for row in found for each in (row if isinstance(row, list) else [row])]
    expected = [each for row in VJP[name] for each in (row if isinstance(row, list) else [row])]
    # float32 knows seven digits
    close = 1e-6 if name == "saved" else 1e-15
    assert [float(each) for each in flat] == pytest.approx(expected, rel=close, nan_ok=True)
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


# the output first: name, cotangent, and the local Jacobian by the one step before it
CHAINS = {
    "chain": [
        ("z", [0.1, 1.0, 1e-4], [[12.0, 0.0, 0.0], [0.0, 16.0, 0.0], [0.0, 0.0, 20.0]]),
        ("y", [1.2, 16.0, 0.002], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        ("x", [1.2, 16.0, 0.002], None),
    ],
    "matrix": [
        ("y", [[1.0], [1.0]], [[[[1.0], [2.0], [3.0]]], [[[1.0], [2.0], [3.0]]]]),
        ("x", [[2.0], [4.0], [6.0]], None),
    ],
}


def second_line(name):
    text = (ROOT / "samples" / f"{name}.txt").read_text(encoding="utf-8")
    return text.splitlines()[1].removeprefix("# ")


@pytest.mark.parametrize("name", CHAINS)
def test_second_command_shows_the_chain(name):
    assert second_line(name) == f"{command(name)} --chain"
    found = json.loads(shell.answer(f"{second_line(name)} --json").stdout)["chain"]
    for step, (name_of, cotangent, jacobian) in zip(found, CHAINS[name], strict=True):
        assert step["name"] == name_of
        flat = torch.tensor(step["cotangent"], dtype=torch.float64)
        assert torch.allclose(flat, torch.tensor(cotangent, dtype=torch.float64), rtol=1e-15)
        assert [part["jacobian"] for part in step["local"].values()] == (
            [] if jacobian is None else [jacobian]
        )


@pytest.mark.parametrize("name", CHAINS)
def test_chain_is_a_screen(name):
    words = shlex.split(second_line(name))
    shown = run(*words[1:], environment={"COLUMNS": "100", "NO_COLOR": "1"}, tty=True).stdout
    assert len(shown.splitlines()) <= 40
    assert max(map(len, shown.splitlines())) <= 100


def test_problems_of_the_batch():
    answers = shell.answer("vjp batch samples/problems.jsonl | jq -c '[.id,.verdict,.vjp.x]'")
    assert answers.exit_code == 1
    assert answers.stdout.splitlines() == [
        '["chain","ok",[1.2000000000000002,16.0,0.002]]',
        '["kink","kink",[0.0,0.0,1.0]]',
        '["nan","nan",["NaN",0.25]]',
    ]


def test_swish_begins_with_its_commands():
    lines = (ROOT / "samples" / "swish.py").read_text(encoding="utf-8").splitlines()
    commands = [line.removeprefix("# ") for line in lines if line.startswith("# vjp")]
    assert [line.partition(" --x")[0] for line in commands] == [
        f"{SWISH}:swish",
        f"{SWISH}:swish_right",
    ]
    assert lines[:2] == [f"# {line}" for line in commands]
    assert [shell.exit_code(line) for line in commands] == [1, 0]
    for line in commands:
        assert shell.answer(line).exit_code == shell.exit_code(line)


# v·(1 + x)·σ(x), which is what the backward says, and v·(σ(x) + x·σ(x)·(1 - σ(x)))
@pytest.mark.parametrize(
    ("name", "vjp", "verdict"),
    [
        ("swish", [0.0, 1.8673779936055638, 7.927173701800941], "wrong"),
        ("swish_right", [0.07232948812851325, 1.4799223746053036, 3.2723527463546865], "ok"),
    ],
)
def test_swish(name, vjp, verdict):
    found = json.loads(shell.answer(f"{SWISH}:{name} --x -1,0.5,2 --v 1,2,3 --json").stdout)
    assert found["vjp"]["x"] == pytest.approx(vjp, rel=1e-14)
    assert [float(each) for each in found["truth"]["vjp"]["x"]] == pytest.approx(
        [0.07232948812851325, 1.4799223746053036, 3.2723527463546865], rel=1e-14
    )
    assert found["verdicts"]["vjp"]["x"] == [verdict] * 3


def test_swish_shows_both_numbers_of_a_wrong_entry():
    shown = shell.answer(f"{SWISH}:swish --x -1,0.5,2 --v 1,2,3").stdout
    torch_label, wrong, truth_label, truth = shown.partition("vᵀJ at x[1]: wrong")[2].split()[:4]
    assert (torch_label, truth_label) == ("torch", "truth")
    assert float(wrong) == pytest.approx(1.8673779936055638, rel=1e-14)
    assert float(truth) == pytest.approx(1.4799223746053036, rel=1e-14)


def test_mlp():
    path = ROOT / "samples" / "mlp.py"
    line = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    found = json.loads(shell.answer(f"{line} --json").stdout)
    assert found["verdict"] == "ok"
    assert list(found["vjp"]) == ["x", "hidden.bias"]
    # the bias of a hidden unit counts as much as x·w does: ∂y/∂x = Wᵀ·∂y/∂bias
    weight = found["inputs"]["hidden.weight"]
    expected = [
        sum(weight[k][j] * found["vjp"]["hidden.bias"][k] for k in range(3)) for j in (0, 1)
    ]
    assert found["vjp"]["x"] == pytest.approx(expected, rel=1e-14)


def test_by_numpy_begins_with_its_commands():
    lines = (ROOT / "samples" / "by_numpy.py").read_text(encoding="utf-8").splitlines()
    commands = [line.removeprefix("# ") for line in lines if line.startswith("# vjp")]
    assert [shell.exit_code(line) for line in commands] == [1, 0]
    for line in commands:
        assert shell.answer(line).exit_code == shell.exit_code(line)


def test_by_numpy_is_judged_by_finite_differences():
    # v/(1 + |x|)² at -1, 0.5, 2 with v = 1, 2, 3
    found = shell.answer(
        "vjp inspect -f samples/by_numpy.py:softsign_wrong --x -1,0.5,2 --v 1,2,3 --json "
        "| jq -c .truth.vjp.x"
    )
    truths = [float(text) for text in json.loads(found.stdout)]
    assert truths == pytest.approx([1 / 4, 2 / 2.25, 3 / 9], rel=1e-9)


def test_the_saved_problem_is_what_the_program_writes(tmp_path):
    words = '"x*sin(1/x)" --x "linspace(0.1,0.3,3)" --v e1 --dtype float32 -q'
    file = tmp_path / "saved.txt"
    assert shell.answer(f"vjp inspect {words} --save-problem {file}").exit_code == 0
    written = file.read_text(encoding="utf-8").replace(str(file), "samples/saved.txt")
    assert (ROOT / "samples" / "saved.txt").read_text(encoding="utf-8") == written
