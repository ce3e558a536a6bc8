"""Several v: every vᵀJ, and what ``.grad`` holds after all of them."""

from pathlib import Path

import pytest

from tests.helpers import refused, run
from tests.weights.asking import asked, row, shown

SUM = ".grad after all v against the sum of the vᵀJ"
FUNCTIONS = """
import torch

class Squared(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, cotangent):
        [x] = ctx.saved_tensors
        # right for small cotangents only
        return 2 * x * cotangent.clamp(max=1)

class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.left = [x]
        return 3 * x

    @staticmethod
    def backward(ctx, cotangent):
        ctx.left.pop()
        return 3 * cotangent

def squared(x):
    return Squared.apply(x)

def once(x):
    return Once.apply(x)
"""


@pytest.fixture
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    monkeypatch.chdir(tmp_path)


# J of k @ x by x is k = (1 2 3; -4 5 6), by k[i] it is x = 1, 2, 3
K_AT_X = ("k @ x", "--k", "1,2,3;-4,5,6", "--x", "1,2,3")


def test_each_vjp_and_the_sum() -> None:
    report = asked(*K_AT_X, "--v", "1,1", "--v", "0,2", "--cotangent", "1,-1")
    assert report["v"] == [[1, 1], [0, 2], [1, -1]]
    assert report["vjp"] == [
        {"k": [[1, 2, 3], [1, 2, 3]], "x": [-3, 7, 9]},
        {"k": [[0, 0, 0], [2, 4, 6]], "x": [-8, 10, 12]},
        {"k": [[1, 2, 3], [-1, -2, -3]], "x": [5, -3, -3]},
    ]
    assert report["accumulated"] == {"k": [[2, 4, 6], [2, 4, 6]], "x": [-6, 14, 18]}
    assert [each["x"] for each in report["truth"]["vjp"]] == [
        ["-3.0", "7.0", "9.0"],
        ["-8.0", "10.0", "12.0"],
        ["5.0", "-3.0", "-3.0"],
    ]
    assert [each["x"] for each in report["verdicts"]["vjp"]] == [["ok"] * 3] * 3
    assert [each["x"] for each in report["symbolic"]["vjp"]][2] == [5, -3, -3]
    assert row(report, SUM)["compared"] == 9
    assert report["cost"]["vjp_passes"] == 3


def test_one_v_has_no_lists() -> None:
    report = asked(*K_AT_X, "--v", "1,1")
    assert report["v"] == [1, 1]
    assert report["accumulated"] is None


def test_generated_v_and_float32() -> None:
    # 0.1 and 0.2 rounded to float32, times 3
    report = asked("3*x", "--x", "1,2", "--v", "0.1,0.2", "--v", "e0", "--dtype", "float32")
    assert report["v"][1] == [1, 0]
    assert report["accumulated"]["x"] == pytest.approx([3.3, 0.6], rel=2e-7)
    assert report["verdict"] == "ok"


def test_a_scalar_y_and_an_empty_one() -> None:
    assert asked("x*x", "--x", "3", "--v", "2", "--v", "5")["accumulated"] == {"x": 42}
    empty = asked("x*x", "--x", "zeros(0)", "--v", "ones", "--v", "zeros")
    assert empty["accumulated"] == {"x": []}


def test_every_one_is_judged(functions: None) -> None:
    # 2x·min(v, 1): right for v = 1, and for v = 5 it gives 2x in the place of 10x
    report = asked("-f", "functions.py:squared", "--x", "1,3", "--v", "1,1", "--v", "5,1", code=1)
    assert report["vjp"] == [{"x": [2, 6]}, {"x": [2, 6]}]
    assert report["accumulated"] == {"x": [4, 12]}
    assert report["verdicts"]["vjp"] == [{"x": ["ok", "ok"]}, {"x": ["wrong", "ok"]}]
    assert row(report, "vjp of v 2 against the exact derivative")["verdict"] == "wrong"
    [finding] = [f for f in report["findings"] if f["where"].startswith("vjp[")]
    assert (finding["where"], finding["torch"], finding["truth"]) == ("vjp[1].x[0]", 2, "10.0")
    text = shown("-f", "functions.py:squared", "--x", "1,3", "--v", "1,1", "--v", "5,1")
    assert "vᵀJ of v 2 at x[0]: wrong" in text


def test_a_graph_that_bears_one_pass_has_no_sum(functions: None) -> None:
    report = asked("-f", "functions.py:once", "--x", "1,3", "--v", "1,1", "--v", "2,0", code=3)
    assert report["vjp"] == [{"x": [3, 3]}, {"x": [6, 0]}]
    assert report["accumulated"] is None
    assert "pop from empty list" in row(report, SUM)["reason"]


def test_an_input_without_a_path() -> None:
    report = asked("2*x + 0*w.detach()", "--x", "1,2", "--w", "3,4", "--v", "1,2", "--v", "1,1")
    assert report["accumulated"] == {"x": [4, 6], "w": [0, 0]}


def test_complex_numbers() -> None:
    # torch gives conj(2)·v
    report = asked("2*x", "--x", "1j,2", "--dtype", "complex128", "--v", "1j,1", "--v", "1,1j")
    assert report["accumulated"] == {"x": ["2.0+2.0j", "2.0+2.0j"]}


def test_the_screen() -> None:
    text = shown(*K_AT_X, "--wrt", "x", "--v", "1,1", "--v", "0,2")
    assert "vᵀJ  │ v 1  v 2  .grad  symbolic  difference" in text
    assert "x[0] │  -3   -8    -11       -11           0" in text
    assert "y.backward(v, retain_graph=True)" in text


def test_refused() -> None:
    refused(
        run("inspect", "x**3", "--x", "1,2", "--v", "1,1", "--v", "1,2", "--order", "2"),
        "order 2 takes one v: the gradient of Σ v_i·y_i is differentiated again",
    )
    refused(
        run("inspect", "x**3", "--x", "1,2", "--v", "1,1", "--v", "1,2,3"),
        "v has the shape 3 and y has the shape 2",
        "v weights every element of y: give it y's shape, for example --v ones",
    )
