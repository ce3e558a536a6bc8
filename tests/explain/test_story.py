"""What an explanation says, with numbers worked out by hand; and that it fits a screen."""

import json

import pytest
from rich.cells import cell_len

from tests.helpers import refused, run
from vjp_cli.render.wrapping import wrapped

CHAIN = ("2*(x+2)**2", "--x", "1,2,3", "--v", "0.1,1,1e-4")
MATRIX = ("k @ x", "--k", "1,2,3;1,2,3", "--x", "[[1],[2],[3]]", "--wrt", "x", "--v", "ones")


def on(width):
    return {"COLUMNS": str(width), "NO_COLOR": "1"}


def paragraphs(*words):
    result = run("inspect", *words, "--explain", "--json")
    assert result.stderr == ""
    return json.loads(result.stdout)["explanation"]


def section(*words, width=100, title="explanation"):
    shown = run("inspect", *words, "--explain", tty=True, environment=on(width))
    lines = shown.stdout.splitlines()
    return lines[lines.index(title) + 1 :]


def test_the_first_sample():
    assert paragraphs(*CHAIN) == [
        "y has 3 elements and x has 3 elements, so there are 3·3 = 9 derivatives ∂y_i/∂x_j, the "
        "Jacobian J: row i says how y[i] reacts to each element of x. Row 0 is (12, 0, 0).",
        "The cotangent v has a weight for each element of y, so it has the shape of y: [0.1, 1, "
        "0.0001]. If a loss follows, v_i is ∂loss/∂y_i; else it says how much y[i] counts.",
        "y.backward(v) adds the rows of J, each times its weight: x.grad[j] = Σ_i v_i·∂y_i/∂x_j, "
        "the vector-Jacobian product (VJP) vᵀJ. For example x.grad[0] = 0.1·12 + 1·0 + 0.0001·0 = "
        "1.2.",
        "No J is needed for that: one backward pass from y to x gives all of vᵀJ. J would take 3 "
        "passes, one a row, and 72 B; for a million outputs and inputs 8 TB.",
        "torch's numbers are the exact derivatives, up to its own rounding (12 numbers).",
    ]


def test_the_first_sample_in_chinese():
    found = paragraphs(*CHAIN, "--lang", "zh")
    assert found[0] == (
        "y 有 3 个元素，x 有 3 个元素，所以共有 3·3 = 9 个偏导数 ∂y_i/∂x_j，组成雅可比矩阵 J："
        "第 i 行说明 y[i] 怎样随 x 的每个元素变化。第 0 行是 (12, 0, 0)。"
    )
    assert found[2].endswith("例如 x.grad[0] = 0.1·12 + 1·0 + 0.0001·0 = 1.2。")
    assert "J 需要 3 次反向传播（每行一次）和 72 B；" in found[3]


def test_matrices():
    j, v, product, cost, _ = paragraphs(*MATRIX)
    assert j.startswith("y has 2 elements (2x1) and x has 3 elements (3x1), so there are 2·3 = 6 ")
    assert j.endswith("Row 0 is (1, 2, 3).")
    assert "so it has the shape of y: [[1], [1]]." in v
    assert product.endswith("For example x.grad[0,0] = 1·1 + 1·1 = 2.")
    assert "J would take 2 passes, one a row, and 48 B;" in cost


def test_several_inputs():
    words = ("k @ x", "--k", "1,2,3;4,5,6", "--x", "7,8,9", "--v", "1,-2")
    j, _, product, cost, _ = paragraphs(*words)
    assert j == (
        "y has 2 elements and depends on several inputs: k has 6 elements (2x3), x has 3 elements. "
        "So there are 2·(6+3) = 18 derivatives, in a Jacobian J for each input: row i says how "
        "y[i] reacts to each element."
    )
    # ∂y_0/∂k[0,0] = 7 with weight 1, ∂y_1/∂k[0,0] = 0 with weight -2
    assert product.endswith("For example k.grad[0,0] = 1·7 + (-2)·0 = 7.")
    assert "one backward pass from y to k, x gives" in cost


def test_without_v():
    words = CHAIN[:3]
    _, v, cost, _ = paragraphs(*words)
    assert v == (
        "You gave no v, and torch refuses y.backward(): 'grad can be implicitly created only for "
        "scalar outputs'. x.grad has room for 3 numbers, and J has 3 rows of them; only weights "
        "say how to add the rows: --v ones adds them all (the gradient of y.sum()), --v e0 picks "
        "row 0."
    )
    assert cost.startswith("No J is needed")


