"""What a function does besides computing is seen, told and put back."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.helpers import Result, run, run_process
from vjp_cli.functions.isolation import Effects, isolated

FUNCTIONS = """
import os, random, sys
import numpy as np
import torch

torch.set_default_dtype(torch.float64)
calls = 0

def default(x):
    # the file's own default: a float64 constant
    assert torch.tensor(1.5).dtype is torch.float64
    return x * 1.5

def dirty(x):
    torch.set_default_dtype(torch.float16)
    torch.set_grad_enabled(False)
    return x * 2

def noisy(x):
    return x * torch.rand(2) + random.random() + np.random.rand()

def like(x):
    return x * torch.rand_like(x) + torch.randn_like(x)

def gumbel(x):
    return torch.nn.functional.gumbel_softmax(x, tau=0.5)

def into(x):
    noise = torch.empty_like(x).uniform_(1, 2)
    return x * noise.exp() * torch.zeros_like(x).normal_(1.0, 0.5)

def counting(x):
    global calls
    calls += 1
    return x * calls

def clock(x):
    return x * int.from_bytes(os.urandom(4), "big")

def writing(x):
    with torch.no_grad():
        x.mul_(2)
    return x * 3

def leaving(x):
    sys.exit(0)

def hard(x):
    os._exit(0)

def interrupted(x):
    raise KeyboardInterrupt

def shell(x):
    os.system("echo said by a program")
    print("said by Python")
    return x * 2

def endless(x):
    while True:
        pass

class Endless(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad_output):
        while True:
            pass

class Leaving(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad_output):
        sys.exit(0)

def only_on_tracers(x):
    y = x * 2
    while type(y) is not torch.Tensor:
        pass
    return y
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "user.py").write_text(FUNCTIONS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def vjp(name: str, *arguments: str) -> Result:
    return run(
        "inspect", "-f", f"user.py:{name}", "--x", "1,2", "--v", "1,10", *arguments, "--json"
    )


def notes(result: Result) -> str:
    return "\n".join(json.loads(result.stdout)["notes"])


def test_the_state_that_a_file_leaves_is_there_for_its_functions_only() -> None:
    result = vjp("default")
    assert json.loads(result.stdout)["vjp"] == {"x": [1.5, 15.0]}
    assert torch.get_default_dtype() is torch.float32
    assert "global state" not in notes(result)


def test_changed_state_is_put_back_and_told() -> None:
    result = vjp("dirty")
    assert torch.get_default_dtype() is torch.float32
    assert torch.is_grad_enabled()
    said = "dirty changes global state, which was put back: torch's default dtype, whether torch"
    assert said in notes(result)


def test_draws_are_repeated_and_told_and_the_generators_put_back() -> None:
    before = (torch.get_rng_state(), np.random.get_state()[1].tolist(), random.getstate())
    result = vjp("noisy")
    assert json.loads(result.stdout)["verdict"] == "ok"
    assert "noisy uses random numbers (numpy.random and random and torch)" in notes(result)
    after = (torch.get_rng_state(), np.random.get_state()[1].tolist(), random.getstate())
    assert torch.equal(before[0], after[0])
    assert before[1:] == after[1:]
    other = vjp("noisy", "--seed", "1")
    assert json.loads(other.stdout)["vjp"] != json.loads(result.stdout)["vjp"]


@pytest.mark.parametrize("name", ["like", "gumbel", "into"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_is_drawn_in_the_shape_of_an_input_is_a_constant(name: str, dtype: str) -> None:
    result = vjp(name, "--dtype", dtype)
    found = json.loads(result.stdout)
    assert found["verdict"] == "ok", found["notes"]
    # the derivative of x·r is r, a number between 0 and 1
    assert name != "like" or 0 < found["vjp"]["x"][0] < 1


def test_one_call_draws_what_the_next_draws() -> None:
    effects = Effects()
    drawn = []
    for _ in range(2):
        with isolated(5, effects):
            drawn.append((float(torch.rand(())), np.random.rand(), random.random()))
    assert drawn[0] == drawn[1]
    assert sorted(effects.drawn) == ["numpy.random", "random", "torch"]
    untouched = Effects()
    with isolated(5, untouched):
        torch.ones(3)
    assert untouched == Effects()


@pytest.mark.parametrize("name", ["counting", "clock"])
def test_another_result_each_time_is_an_error(name: str) -> None:
    result = vjp(name)
    assert (result.exit_code, result.stdout) == (3, "")
    error = json.loads(result.stderr)["error"]
    assert error["message"] == f"{name} gives different results for the same inputs"


def test_a_write_into_an_input_is_told() -> None:
    result = vjp("writing")
    found = json.loads(result.stdout)
    # y = 6x, of which torch's backward knows 3
    assert (found["verdict"], found["vjp"]) == ("wrong", {"x": [3.0, 30.0]})
    assert "writing writes into its inputs (x)" in notes(result)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("leaving", "leaving raised SystemExit: 0 (line 46)"),
        ("hard", "hard raised SystemExit: os._exit(0) (line 49)"),
        ("interrupted", "interrupted raised KeyboardInterrupt (line 52)"),
    ],
)
def test_the_end_of_the_process_ends_the_function_only(name: str, words: str) -> None:
    result = vjp(name)
    assert (result.exit_code, result.stdout) == (3, "")
    assert json.loads(result.stderr)["error"]["message"] == words


def test_a_backward_that_leaves_gives_no_number() -> None:
    result = vjp("Leaving")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["verdict"]) == (3, "missing")
    assert "the backward pass raised: SystemExit: 0" in found["notes"]


def test_what_c_code_and_programs_print_goes_to_stderr() -> None:
    code = "import sys; from vjp_cli.cli import main; sys.argv = %r; main()"
    arguments = ["vjp", "inspect", "-f", "user.py:shell", "--x", "1", "--json"]
    result = run_process(code=code % (arguments,))
    assert json.loads(result.stdout)["vjp"] == {"x": 2.0}
    assert "said by a program" in result.stderr
    assert "said by Python" in result.stderr
    Path("lines").write_text('{"function": "user.py:shell", "inputs": {"x": 1}}\n')
    arguments = ["vjp", "batch", "--allow-functions", "lines"]
    result = run_process(code=code % (arguments,))
    assert json.loads(result.stdout)["vjp"] == {"x": 2.0}
    assert "said by a program" in result.stderr


@pytest.mark.parametrize("name", ["endless", "Endless"])
def test_an_endless_loop_is_stopped(name: str) -> None:
    result = vjp(name, "--timeout", "0.5")
    assert (result.exit_code, result.stdout) == (4, "")
    error = json.loads(result.stderr)["error"]
    assert error["message"] == f"{name} did not return within 0.5 s"


def test_a_loop_that_only_the_tracer_meets_leaves_it_unchecked() -> None:
    result = vjp("only_on_tracers", "--timeout", "1.5")
    assert json.loads(result.stdout)["verdict"] == "unchecked"
