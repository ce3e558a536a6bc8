"""Formulas as MathML."""

from xml.etree import ElementTree

import pytest

from vjp_cli.render.html.mathml import equation, formula
from vjp_cli.report import FormulaGroup


def mi(name):
    return f"<mi>{name}</mi>"


def mn(digits):
    return f"<mn>{digits}</mn>"


def row(*parts):
    return f"<mrow>{''.join(parts)}</mrow>"


TIMES, PLUS, LESS = "<mo>&#x2062;</mo>", "<mo>+</mo>", "<mo>−</mo>"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("x[i]", f"<msub>{mi('x')}{mi('i')}</msub>"),
        ("x_1", f"<msub>{mi('x')}{mn(1)}</msub>"),
        ("beta*y", row(mi("β"), TIMES, mi("y"))),
        (
            "(a + b)*y",
            row(row("<mo>(</mo>", row(mi("a"), PLUS, mi("b")), "<mo>)</mo>"), TIMES, mi("y")),
        ),
        (
            "a - (b - y)",
            row(mi("a"), LESS, row("<mo>(</mo>", row(mi("b"), LESS, mi("y")), "<mo>)</mo>")),
        ),
        ("y**2", f"<msup>{mi('y')}{mn(2)}</msup>"),
        ("sqrt(y)/2", f"<mfrac><msqrt>{mi('y')}</msqrt>{mn(2)}</mfrac>"),
        ("exp(y)", f"<msup>{mi('e')}{mi('y')}</msup>"),
        ("Abs(y)", row("<mo>|</mo>", mi("y"), "<mo>|</mo>")),
        ("1.0e-7", row(mn("1"), "<mo>⋅</mo>", f"<msup>{mn(10)}{mn(-7)}</msup>")),
    ],
)
def test_each_form(text, written):
    assert formula(text) == written


@pytest.mark.parametrize(
    "text",
    [
        "sum of exp(x)",
        "<script>",
        "x[i] + …",
        "lambda: 0",
        "[i for i in x]",
        "a if b else c",
        "'s'",
        "f(*x)",
        "(" * 300,
    ],
)
def test_anything_else_is_text(text):
    [element] = [ElementTree.fromstring(formula(text))]
    assert (element.tag, element.text) == ("mtext", text)


def test_cases():
    written = formula("Piecewise((x, x > 0), (0, True))")
    assert written.count("<mtr>") == 2
    assert "<mo>&gt;</mo>" in written
    assert "otherwise" in written


@pytest.mark.parametrize(
    "where", ["dy[i]/dx[i,0]", "y[i]", "dloss/dy[i]", "dy[i]/dfc.weight[i,j]", "dy/dlambda"]
)
def test_an_equation_is_well_formed(where):
    math = equation(FormulaGroup(where, 1, "2*x[i,j+1] - lambda", ""))
    assert ElementTree.fromstring(math).tag == "math"
    assert "mtext" not in math