def test_one_output():
    j, v, product, cost, _ = paragraphs("sum(x**2)", "--x", "1,2,3")
    assert j == (
        "y is one number and x has 3 elements, so J is one row of 3 derivatives ∂y/∂x_j: the "
        "gradient of y. Row 0 is (2, 4, 6)."
    )
    assert "y is one number, and so is v, here 1. backward() without a v takes 1." in v
    assert product == (
        "y.backward(v) computes x.grad[j] = v·∂y/∂x_j, the vector-Jacobian product (VJP) vᵀJ. "
        "For example x.grad[0] = 1·2 = 2."
    )
    assert cost.startswith("One backward pass gives all of it, however many elements x has")


def test_one_number_each():
    j, _, product, *_ = paragraphs("x**2", "--x", "3", "--v", "0.5")
    assert j == "y is one number and x is one number: J is the single derivative ∂y/∂x."
    assert product.startswith("y.backward(v) computes x.grad = v·∂y/∂x, the vector")
    assert product.endswith("For example x.grad = 0.5·6 = 3.")


def test_no_elements():
    assert paragraphs("x.sum() + ones(2)", "--x", "zeros(0,3)", "--v", "1,2") == [
        "y has 2 elements and x has 0 elements (0x3), so there are no derivatives: J is empty."
    ]


@pytest.mark.parametrize(
    ("expression", "x", "end"),
    [
        # column 0 of the cumulative sum is all ones: ten terms
        ("cumsum(x, 0)", "ones(10)", "x.grad[0] = 1·1 + 1·1 + 1·1 + 7 more terms = 10."),
        ("3*x", "ones(10)", "x.grad[0] = 1·3 = 3 (the other 9 terms are 0)."),
    ],
)
def test_a_long_sum(expression, x, end):
    assert paragraphs(expression, "--x", x, "--v", "ones")[2].endswith(f"For example {end}")


def test_without_j():
    _, _, product, cost, _ = paragraphs("3*x", "--x", "1,2", "--v", "1,2", "--no-jacobian")
    assert product.endswith("For example x.grad[0] = 3.")
    assert "J would take 2 passes, one a row, and 32 B;" in cost


def test_layout_and_order():
    j, *_ = section(*CHAIN, "--layout", "denominator", width=200)
    assert j.startswith("  Jᵀ    y has 3 elements")
    j, *_ = paragraphs(*CHAIN, "--layout", "denominator")
    assert j.endswith("The denominator layout shows its mirror image Jᵀ, with the same numbers.")
    j, verdict = paragraphs("x[0]**3*x[1]", "--x", "2,3", "--order", "2")
    assert j.startswith("g is itself a gradient, that of the output. Its Jacobian J, the Hessian,")
    assert j.endswith("Row 0 is (36, 12).")
    assert verdict.endswith("(4 numbers).")


def test_complex_numbers():
    j, _, product, *_ = paragraphs("x*x", "--x", "1+2j,2", "--dtype", "complex128", "--v", "1,1")
    assert j.endswith("For complex numbers torch's convention is the conjugate of the derivative.")
    assert product.endswith("For example x.grad[1] = (1+0j)·(0+0j) + (1+0j)·(4+0j) = 4+0j.")


def test_dtype_of_the_bytes():
    cost = paragraphs(*CHAIN, "--dtype", "float32")[3]
    assert "and 36 B; for a million outputs and inputs 4 TB." in cost


VERDICTS = [
    (
        "relu(x)",
        "0,2",
        "kink",
        "x.grad[0]: torch has 0, the slope is 0 to the left and 1 to the right.",
    ),
    (
        "clamp(x, min=0) + log1p(exp(-abs(x)))",
        "0,1",
        "wrong",
        "x.grad[0]: torch has 1, the truth is 0.5.",
    ),
    ("where(x > 0, sqrt(x), 0*x)", "-1,4", "nan", "x.grad[0]: torch has nan, the truth is 0."),
    ("sqrt(x*x)", "1e-200,1", "saturated", "x.grad[0]: torch has inf, the truth is 1."),
    ("sigmoid(x)", "40,1", "saturated", "x.grad[0]: torch has 0, the truth is 4.24835e-18."),
    ("x.detach()*x", "2,1", "by-design", "x.grad[0]: torch has 2, the truth is 4."),
    (
        "sqrt(x)",
        "0,1",
        "pole",
        "x.grad[0]: torch has inf, the slope is undefined to the left and inf to the right.",
    ),
    ("log(x)*0 + x", "-1,1", "undefined", None),
]


