"""``--u``: Ju, judged, and ⟨v, Ju⟩ = ⟨Jᵀv, u⟩; all numbers by hand."""

from pathlib import Path

import pytest

from tests.helpers import refused, run
from tests.weights.asking import asked, row, shown

IDENTITY = "⟨v, Ju⟩ against ⟨Jᵀv, u⟩"
FUNCTIONS = """
import torch
from torch.autograd.function import once_differentiable

class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, cotangent):
        [x] = ctx.saved_tensors
        return 3 * x**2 * cotangent

class Once(Cube):
    @staticmethod
    @once_differentiable
    def backward(ctx, cotangent):
        [x] = ctx.saved_tensors
        return 3 * x**2 * cotangent

class Detached(Cube):
    @staticmethod
    def backward(ctx, cotangent):
        [x] = ctx.saved_tensors
        return torch.from_numpy(3 * x.numpy()**2 * cotangent.detach().numpy())

class WrongJvp(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, cotangent):
        [x] = ctx.saved_tensors
        return 3 * x**2 * cotangent

    @staticmethod
    def jvp(ctx, tangent):
        [x] = ctx.saved_tensors
        return 2 * x**2 * tangent

def cube(x):
    return Cube.apply(x)

def once(x):
    return Once.apply(x)

def detached(x):
    return Detached.apply(x)

def wrong_jvp(x):
    return WrongJvp.apply(x)
"""


@pytest.fixture
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    monkeypatch.chdir(tmp_path)


# by x: J = k = (1 2 3; -4 5 6)
K_AT_X = ("k @ x", "--k", "1,2,3;-4,5,6", "--x", "1,2,3")


def test_ju_and_the_identity() -> None:
    # J(1, 0, 2) = (7, 8); v = (2, -1): 14 - 8; vᵀJ = (6, -1, 0)
    report = asked(*K_AT_X, "--wrt", "x", "--v", "2,-1", "--u", "1,0,2")
    tangent = report["tangent"]
    assert tangent["u"] == {"x": [1, 0, 2]}
    assert tangent["jvp"] == [7, 8]
    assert tangent["truth"] == ["7.0", "8.0"]
    assert tangent["verdicts"] == ["ok", "ok"]
    assert tangent["method"] == "forward mode"
    assert tangent["products"] == {"v_jvp": 6, "vjp_u": 6}
    assert row(report, IDENTITY)["verdict"] == "ok"
    assert row(report, IDENTITY)["reason"] == "⟨v, Ju⟩ = 6, ⟨Jᵀv, u⟩ = 6"
    assert row(report, "jvp against the exact derivative")["compared"] == 2


def test_several_inputs() -> None:
    # k moves by ones: x[0] + x[1] + x[2] = 6 for each output; x by (1, 0, 2): 7, 8
    report = asked(*K_AT_X, "--v", "1,1", "--u", "k=ones", "--u", "x=1,0,2")
    assert report["tangent"]["jvp"] == [13, 14]
    # an input without a u stays
    only = asked(*K_AT_X, "--v", "1,1", "--tangent", "k=ones")
    assert only["tangent"]["jvp"] == [6, 6]
    assert only["tangent"]["u"] == {"k": [[1, 1, 1], [1, 1, 1]], "x": [0, 0, 0]}


def test_without_v_there_is_no_identity() -> None:
    report = asked(*K_AT_X, "--wrt", "x", "--u", "e1")
    assert report["tangent"]["jvp"] == [2, 5]
    assert report["tangent"]["products"] is None
    assert row(report, IDENTITY)["reason"] == "it needs v"
    assert report["verdict"] == "ok"


def test_without_a_jacobian() -> None:
    report = asked(*K_AT_X, "--wrt", "x", "--v", "2,-1", "--u", "1,0,2", "--no-jacobian")
    assert report["tangent"]["truth"] == ["7.0", "8.0"]
    assert row(report, IDENTITY)["verdict"] == "ok"


def test_scalars_and_float32() -> None:
    # 3x² = 12 at 2, along 0.1 rounded to float32
    report = asked("x**3", "--x", "2", "--u", "0.1", "--dtype", "float32")
    assert report["tangent"]["jvp"] == pytest.approx(1.2, rel=1e-7)
    assert report["tangent"]["verdicts"] == "ok"


def test_sizes_of_zero() -> None:
    assert asked("2*x", "--x", "zeros(0)", "--v", "ones", "--u", "ones")["tangent"]["jvp"] == []


