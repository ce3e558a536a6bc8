"""``--order 2``: the gradient in the place of y, and its Jacobian, the Hessian, judged."""

import json

import pytest

from tests.helpers import Result, run
from vjp_cli import Settings, inspect
from vjp_cli.report import Report, Verdict

CUSTOM = """
import torch
from torch.autograd.function import once_differentiable

class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g

class Cut(Cube):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x.detach() * x * g

class Once(Cube):
    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g

class Wrong(Cube):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x**2 * g
"""


@pytest.fixture
def custom(tmp_path, monkeypatch):
    (tmp_path / "user.py").write_text(CUSTOM, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def vjp(*arguments: str) -> Result:
    return run("inspect", *arguments, "--order", "2", "--json")


def test_a_hessian_by_hand() -> None:
    found = json.loads(vjp("x[0]**3*x[1]", "--x", "2,3").stdout)
    # y = a³b: a second derivative 6ab by a, 3a² by both, 0 by b
    assert found["output"] == {"name": "g", "shape": [2], "value": [36.0, 8.0]}
    assert found["jacobian"] == {"x": [[36.0, 12.0], [12.0, 0.0]]}
    assert (found["verdict"], found["exit_code"]) == ("ok", 0)
    assert (found["problem"]["order"], found["problem"]["weights"]) == (2, 1.0)
    assert found["symbolic"]["jacobian"]["x"][1]["formula"] == "6*x[0]*x[1]"
    [note] = found["notes"]
    assert note.startswith("g is the gradient of y by x, and J its Jacobian: the Hessian")


def test_the_weights_of_y_are_v() -> None:
    found = json.loads(vjp("x**3", "--x", "2,3", "--v", "1,10").stdout)
    # 6·2·1 and 6·3·10
    assert found["jacobian"] == {"x": [[12.0, 0.0], [0.0, 180.0]]}
    assert found["problem"]["weights"] == [1.0, 10.0]


def test_several_inputs_follow_one_another() -> None:
    found = json.loads(vjp("sum(k @ x)", "--k", "1,2;3,4;5,6", "--x", "2,3", "--wrt", "x,k").stdout)
    # g = (Σ_i k_ij for each j, then x_j in each row): mixed second derivatives are 1
    assert found["output"]["value"] == [9.0, 12.0, 2.0, 3.0, 2.0, 3.0, 2.0, 3.0]
    assert found["jacobian"]["x"] == [[0.0, 0.0]] * 2 + [[1.0, 0.0], [0.0, 1.0]] * 3
    assert found["jacobian"]["k"][0] == [[1.0, 0.0]] * 3
    assert found["verdict"] == "ok"


def test_a_scalar_has_a_vjp_too() -> None:
    found = json.loads(vjp("x**3", "--x", "2").stdout)
    assert (found["vjp"], found["v"]) == ({"x": 12.0}, 1.0)


def test_a_kink_of_the_gradient() -> None:
    found = json.loads(vjp("sum(x*abs(x))", "--x", "0,-2").stdout)
    # g = 2|x|: slopes -2 and 2 at 0, of which torch gives sign(0)·2 = 0
    assert found["verdicts"]["jacobian"]["x"] == [["kink", "ok"], ["ok", "ok"]]
    assert found["truth"]["jacobian"]["x"][0][0] == {"left": "-2.0", "right": "2.0"}
    assert found["jacobian"]["x"][1][1] == -2.0


def test_order_2_needs_weights_and_real_numbers() -> None:
    result = vjp("x**3", "--x", "2,3")
    assert json.loads(result.stderr)["error"]["message"] == "order 2 needs v: y has 2 elements"
    result = vjp("sum(real(x**3))", "--x", "2+1j,3", "--dtype", "complex128")
    assert json.loads(result.stderr)["error"]["message"] == "order 2 needs real numbers"


@pytest.mark.usefixtures("custom")
@pytest.mark.parametrize(
    ("name", "verdict", "exit_code"),
    [("Cube", "ok", 0), ("Cut", "wrong", 1), ("Once", "missing", 3), ("Wrong", "unchecked", 0)],
)
def test_a_custom_backward_differentiated_again(name: str, verdict: str, exit_code: int) -> None:
    result = vjp("-f", f"user.py:{name}", "--x", "2,-3", "--v", "1,10")
    found = json.loads(result.stdout)
    assert (found["verdict"], result.exit_code) == (verdict, exit_code), found["notes"]
    if name == "Wrong":
        assert "look at it with --order 1 first" in found["notes"][1]
        return
    # 6x·v
    assert found["truth"]["jacobian"]["x"][0][0] == "12.0"
    assert found["truth"]["jacobian"]["x"][1][1] == "-180.0"
    if name == "Cut":
        # half of it is lost
        assert found["jacobian"]["x"] == [[6.0, 0.0], [0.0, -90.0]]
    # what is tried on a first backward has no row here
    assert len(found["checks"]) == 3


def test_the_library_and_a_batch(tmp_path) -> None:
    report: Report = inspect("x**3", {"x": [2.0, 3.0]}, [1.0, 10.0], settings=Settings(order=2))
    assert report.verdict is Verdict.OK
    assert report.jacobian is not None
    assert report.jacobian["x"].values == (12.0, 0.0, 0.0, 180.0)
    line = {"expression": "x**3", "inputs": {"x": [2, 3]}, "v": [1, 10], "order": 2}
    (tmp_path / "lines").write_text(json.dumps(line))
    found = json.loads(run("batch", str(tmp_path / "lines")).stdout)
    assert found["jacobian"] == {"x": [[12.0, 0.0], [0.0, 180.0]]}


def test_float32_and_bfloat16() -> None:
    for dtype in ("float32", "bfloat16"):
        found = json.loads(vjp("x**3", "--x", "2,3", "--v", "1,10", "--dtype", dtype).stdout)
        assert found["jacobian"] == {"x": [[12.0, 0.0], [0.0, 180.0]]}
        assert found["verdict"] == "ok"