@pytest.mark.parametrize(("expression", "x", "verdict", "end"), VERDICTS)
def test_each_verdict_with_its_numbers(expression, x, verdict, end):
    lines = section(expression, f"--x={x}", "--v", "ones", "--checks", "none", width=200)
    labels = {line[2:].split("  ")[0]: line for line in lines if line[2:3] != " "}
    assert verdict in labels, lines
    text = next(
        p for p in paragraphs(expression, f"--x={x}", "--v", "ones") if end is None or end in p
    )
    assert end is None or text.endswith(end)


CODE = """
import numpy
import torch


class Close(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 3*x

    @staticmethod
    def backward(ctx, g):
        return 3.00000001*g


class Raising(Close):
    @staticmethod
    def backward(ctx, g):
        raise RuntimeError("no")


def close(x):
    return Close.apply(x)


def raising(x):
    return Raising.apply(x)


def untraceable(x):
    return torch.from_numpy(numpy.sin(x.detach().numpy()))*x
"""


@pytest.fixture
def function(tmp_path):
    """The reference of a function of CODE."""
    (tmp_path / "f.py").write_text(CODE)
    return lambda name: f"{tmp_path / 'f.py'}:{name}"


def test_the_last_digits_where_six_are_not_enough(function):
    found = paragraphs("-f", function("close"), "--x", "1,2", "--v", "1,0")
    assert any("x.grad[0]: torch has 3.00000001, the truth is 3.0." in text for text in found)


def test_missing(function):
    found = paragraphs("-f", function("raising"), "--x", "1,2", "--v", "1,1")
    assert found[2].endswith("Here torch gives no number.")
    assert any("x.grad[0]: torch has no number, the truth is 3." in text for text in found)


def test_unchecked(function):
    found = paragraphs("-f", function("untraceable"), "--x", "1,2", "--v", "1,1")
    assert any("torch's is neither confirmed nor refuted" in text for text in found)


SAMPLES = [
    CHAIN,
    MATRIX,
    ("y = x + 2; z = y*y*2", *CHAIN[1:]),
    ("sum(k @ x)", *MATRIX[1:7]),
    CHAIN[:3],
]


@pytest.mark.parametrize("words", SAMPLES, ids=str)
@pytest.mark.parametrize(("lang", "title"), [("en", "explanation"), ("zh", "说明")])
def test_short_enough_to_read(words, lang, title):
    for width, most in ((100, 25), (80, 25)):
        lines = section(*words, "--lang", lang, width=width, title=title)
        assert len(lines) <= most
        assert max(map(cell_len, lines)) <= width


def test_the_whole_report_fits_a_screen():
    for words in (CHAIN, MATRIX):
        for lang in ("en", "zh"):
            shown = run(
                *("inspect", *words, "--explain", "--lang", lang),
                tty=True,
                environment=on(100),
            ).stdout.splitlines()
            assert len(shown) <= 40
            assert max(map(cell_len, shown)) <= 100


def test_chinese_where_signs_are_ascii():
    shown = run("inspect", *CHAIN, "--explain", "--lang", "zh", encoding="gbk").stdout
    assert "雅可比矩阵 J：" in shown
    assert "dy_i/dx_j" in shown


def test_a_language_needs_something_to_say():
    result = run("inspect", *CHAIN, "--lang", "zh")
    refused(result, "--lang is the language of an explanation", "add --explain")
    assert run("inspect", *CHAIN, "--explain", "--lang", "fr").exit_code == 2


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("longer than", 3, ["longer", "than"]),
        ("雅可比矩阵", 4, ["雅可", "比矩", "阵"]),
        # a full stop does not begin a line
        ("雅可比。", 6, ["雅可", "比。"]),
        ("（雅可比）", 4, ["（雅", "可", "比）"]),
        ("即 vᵀJ，是 x", 7, ["即", "vᵀJ，是", "x"]),
        ("", 5, [""]),
    ],
)
def test_wrapping(text, width, lines):
    assert wrapped(text, width) == lines
