"""Modules and custom Functions by name: parameters are inputs, buffers constants."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.functions.modules import Scaled, powers
from tests.helpers import run, run_process
from vjp_cli import inspect
from vjp_cli.report import Verdict

FILE = "tests/functions/modules.py"


def answer(name: str, *arguments: str, file: str = FILE) -> dict[str, Any]:
    result = run("inspect", "-f", f"{file}:{name}", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


IMAGE = "[[[[1,2,3,4],[4,3,2,1],[5,6,7,8],[1,5,2,6]]]]"
SEQUENCE = "[[[1,2,3]],[[-0.5,1,2]]]"


@pytest.mark.parametrize(
    ("name", "arguments", "parameters"),
    [
        ("MLP", ["--x", "1,2,-3"], 6),
        ("Attention", ["--x", "[[[1,2,3,4],[0.5,-1,2,0]]]"], 4),
        ("Cell", ["--x", "1,2,3", "--h", "0.5,1", "--c", "-1,2", "--output-index", "0"], 3),
        ("Cell", ["--x", "1,2,3", "--h", "0.5,1", "--c", "-1,2", "--output-index", "1"], 3),
        ("block", ["--input", IMAGE], 4),
        ("normed", ["--input", "1,2,3;4,5,7"], 4),
        ("lstm", ["--input", SEQUENCE, "--output-index", "0", "--no-jacobian", "--v", "randn"], 16),
        ("gru", ["--input", SEQUENCE, "--output-index", "1"], 4),
        ("elman", ["--input", SEQUENCE, "--output-index", "0"], 4),
        ("encoder", ["--src", "[[[1,2,3,4],[0.5,1,2,0]]]", "--no-jacobian", "--v", "randn"], 12),
        ("dropping", ["--input", "1,2,3"], 2),
    ],
)
def test_real_modules_are_ok_with_their_parameters(
    name: str, arguments: list[str], parameters: int
) -> None:
    found = answer(name, *arguments)
    assert found["verdict"] == "ok", found["notes"]
    judged = found["verdicts"]["vjp" if "--v" in arguments else "jacobian"]
    calls = {"Cell": 3}.get(name, 1)
    assert len(judged) == parameters + calls


def test_numbers_by_hand() -> None:
    found = answer("Scaled", "--x", "3,4", "--v", "1,10")
    # y = w·x·s + f with w = 2, 5 and s = 10, 100
    assert found["output"]["value"] == [61.0, 2001.0]
    # the frozen parameter is a constant
    assert found["vjp"] == {"x": [20.0, 5000.0], "weight": [30.0, 4000.0]}
    # as the factory leaves it: w = 3, 3
    assert answer("make", "--x", "3,4", "--v", "1,10")["vjp"] == {
        "x": [30.0, 3000.0],
        "weight": [30.0, 4000.0],
    }
    # with another parameter, and by the frozen one, when asked for
    found = answer(
        "Derived", "--x", "3,4", "--v", "1,10", "--wrt", "x,frozen", "--let", "weight=1,-1"
    )
    assert found["vjp"] == {"x": [10.0, -1000.0], "frozen": [1.0, 10.0]}


def test_a_tied_parameter_is_one_input() -> None:
    found = answer("Tied", "--x", "[3]", "--let", "first.weight=[[5]]", "--v", "1")
    # y = w²x²: 2w²x and 2wx²
    assert found["vjp"] == {"x": [150.0], "first.weight": [[90.0]]}


def test_a_parameter_gives_way_to_an_input() -> None:
    found = answer("Clash", "--x", "2,", "--v", "1")
    assert found["vjp"] == {"x": [7.0], "self.x": [2.0]}


def test_the_mode_is_stated() -> None:
    notes = answer("linear", "--input", "1,2,3", "--v", "ones")["notes"]
    assert "linear is in training mode, as its file leaves it" in notes
    notes = answer("make", "--x", "1,2", "--v", "ones")["notes"]
    assert "make is in eval mode, as its file leaves it" in notes


def test_a_seed_chooses_the_parameters_and_the_draws() -> None:
    # both runs make the same module, another seed another one
    first, again = (answer("linear", "--input", "1,2,3", "--v", "ones") for _ in range(2))
    other = answer("linear", "--input", "1,2,3", "--v", "ones", "--seed", "1")
    assert first["inputs"] == again["inputs"] != other["inputs"]
    found = answer("dropping", "--input", "1,2,3", "--v", "ones")
    [note] = [note for note in found["notes"] if "random numbers" in note]
    assert note.startswith("dropping uses random numbers (torch): each call draws the same ones")


def test_only_constants_go_in_and_parameters_are_differentiated() -> None:
    found = answer("embedding", "--input", "int64:2,1,2", "--v", "ones")
    # row 1 is read once and row 2 twice
    assert found["vjp"]["weight"] == [[0.0] * 3, [1.0] * 3, [2.0] * 3, [0.0] * 3]


def test_a_custom_function_by_its_class() -> None:
    result = run("inspect", "-f", f"{FILE}:Wrong", "--x", "3,5", "--v", "1,10", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["vjp"] == {"x": [3.0, 50.0]}
    found = answer("Late", "--x", "3,5", "--k", "int64:4", "--v", "1,10")
    assert (found["verdict"], found["vjp"]) == ("ok", {"x": [4.0, 40.0]})


def test_plain_python_values() -> None:
    found = answer("powers", "--x", "1,2", "--k", "3", "--v", "1,10")
    # 3x²
    assert found["vjp"] == {"x": [3.0, 120.0]}
    assert found["problem"]["arguments"] == {"k": 3}
    given = ["--twice", "yes", "--mode", "first", "--scale", "0.5"]
    found = answer("powers", "--x", "1,2", "--k", "3", "--v", "1,", *given)
    assert found["vjp"] == {"x": [3.0, 0.0]}
    assert found["problem"]["arguments"] == {
        "k": 3,
        "twice": True,
        "mode": "first",
        "scale": 0.5,
    }


@pytest.mark.parametrize(
    ("index", "truth"), [("0", [2.0, 20.0]), ("1", [3.0, 30.0]), ("2", [4.0, 40.0])]
)
def test_an_output_is_chosen(index: str, truth: list[float]) -> None:
    found = answer("several", "--x", "1,2", "--v", "1,10", "--output-index", index)
    assert found["vjp"] == {"x": truth}
    assert found["problem"]["output_index"] == int(index)
    assert answer("alias", "--x", "1,2", "--v", "1,10", "--output-index", index)["vjp"] == {
        "x": truth
    }


def test_a_name_in_a_package() -> None:
    assert answer("quick", "--x", "1,2", "--v", "1,10")["vjp"] == {"x": [6.0, 60.0]}
    found = answer("quick", "--x", "1,2", "--v", "1,10", file="tests.functions.modules")
    assert found["vjp"] == {"x": [6.0, 60.0]}
    assert found["problem"]["function"] == "tests.functions.modules:quick"
    # torch's own, found through its imports, with a plain value
    found = answer(
        "softmax", "--input", "0,0", "--dim", "0", "--v", "1,3", file="torch.nn.functional"
    )
    # J = (diag(p) - p pᵀ), p = ½, ½
    assert found["vjp"] == {"input": [-0.5, 0.5]}


@pytest.mark.parametrize(
    ("reference", "arguments", "message", "hint"),
    [
        (
            f"{FILE}:several",
            ["--x", "1"],
            "several returned 3 tensors in a dict",
            "choose one with",
        ),
        (
            f"{FILE}:several",
            ["--x", "1", "--output-index", "3"],
            "--output-index 3: several returned 3 tensors",
            "the first is 0",
        ),
        (
            f"{FILE}:make_wide",
            ["--x", "1"],
            "--function: make_wide cannot be made without width",
            "write a function without parameters",
        ),
        ("torch.nn:Linear", ["--input", "1"], "--function: Linear cannot be made without", "write"),
        (f"{FILE}:number", ["--x", "1"], "is something else, not a function or a module", "write"),
        (f"{FILE}:unknown", ["--x", "1"], "is something else", "write a function that calls it"),
        ("no.such.module:f", ["--x", "1"], "there is no Python module 'no.such.module'", "write"),
        ("not a module:f", ["--x", "1"], "'not a module:f' is not FILE.py:NAME", "for example"),
        (
            f"{FILE}:Scaled",
            ["--x", "1,2", "--wrt", "wieght"],
            "Scaled has no input or parameter 'wieght'",
            "did you mean 'weight'?",
        ),
        (
            f"{FILE}:Scaled",
            ["--x", "1,2", "--let", "weight=1,2,3"],
            "weight wants real numbers of the shape 2",
            "",
        ),
        (
            f"{FILE}:powers",
            ["--x", "1,2", "--k", "1.5"],
            "--k: '1.5' is not a whole number",
            "for example 3",
        ),
        (
            f"{FILE}:powers",
            ["--x", "1,2", "--k", "2", "--twice", "maybe"],
            "--twice: 'maybe' is not true or false",
            "true or false",
        ),
        (
            f"{FILE}:powers",
            ["--x", "1,2", "--k", "2", "--wrt", "k"],
            "--wrt: k takes a plain int",
            "only tensors are differentiated by",
        ),
    ],
)
def test_what_goes_wrong_is_said(
    reference: str, arguments: list[str], message: str, hint: str
) -> None:
    result = run("inspect", "-f", reference, *arguments)
    first, *_, last = [*result.stderr.splitlines(), ""]
    assert first.startswith("vjp: error: ")
    assert message in first
    assert hint in result.stderr.partition("hint: ")[2]
    assert (result.stdout, last) == ("", "")
    assert result.exit_code == (3 if "returned" in message else 2)


def test_the_library_takes_a_module() -> None:
    module = Scaled()
    report = inspect(module, {"x": [3.0, 4.0]}, [1.0, 10.0])
    assert report.verdict is Verdict.OK
    assert report.vjp is not None
    assert report.vjp["weight"].values == (30.0, 4000.0)
    # nothing is left behind
    assert module.weight.tolist() == [2.0, 5.0]
    assert module.weight.grad is None


def test_the_library_hands_flags_on() -> None:
    report = inspect(powers, {"x": [1.0, 2.0], "k": 3, "twice": True}, [1.0, 10.0])
    assert report.vjp is not None
    assert report.vjp["x"].values == (6.0, 240.0)
    assert report.problem.arguments == {"k": 3, "twice": True}


def test_a_batch_takes_all_of_it(tmp_path: Path) -> None:
    lines = [
        {"function": f"{FILE}:Scaled", "inputs": {"x": [3, 4], "weight": [1, 1]}, "wrt": "weight"},
        {"function": f"{FILE}:powers", "inputs": {"x": [1, 2], "k": 3, "twice": True}},
        {"function": f"{FILE}:several", "inputs": {"x": [1, 2]}, "output_index": 2},
        {"function": f"{FILE}:powers", "inputs": {"x": [1, 2], "k": 2.5}},
    ]
    file = tmp_path / "lines.jsonl"
    file.write_text("\n".join(json.dumps(line | {"v": [1, 10]}) for line in lines))
    result = run("batch", str(file), "--allow-functions")
    first, second, third, bad = map(json.loads, result.stdout.splitlines())
    assert first["vjp"] == {"weight": [30.0, 4000.0]}
    assert second["vjp"] == {"x": [6.0, 240.0]}
    assert third["vjp"] == {"x": [4.0, 40.0]}
    assert bad["error"]["message"] == "k: '2.5' is not a whole number"


def test_reading_imports_nothing() -> None:
    code = f"""
import sys
from vjp_cli.functions.source import find
found = find("{FILE}:MLP"), find("{FILE}:linear"), find("torch.nn.functional:softmax")
assert found[1].parameters == ("input",)
print(sorted({{"torch", "tests"}} & set(sys.modules)))
"""
    assert run_process(code=code).stdout.strip() == "[]"
