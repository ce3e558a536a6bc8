"""``--loss``: v is its derivative by y, and vᵀJ its gradient; all numbers by hand."""

import json
from pathlib import Path

import pytest

from tests.helpers import refused, run
from tests.weights.asking import asked, row, shown

ONE_GO = "vjp against the gradient of the loss in one go"
K_AT_X = ("k @ x", "--k", "[[1,2,3],[1,2,3]]", "--x", "[[1],[2],[3]]")

FUNCTIONS = """
import torch

class Tripled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 3 * x

    @staticmethod
    def backward(ctx, cotangent):
        return 2 * cotangent

def tripled(x):
    return Tripled.apply(x)

def of_y(y, w):
    return y * w
"""


@pytest.fixture
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    monkeypatch.chdir(tmp_path)


def test_the_story_of_a_sum() -> None:
    report = asked(*K_AT_X, "--loss", "sum(y)", "--wrt", "x")
    assert report["v"] == [[1], [1]]
    assert report["vjp"] == {"x": [[2], [4], [6]]}
    assert report["loss"]["expression"] == "sum(y)"
    # y = 1 + 4 + 9, twice
    assert report["loss"]["value"] == 28
    assert report["loss"]["gradient"] == {"x": [[2], [4], [6]]}
    assert report["loss"]["truth"] == {"x": [["2.0"], ["4.0"], ["6.0"]]}
    assert report["loss"]["verdicts"] == {"x": [["ok"], ["ok"], ["ok"]]}
    assert row(report, ONE_GO) == {
        "name": ONE_GO,
        "verdict": "ok",
        "compared": 3,
        "max_ulp": None,
        "max_ratio": None,
        "reason": None,
    }


def test_v_and_its_formula() -> None:
    # y = x**2 = 4, 9; v = 2*(y - 1) = 6, 16; vᵀJ = v * 2x = 24, 96; the loss is 9 + 64
    report = asked("x**2", "--x", "2,3", "--loss", "sum((y - 1)**2)")
    assert report["v"] == [6, 16]
    assert report["vjp"] == {"x": [24, 96]}
    assert report["loss"]["value"] == 73
    v = report["loss"]["v"]
    assert [(f["where"], f["formula"], f["count"]) for f in v["formulas"]] == [
        ("dloss/dy[i]", "2*y[i] - 2", 2)
    ]
    assert v["truth"] == ["6.0", "16.0"]
    assert v["verdicts"] == ["ok", "ok"]
    assert row(report, "v of the loss against the exact derivative")["compared"] == 2
    assert row(report, "gradient of the loss against the exact derivative")["compared"] == 2


def test_the_output_has_the_name_of_the_last_assignment() -> None:
    # z = 2(x + 2), loss = 1/2 z²: v = z = 6, 8, 10, and the gradient 2z
    report = asked("y = x + 2; z = 2*y", "--x", "1,2,3", "--loss", "sum(z**2)/2")
    assert report["v"] == [6, 8, 10]
    assert report["vjp"] == {"x": [12, 16, 20]}


def test_statements_several_inputs_and_a_scalar_y() -> None:
    # y = 3·5 = 15, d = 14, v = 28; ∂/∂a = 28·5, ∂/∂b = 28·3
    report = asked("a*b", "--a", "3", "--b", "5", "--loss", "d = y - 1; d*d")
    assert (report["v"], report["vjp"]) == (28, {"a": 140, "b": 84})


def test_in_float32() -> None:
    # y = 0.1f, v = 2y
    report = asked("1*x", "--x", "0.1", "--dtype", "float32", "--loss", "y**2")
    assert report["v"] == pytest.approx(0.2, rel=1e-7)
    assert report["verdict"] == "ok"


def test_a_loss_that_detaches_a_part() -> None:
    # torch sees v = (1, 1)·y.detach() only: 2, 4 where y² has 2y
    report = asked("2*x", "--x", "1,2", "--loss", "sum(y*y.detach())")
    assert report["v"] == [2, 4]
    assert report["loss"]["v"]["truth"] == ["4.0", "8.0"]
    assert report["loss"]["v"]["verdicts"] == ["by-design", "by-design"]
    assert report["loss"]["gradient"] == {"x": [4, 8]}


