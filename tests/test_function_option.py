"""``--function FILE.py:NAME`` and ``--against``: options from the source, and what goes wrong."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers import Result, refused, run, run_process

FUNCTIONS = """\
import torch

print("the file runs")

def square(x):
    return x * x

def scaled(alpha, beta=2.0, *, gamma=3.0):
    return alpha * beta * gamma

def chatty(x):
    print("the function runs")
    return x * x

def cut(x):
    return x.detach() * x

def raising(x):
    values = {}
    return values["no such key"]

def leaving(x):
    raise SystemExit(0)

def listing(x):
    return [x]

def nothing():
    return torch.ones(2)

def same(v, json):
    return v * json

def starred(*xs):
    return xs[0]

class Module(torch.nn.Module):
    pass

def replaced(x):
    return x

globals()["replaced"] = 3
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "user.py").write_text(FUNCTIONS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    # loading a file adds its folder
    monkeypatch.setattr(sys, "path", [*sys.path])


def vjp(name: str, *arguments: str) -> Result:
    """``vjp inspect`` for a function of user.py."""
    return run("inspect", "--function", f"user.py:{name}", *arguments)


def answer(name: str, *arguments: str) -> dict[str, object]:
    result = vjp(name, *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    found: dict[str, object] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize(
    "arguments",
    [
        ["--function", "user.py:square", "--x", "-1,2", "--v", "1,10"],
        ["-f", "user.py:square", "--x=-1,2", "--v", "1,10"],
        ["--x", "-1,2", "--function=user.py:square", "--v", "1,10"],
        ["--v", "1,10", "-f=user.py:square", "--let", "x=-1,2"],
    ],
)
def test_a_function_stands_in_the_place_of_an_expression(arguments: list[str]) -> None:
    result = run("inspect", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["vjp"] == {"x": [-2.0, 40.0]}
    assert found["problem"]["function"] == "user.py:square"
    assert found["problem"]["expression"] is None


def test_the_first_line_shows_the_function() -> None:
    result = vjp("square", "--x", "1,2", "--v", "ones")
    assert result.stdout.startswith("ok   y = user.py:square(x) · x: 2 · y: 2 · float64")


def test_a_parameter_with_a_default_may_be_left_out() -> None:
    found = answer("scaled", "--alpha", "1,2", "--v", "1,10")
    # ∂(alpha·2·3)/∂alpha
    assert found["vjp"] == {"alpha": [6.0, 60.0]}
    found = answer("scaled", "--alpha", "1,2", "--gamma", "5", "--v", "1,10")
    # 2·5·v, and Σ v·alpha·2
    assert found["vjp"] == {"alpha": [10.0, 100.0], "gamma": 42.0}


def test_let_gives_a_parameter_that_is_an_option_already() -> None:
    found = answer("same", "--let", "v=2,3", "--let", "json=5,7", "--v", "1,10")
    assert found["vjp"] == {"v": [5.0, 70.0], "json": [2.0, 30.0]}


def test_help_lists_the_parameters_and_runs_nothing() -> None:
    (Path.cwd() / "bomb.py").write_text("raise OSError\ndef f(alpha, beta=1): return alpha\n")
    result = run("inspect", "-f", "bomb.py:f", "--help")
    assert (result.exit_code, result.stderr) == (0, "")
    assert re.search(r"^  --alpha VALUE +The value of alpha\.$", result.stdout, re.MULTILINE)
    assert re.search(r"^  --beta VALUE +The value of beta; has a default\.$", result.stdout, re.M)
    assert "-f, --function" in result.stdout or "--function, -f" in result.stdout


@pytest.mark.parametrize("reference", ["none.py:f", "user.py:none", "user.py", "bad.py:f"])
def test_help_is_there_whatever_the_function_is(reference: str) -> None:
    (Path.cwd() / "bad.py").write_text("def f(:\n")
    result = run("inspect", "-f", reference, "--help")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Usage: vjp inspect")


@pytest.mark.parametrize(
    ("words", "index", "completions"),
    [
        ("vjp inspect -f bomb.py:f --alp", 4, ["--alpha"]),
        # as bash splits it
        ("vjp inspect --function bomb.py : f --alp", 6, ["--alpha"]),
        ("vjp inspect -f bomb.py:f --alpha 1 --alp", 6, []),
        ("vjp inspect -f bomb.py:none --alp", 4, []),
        ("vjp inspect --func", 2, ["--function"]),
    ],
)
def test_the_shell_completes_parameters(words: str, index: int, completions: list[str]) -> None:
    (Path.cwd() / "bomb.py").write_text("raise OSError\ndef f(alpha, beta=1): return alpha\n")
    environment = {
        "_VJP_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(index),
    }
    result = run(environment=environment)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.split() == completions


def test_help_and_refusals_import_nothing_heavy() -> None:
    code = """
import sys
from vjp_cli.cli import run
try:
    run(['inspect', '-f', 'user.py:square', '--help'])
except SystemExit:
    pass
run(['inspect', '-f', 'user.py:square'])
run(['inspect', '-f', 'user.py:sqaure', '--x', '1'])
heavy = {"torch", "sympy", "numpy", "flint", "rich", "pydantic"} & set(sys.modules)
sys.stderr.write(f"heavy: {sorted(heavy)}")
"""
    assert run_process(code=code).stderr.endswith("heavy: []")


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (
            ["x", "-f", "user.py:square", "--x", "1"],
            "there is an expression 'x' and a function",
            "leave one out: --function stands in the place of an expression",
        ),
        (
            ["--x", "1"],
            "no expression given",
            "write vjp inspect '2*(x+2)**2' --x 1,2,3, or --function FILE.py:NAME",
        ),
        (["-f"], "-f needs a value", "write -f VALUE, or -f=VALUE"),
        (
            ["-f", "user.py:square", "-f", "user.py:cut"],
            "--function is given 2 times",
            "give it once",
        ),
        (
            ["-f", "user.py:sqaure", "--x", "1"],
            "--function: user.py has no function 'sqaure'",
            "did you mean 'square'?",
        ),
        (
            ["-f", "usr.py:square", "--x", "1"],
            "--function: cannot read usr.py: No such file or directory",
            "did you mean 'user.py'?",
        ),
        (["-f", "folder.py:f"], "--function: folder.py is not a regular file", ""),
        (
            ["-f", "lambda x: x", "--x", "1"],
            "--function: 'lambda x: x' is not FILE.py:NAME",
            "for example model.py:loss",
        ),
        (
            ["-f", "torch nn:Linear", "--x", "1"],
            "--function: 'torch nn:Linear' is not FILE.py:NAME",
            "for example model.py:loss",
        ),
        (
            ["-f", "user.py:Module", "--x", "1"],
            "--function: Module in user.py is a class, not a function or a module",
            "write a function that calls it: def f(x): return Module(x)",
        ),
        (
            ["-f", "user.py:starred", "--x", "1"],
            "--function: starred takes * or ** arguments",
            "write its parameters one by one",
        ),
        (
            ["-f", "user.py:nothing"],
            "nothing to differentiate: nothing has no parameters",
            "name what may change, for example def nothing(x)",
        ),
        (["-f", "user.py:scaled", "--beta", "1"], "no value for alpha", "add --alpha VALUE"),
        (
            ["-f", "user.py:scaled", "--alhpa", "1"],
            "no such option: --alhpa",
            "did you mean '--alpha'?",
        ),
        (
            ["-f", "user.py:scaled", "--alpha", "1", "--no-such-thing", "2"],
            "no such option: --no-such-thing",
            "scaled has --alpha, --beta, --gamma",
        ),
        (
            ["-f", "user.py:scaled", "--alpha", "1", "--wrt", "beta"],
            "--wrt: no value for beta",
            "a default is used as it is: give a value",
        ),
        (
            ["-f", "user.py:square", "--let", "k=1"],
            "--let: square has no parameter 'k'",
            "its parameters: x",
        ),
        (
            ["x*x", "--x", "1", "--against", "user.py:sqaure"],
            "--against: user.py has no function 'sqaure'",
            "did you mean 'square'?",
        ),
        (
            ["k*x", "--x", "1", "--k", "2", "--against", "user.py:square"],
            "--against: square has no parameter 'k'",
            "its parameters: x",
        ),
        (
            ["2*gamma", "--gamma", "1", "--against", "user.py:scaled"],
            "--against: scaled also needs alpha",
            "it must have the same parameters",
        ),
    ],
)
def test_what_is_refused(arguments: list[str], message: str, hint: str) -> None:
    (Path.cwd() / "folder.py").mkdir()
    refused(run("inspect", *arguments), message, hint)


def test_a_function_of_defaults_alone_needs_a_value() -> None:
    (Path.cwd() / "defaults.py").write_text("def f(x=1.0): return x\n")
    refused(
        run("inspect", "-f", "defaults.py:f"),
        "nothing to differentiate: no parameter has a value",
        "a default is used as it is; give a value to what may change",
    )


def test_a_file_that_is_not_python_is_shown_at_its_place() -> None:
    (Path.cwd() / "bad.py").write_text("import torch\ndef f(x):\n    return 2 x\n")
    result = run("inspect", "-f", "bad.py:f", "--x", "1")
    refused(result, "--function: bad.py:3: invalid syntax", exit_code=3)
    _, line, caret = result.stderr.splitlines()
    assert line == "      return 2 x"
    assert line[caret.index("^")] in "2x"


def test_bytes_that_are_not_utf8() -> None:
    (Path.cwd() / "bad.py").write_bytes(b"def f(x): return '\xff'\n")
    result = run("inspect", "-f", "bad.py:f", "--x", "1")
    assert result.exit_code == 3
    assert result.stderr.startswith("vjp: error: --function: bad.py")
    assert "utf-8" in result.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("raising", "raising raised KeyError: 'no such key' (line 20)"),
        ("leaving", "leaving raised SystemExit: 0 (line 23)"),
        ("listing", "listing returned 1 tensor in a list"),
        ("replaced", "user.py:replaced is no function once the file has run"),
    ],
)
def test_a_function_that_fails(name: str, message: str) -> None:
    result = vjp(name, "--x", "1")
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"vjp: error: {message}\n" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_file_that_fails() -> None:
    (Path.cwd() / "missing.py").write_text("\nimport no_such_module\ndef f(x): return x\n")
    refused(
        run("inspect", "-f", "missing.py:f", "--x", "1"),
        "missing.py raised ModuleNotFoundError: No module named 'no_such_module' (line 2)",
        f"vjp runs in the environment {sys.prefix}",
        exit_code=3,
    )


