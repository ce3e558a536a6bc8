"""A problem written as a line or as a file gives the same problem again, to the last bit."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.helpers import refused, run
from tests.random_problems import random_problem
from vjp_cli.problem_text.numerals import value_text
from vjp_cli.report import Array

FUNCTIONS = """
import torch

def scaled(x, k, sign: bool = True, mode: str = "sum", power: int = 2, c: float = 1.0):
    y = (x if sign else -x) * k * c
    return (y**power).sum() if mode == "sum" else y**power

def other(x, k, sign: bool = True, mode: str = "sum", power: int = 2, c: float = 1.0):
    return scaled(x, k, sign, mode, power, c)

def two(x, t):
    return x[t]*2, x.sin()

class Line(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 3)

    def forward(self, x):
        return self.fc(x)

class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 2*x.abs()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2*g

def double(x):
    return Double.apply(x)

class Bad(Line):
    def forward(self, x):
        return Double.apply(self.fc(x)) - self.fc(x)
"""
PROBLEMS = [
    ("2*(x+2)**2", "--x", "1,2,3", "--v", "0.1,1,1e-4"),
    ("k @ x", "--k", "1,2,3;1,2,3", "--x", "[[1],[2],[3]]", "--wrt", "x", "--v", "ones"),
    ("x*0.3", "--x", "randn(2,1,3)", "--v", "randn", "--seed", "5"),
    ("exp(x)", "--x", "rand(4)", "--dtype", "float32", "--v", "rand"),
    ("sum(x)", "--x", "randn(3,2)", "--dtype", "bfloat16"),
    ("x*y", "--x", "-0.0", "--y", "inf", "--dtype", "float16"),
    ("x*1", "--x", "nan,-inf,1e-320", "--v", "1,nan,-0."),
    ("-x", "--x", "-1,-2", "--v=-1,2"),
    ("-(x)**2 # a comment", "--x", "-3"),
    ("y = x + 2  # a step\nz = y*y*2\n", "--x", "1,2,3", "--v", "e1"),
    ("x[t].sum()", "--x", "1,2,3", "--t", "int64:0,2,2"),
    ("where(m, x, 0*x)", "--x", "1,2", "--m", "bool:1,0", "--v", "1,2", "--no-jacobian"),
    ("x*t", "--x", "1,2", "--t", "int32:ones(2)", "--v", "1,1"),
    ("v*x", "--let", "v=1,2", "--x", "3,4", "--v", "ones", "--layout", "denominator"),
    ("x.sum() + ones(2)", "--x", "zeros(0,3)", "--v", "1,2"),
    ("x[0]**3*x[1]", "--x", "2,3", "--order", "2"),
    ("x**3", "--x", "0.1,0.7", "--order", "2", "--v", "0.1,0.2", "--checks", "none"),
    ("x*x", "--x", "1+2j,0.1-0.3j", "--dtype", "complex128", "--v", "1,0.5j"),
    ("abs(x)", "--x", "1+2j,0.1-0.3j", "--dtype", "complex64", "--v", "1,0.1"),
    ("complex(x, 2*x)", "--x", "0.1", "--v", "1-2j"),
    ("x*y", "--x", "@x.npy", "--y", "-", "--v", "ones"),
    ("relu(x)", "--x", "0,1", "--v", "1,2", "--checks", "determinism,full-product"),
    ("einsum('ij,j->i', a, x)", "--a", "1,2;3,4", "--x", "1,2", "--v", "1,1"),
    ("2*x", "--x", "0.1,2", "--v", "0.1,1", "--v", "e0", "--gradient", "-1,3"),
    ("k @ x", "--k", "randn(2,3)", "--x", "1,2,3", "--loss", "d = y - 0.1; sum(d**2)"),
    ("k @ x", "--k", "1,2,3;4,5,6", "--x", "1,2,3", "--u", "k=ones", "--u", "x=-1,0.1,2"),
    ("x**3", "--x", "0.1,0.7", "--wrt", "x", "--v", "ones", "--u=-1,0.1"),
]
CALLS = [
    ("f.py:scaled", "--x", "1,2", "--k", "0.1", "--mode", "each it's", "--v", "1,2"),
    ("f.py:scaled", "--x", "1,2", "--k", "0.1", "--sign", "no", "--power", "3", "--c", "1e-3"),
    ("f.py:scaled", "--x", "1", "--k", "2", "--against", "f.py:other", "--wrt", "k"),
    ("f.py:two", "--x", "1,2", "--t", "int64:1,0,1", "--v", "1,2", "--output-index", "1"),
    ("f.py:Line", "--x", "0.1,0.2", "--v", "1,2,3", "--let", "fc.bias=0.1,0.2,0.3"),
    ("f.py:Line", "--x", "0.1,0.2", "--v", "ones", "--dtype", "float32", "--seed", "3"),
]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("f.py").write_text(FUNCTIONS)
    np.save("x.npy", np.array([0.1 + 0.2, 1 / 3, 5e-324]))


def answer(words, stdin=None):
    result = run(*words, "--json", stdin=stdin)
    assert result.stderr == ""
    return json.loads(result.stdout)


def same(first, again):
    """Everything but the line itself, and what a file adds to the text of an expression."""
    again["problem"]["expression"] = first["problem"]["expression"]
    again["reproduce"] = first["reproduce"]
    assert again == first


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_an_expression_comes_back(problem):
    words = ["inspect", *problem, "--reproduce", "--save-problem", "p.txt"]
    first = answer(words, stdin="4,5,6\n")
    line = shlex.split(first["reproduce"]["problem"])
    assert line[0] == "vjp"
    assert "\n" not in first["reproduce"]["problem"]
    again = answer([line[1], "--reproduce", *line[2:]])
    assert again["reproduce"] == first["reproduce"]
    same(first, again)
    from_file = answer(["inspect", "@p.txt", "--reproduce", "--save-problem", "q.txt"])
    assert from_file["reproduce"] == first["reproduce"]
    same(first, from_file)
    written = Path("p.txt").read_text()
    assert Path("q.txt").read_text() == written.replace("@p.txt", "@q.txt")


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_a_function_comes_back(call):
    words = ["inspect", "--function", *call, "--reproduce", "--save-problem", "p.txt"]
    first = answer(words)
    again = answer([*shlex.split(first["reproduce"]["problem"])[1:], "--reproduce"])
    assert again == first
    command = shlex.split(Path("p.txt").read_text().splitlines()[0].removeprefix("# "))
    assert command == ["vjp", "inspect", "@p.txt", "--allow-functions"]
    assert answer([*command[1:], "--reproduce"]) == first


@pytest.mark.parametrize("seed", range(12))
def test_random_problems_come_back(seed):
    problem = random_problem(seed)
    values = {
        name: value_text(Array(value.shape, value.numbers), "float64")
        for name, value in problem.values.items()
    }
    words = [word for name, text in values.items() for word in ("--" + name, text)]
    call = ["inspect", problem.source, *words, "--dtype", problem.dtype, "--v", "randn"]
    result = run(*call, "--json", "--reproduce", "--checks", "none", "--no-jacobian")
    assert result.exit_code in (0, 1, 3), result.stderr
    assert result.stdout
    first = json.loads(result.stdout)
    same(first, answer([*shlex.split(first["reproduce"]["problem"])[1:]]))


def test_the_line_of_the_beginners():
    words = ["inspect", "2*(x+2)**2", "--x", "1,2,3", "--v", "0.1,1,1e-4", "--reproduce"]
    assert answer(words)["reproduce"] == {
        "problem": "vjp inspect '2*(x+2)**2' --x 1,2,3 --v 0.1,1,0.0001",
        "point": None,
    }
    shown = run(*words).stdout.splitlines()
    assert shown[-2:] == ["reproduce", "vjp inspect '2*(x+2)**2' --x 1,2,3 --v 0.1,1,0.0001"]


def test_the_file_of_the_beginners():
    run("inspect", "2*(x+2)**2", "--x", "1,2,3", "--v", "0.1,1,1e-4", "--save-problem", "a b.txt")
    assert Path("a b.txt").read_text() == (
        "# vjp inspect '@a b.txt'\n# vjp: --x 1,2,3\n# vjp: --v 0.1,1,0.0001\n2*(x+2)**2\n"
    )


def test_float32_has_few_digits():
    words = ["inspect", "x", "--x", "0.1,0.3", "--dtype", "float32", "--v", "0.7,1", "--reproduce"]
    assert answer(words)["reproduce"]["problem"] == (
        "vjp inspect x --x 0.1,0.3 --v 0.7,1 --dtype float32"
    )


def test_nothing_is_said_unless_asked():
    found = answer(["inspect", "x", "--x", "1"])
    assert (found["reproduce"], found["explanation"]) == (None, None)


def test_a_finding_at_a_random_point():
    words = ["inspect", "-f", "f.py:double", "--x", "1,2", "--v", "1,1"]
    # right where x > 0, and the points keep the signs
    assert answer(words)["verdict"] == "ok"
    words[4] = "3,-4"
    found = answer([*words, "--points", "4", "--reproduce"])
    line = shlex.split(found["reproduce"]["point"])
    assert line != shlex.split(found["reproduce"]["problem"])
    again = answer(line[1:])
    assert again["verdict"] == "wrong"
    [reason] = [c["reason"] for c in found["checks"] if c["name"] == "further random points"]
    first = next(f for f in again["findings"] if f["verdict"] == "wrong")
    assert f"first {first['where']}: torch {first['torch']}, truth {first['truth']}" in reason
    assert found["reproduce"]["point"] in run(*words, "--points", "4", "--reproduce").stdout


def test_the_parameters_of_a_module_move_with_a_point():
    words = ["inspect", "-f", "f.py:Bad", "--x", "1,-2", "--v", "1,1,1", "--points", "3"]
    found = answer([*words, "--reproduce"])
    line = shlex.split(found["reproduce"]["point"])
    assert [word.partition("=")[0] for word in line if word.startswith("fc.")] == [
        "fc.weight",
        "fc.bias",
    ]
    assert answer(line[1:])["verdict"] == "wrong"


def test_a_long_problem_is_for_a_file():
    words = ["inspect", "sum(x)", "--x", "rand(200)", "--reproduce", "--save-problem", "p.txt"]
    found = answer(words)
    assert found["reproduce"] == {"problem": None, "point": None}
    [note] = [note for note in found["notes"] if "--save-problem FILE" in note]
    assert note.startswith("the problem has ")
    shown = run(*words[:-2]).stdout
    assert "--save-problem FILE writes it" in " ".join(shown.split())
    assert "\nreproduce\n" not in shown
    assert answer(["inspect", "@p.txt"])["inputs"] == found["inputs"]


def test_a_line_in_an_expression_is_no_header():
    run("inspect", "# vjp: --x 7\nx**2", "--x", "3", "--save-problem", "p.txt")
    assert answer(["inspect", "@p.txt"])["inputs"] == {"x": 3.0}


def test_standard_output_is_no_file():
    result = run("inspect", "x", "--x", "1", "--save-problem", "-")
    refused(result, "--save-problem needs a file", "standard output has the report")


def test_a_file_that_cannot_be_written():
    result = run("inspect", "x", "--x", "1", "--save-problem", "none/p.txt")
    refused(result, "cannot write 'none/p.txt': No such file or directory", exit_code=5)


def test_a_text_with_a_line_end_fits_no_file():
    words = ["inspect", "-f", "f.py:scaled", "--x", "1", "--k", "2", "--mode", "a\nb", "--v", "1"]
    assert answer([*words, "--reproduce"])["verdict"] == "ok"
    result = run(*words, "--save-problem", "p.txt")
    refused(
        result,
        "the value of --mode has characters that a line of a file cannot hold",
        "--reproduce writes it for a shell",
    )


def test_values_are_those_of_torch():
    torch.manual_seed(0)
    found = answer(["inspect", "x", "--x", "randn(3)", "--v", "ones", "--reproduce"])
    expected = torch.randn(3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    text = shlex.split(found["reproduce"]["problem"])[-3].removeprefix("--x=")
    assert [float(part) for part in text.split(",")] == expected.tolist()