def test_an_empty_y() -> None:
    empty = asked("2*x", "--x", "zeros(0)", "--loss", "sum(y**2)")
    assert (empty["v"], empty["vjp"], empty["loss"]["value"]) == ([], {"x": []}, 0)


def test_a_complex_output_has_a_real_loss() -> None:
    # |x|² has the gradient 2x in torch's convention
    report = asked(
        "1*x", "--x", "1+2j,3j", "--dtype", "complex128", "--loss", "sum(real(y*conj(y)))"
    )
    assert report["loss"]["gradient"] == {"x": ["2.0+4.0j", "0.0+6.0j"]}
    assert report["vjp"] == {"x": ["2.0+4.0j", "0.0+6.0j"]}
    assert report["loss"]["verdicts"] == {"x": ["ok", "ok"]}


def test_a_function_and_its_wrong_backward(functions: None) -> None:
    # y = 3x = 3, 6 and v = 2y = 6, 12; the truth is 3v, and the backward gives 2v
    report = asked("-f", "functions.py:tripled", "--x", "1,2", "--loss", "sum(y**2)", code=1)
    assert report["v"] == [6, 12]
    assert report["vjp"] == {"x": [12, 24]}
    assert report["loss"]["truth"] == {"x": ["18.0", "36.0"]}
    assert report["loss"]["verdicts"] == {"x": ["wrong", "wrong"]}
    assert "loss.x[0]" in [finding["where"] for finding in report["findings"]]
    # both ways through torch are wrong alike
    assert row(report, ONE_GO)["verdict"] == "ok"


def test_the_output_of_a_function_with_a_parameter_y(functions: None) -> None:
    report = asked("-f", "functions.py:of_y", "--y", "2,3", "--w", "5,7", "--loss", "sum(z*z)")
    assert report["v"] == [20, 42]
    assert report["vjp"] == {"y": [100, 294], "w": [40, 126]}


def test_a_kink_of_the_loss() -> None:
    report = asked("2*x", "--x", "0,3", "--loss", "sum(abs(y))")
    assert report["loss"]["v"]["verdicts"] == ["kink", "ok"]
    assert report["loss"]["verdicts"] == {"x": ["kink", "ok"]}
    assert report["verdict"] == "kink"


def test_in_a_batch() -> None:
    line = {"expression": "x**2", "inputs": {"x": [2, 3]}, "loss": "sum((y - 1)**2)"}
    result = run("batch", "-", stdin=json.dumps(line))
    assert json.loads(result.stdout)["vjp"] == {"x": [24, 96]}


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (
            ("2*x", "--x", "1,2,3", "--loss", "y**2"),
            "the loss must be one number, and it has the shape 3",
            "for example sum(y**2)",
        ),
        (
            ("2*x", "--x", "1,2", "--loss", "sum(y)", "--v", "1,2"),
            "v and the loss both say what v is",
            "leave one of them out",
        ),
        (
            ("2*x", "--x", "1,2", "--loss", "sum(y)", "--order", "2"),
            "order 2 takes no loss",
            "write the loss as the last statement of the expression: its Hessian is order 2",
        ),
        (
            ("1*x", "--x", "1j,2", "--dtype", "complex128", "--loss", "sum(y)"),
            "the loss is complex",
            "take a real part of it, for example real(…)",
        ),
    ],
)
def test_refused(arguments: tuple[str, ...], message: str, hint: str) -> None:
    refused(run("inspect", *arguments), message, hint)


def test_a_loss_without_a_graph() -> None:
    refused(
        run("inspect", "2*x", "--x", "1,2", "--loss", "sum(y.detach())"),
        "the loss has no derivative by y: loss.backward() would raise",
        "a detach, a comparison or a whole number cuts it off from y",
        exit_code=3,
    )


def test_the_screen() -> None:
    text = shown(*K_AT_X, "--loss", "sum(y)", "--wrt", "x")
    assert "loss = sum(y) = 28" in text
    assert "v: ∂loss/∂y[i,0] = 1   (2 entries)" in text
    steps = shown("a*b", "--a", "3", "--b", "5", "--loss", "d = y - 1 # a step\nd*d")
    assert "d = y - 1; loss = d*d = 196" in steps
    assert "x[2,0]   │   6                6         6" in text
    assert "v 2 ok · loss.backward() 3 ok" in text