def test_a_kink_along_u() -> None:
    # relu at 0 has the slopes 0 and 1 along u = 1; at 2 it is smooth
    report = asked("relu(x)", "--x", "0,2", "--v", "ones", "--u", "1,1")
    assert report["tangent"]["jvp"] == [0, 1]
    assert report["tangent"]["verdicts"] == ["kink", "ok"]
    assert report["tangent"]["truth"] == [{"left": "0", "right": "1.0"}, "1.0"]
    # along a u that does not cross it there is none
    along = asked("relu(x)", "--x", "0,2", "--v", "ones", "--u", "0,1")
    assert along["tangent"]["verdicts"] == ["ok", "ok"]


def test_kinks_that_cancel_are_wrong_in_forward_mode_too() -> None:
    report = asked("relu(x) - relu(-x)", "--x", "0", "--u", "1", code=1)
    assert report["tangent"]["truth"] == "1.0"
    assert report["tangent"]["verdicts"] == "wrong"
    assert "jvp.y" in [finding["where"] for finding in report["findings"]]
    assert "Ju at y: wrong" in shown("relu(x) - relu(-x)", "--x", "0", "--u", "1")


def test_a_function_without_forward_mode_goes_back_twice(functions: None) -> None:
    # 3x² = 3, 27, times u = 2, -1
    report = asked("-f", "functions.py:cube", "--x", "1,3", "--v", "1,1", "--u", "2,-1")
    assert report["tangent"]["jvp"] == [6, -27]
    assert report["tangent"]["method"] == "double backward"


@pytest.mark.parametrize("name", ["once", "detached"])
def test_a_function_that_cannot_go_back_twice_gives_no_number(functions: None, name: str) -> None:
    report = asked("-f", f"functions.py:{name}", "--x", "1,3", "--v", "1,1", "--u", "2,-1", code=3)
    assert report["tangent"]["jvp"] == [None, None]
    assert report["tangent"]["truth"] == ["6.0", "-27.0"]
    assert report["tangent"]["verdicts"] == ["missing", "missing"]
    assert row(report, IDENTITY)["reason"] == "torch gives no Ju"


def test_a_wrong_jvp_is_found(functions: None) -> None:
    report = asked(
        "-f", "functions.py:wrong_jvp", "--x", "1,3", "--v", "1,1", "--u", "2,-1", code=1
    )
    assert report["tangent"]["jvp"] == [4, -18]
    assert report["tangent"]["verdicts"] == ["wrong", "wrong"]
    # ⟨v, Ju⟩ = 4 - 18 and ⟨Jᵀv, u⟩ = 6 - 27
    assert report["tangent"]["products"] == {"v_jvp": -14, "vjp_u": -21}
    assert row(report, IDENTITY)["verdict"] == "wrong"


def test_order_2_is_a_product_with_the_hessian() -> None:
    # f = x0³·x1: H = (6·x0·x1, 3·x0²; 3·x0², 0) = (36, 12; 12, 0)
    report = asked("x[0]**3*x[1]", "--x", "2,3", "--order", "2", "--u", "1,-2")
    assert report["tangent"]["jvp"] == [12, 12]
    assert report["tangent"]["verdicts"] == ["ok", "ok"]


def test_the_screen() -> None:
    text = shown(*K_AT_X, "--wrt", "x", "--v", "2,-1", "--u", "1,0,2")
    assert "Ju by forward mode" in text
    assert "x[1] │ 0   y[1] │     8         8           0" in text
    assert "⟨v, Ju⟩ = 6, ⟨Jᵀv, u⟩ = 6" in text


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (
            (*K_AT_X, "--u", "1,2,3"),
            "u has no name, and 2 inputs are differentiated by",
            "write --u k=VALUE --u x=VALUE",
        ),
        (
            (*K_AT_X, "--wrt", "x", "--u", "1,2"),
            "u has the shape 2 and x has the shape 3",
            "u moves every element of x: give it the shape of x, for example --u ones",
        ),
        (
            (*K_AT_X, "--wrt", "x", "--u", "k=ones"),
            "u: nothing is differentiated by 'k'",
            "its inputs: x",
        ),
        (
            ("2*x", "--x", "1j,2", "--dtype", "complex128", "--u", "1,2"),
            "Ju needs real numbers",
            "leave out --u",
        ),
        (("2*x", "--x", "1,2", "--u", "1j,2"), "a complex value needs a complex dtype", None),
    ],
)
def test_refused(arguments: tuple[str, ...], message: str, hint: str | None) -> None:
    result = run("inspect", *arguments)
    refused(result, message, result.stderr.splitlines()[-1][6:] if hint is None else hint)