def test_the_neighbours_of_the_file_are_found_and_shadow_nothing() -> None:
    (Path.cwd() / "part").mkdir()
    (Path.cwd() / "part" / "torch.py").write_text("raise OSError('not this one')\n")
    (Path.cwd() / "part" / "vjp_test_neighbour.py").write_text("def twice(x): return 2 * x\n")
    (Path.cwd() / "part" / "model.py").write_text(
        "import torch\nfrom vjp_test_neighbour import twice\ndef f(x): return twice(x)\n"
    )
    result = run("inspect", "-f", "part/model.py:f", "--x", "1,2", "--v", "1,10", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["vjp"] == {"x": [2.0, 20.0]}


def test_prints_leave_standard_output_alone() -> None:
    result = vjp("chatty", "--x", "1,2", "--v", "1,10", "--json")
    assert json.loads(result.stdout)["vjp"] == {"x": [2.0, 40.0]}
    assert "the file runs\n" in result.stderr
    assert "the function runs\n" in result.stderr


@pytest.mark.parametrize(
    "subject", [["x.detach()*x"], ["-f", "user.py:cut"]], ids=["expression", "function"]
)
def test_the_truth_may_be_that_of_another_function(subject: list[str]) -> None:
    common = [*subject, "--x", "1,3", "--v", "1,10", "--json"]
    assert json.loads(run("inspect", *common).stdout)["verdict"] == "by-design"
    result = run("inspect", *common, "--against", "user.py:square")
    found = json.loads(result.stdout)
    assert found["vjp"] == {"x": [1.0, 30.0]}
    assert found["truth"]["vjp"] == {"x": ["2.0", "60.0"]}
    assert (found["verdict"], result.exit_code) == ("wrong", 1)
    assert found["problem"]["against"] == "user.py:square"
    table = run("inspect", *common[:-1], "--against", "user.py:square").stdout
    assert "compared with the exact derivative of user.py:square: J " in table


@pytest.mark.parametrize("form", [str, lambda path: path.name], ids=["absolute", "relative"])
def test_a_path_from_anywhere(form: Callable[[Path], str]) -> None:
    path = form(Path.cwd() / "user.py")
    assert run("inspect", "-f", f"{path}:square", "--x", "1", "-q").exit_code == 0


BACKWARD = """\
import torch

class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print("the backward runs")
        if g[1] == 7:
            raise KeyError("seven")
        return g * 2

def twice(x):
    return Twice.apply(x)
"""


def test_prints_of_a_backward_leave_standard_output_alone() -> None:
    (Path.cwd() / "backward.py").write_text(BACKWARD)
    result = run("inspect", "-f", "backward.py:twice", "--x", "1,2", "--v", "1,3", "--json")
    assert json.loads(result.stdout)["vjp"] == {"x": [2.0, 6.0]}
    assert "the backward runs\n" in result.stderr


def test_a_backward_that_raises_gives_no_number() -> None:
    (Path.cwd() / "backward.py").write_text(BACKWARD)
    result = run("inspect", "-f", "backward.py:twice", "--x", "1,2", "--v", "1,7", "--json")
    found = json.loads(result.stdout)
    assert (found["verdict"], result.exit_code) == ("missing", 3)
    assert found["truth"]["vjp"]["x"] == ["2.0", "14.0"]
    assert "the backward pass raised: KeyError: 'seven'" in found["notes"]
