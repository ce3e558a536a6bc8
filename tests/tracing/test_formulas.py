"""Formulas for people, read off the tape: the lines as a reader sees them."""

import pytest

from tests.scenarios import solve
from vjp_cli.report import FormulaGroup


def lines(groups: tuple[FormulaGroup, ...]) -> list[str]:
    return [f"{group.where} = {group.formula} ({group.count})" for group in groups]


@pytest.mark.parametrize(
    ("expression", "inputs", "output", "jacobian"),
    [
        (
            "2*(x+2)**2",
            {"x": "1,2,3"},
            ["y[i] = 2*(x[i] + 2)**2 (3)"],
            {"x": ["dy[i]/dx[i] = 4*x[i] + 8 (3)"]},
        ),
        ("x*x", {"x": "3"}, ["y = x**2 (1)"], {"x": ["dy/dx = 2*x (1)"]}),
        (
            "E*sin(x) + I",
            {"E": "2,3", "x": "1", "I": "5"},
            ["y[i] = E[i]*sin(x) + I (2)"],
            {
                "E": ["dy[i]/dE[i] = sin(x) (2)"],
                "x": ["dy[i]/dx = E[i]*cos(x) (2)"],
                "I": ["dy[i]/dI = 1 (2)"],
            },
        ),
        (
            "x[2:] - 2*x[1:-1] + x[:-2]",
            {"x": "1,4,9,16,27"},
            ["y[i] = -2*x[i+1] + x[i+2] + x[i] (3)"],
            {"x": ["dy[i]/dx[j] = 1 (6)", "dy[i]/dx[i+1] = -2 (3)"]},
        ),
        (
            "a*b",
            {"a": "[[2],[3],[4]]", "b": "[[5,7]]"},
            ["y[i,j] = a[i,0]*b[0,j] (6)"],
            {"a": ["dy[i,j]/da[i,0] = b[0,j] (6)"], "b": ["dy[i,j]/db[0,j] = a[i,0] (6)"]},
        ),
        (
            "flip(x, [0])",
            {"x": "1,2,3"},
            ["y[i] = x[2-i] (3)"],
            {"x": ["dy[i]/dx[2-i] = 1 (3)"]},
        ),
        (
            "k @ x",
            {"k": "1,2;3,4;5,6", "x": "7,8"},
            ["y[i] = k[i,0]*x[0] + k[i,1]*x[1] (3)"],
            {"k": ["dy[i]/dk[i,j] = x[j] (6)"], "x": ["dy[i]/dx[j] = k[i,j] (6)"]},
        ),
        (
            "where(m, x, 0)*2.5",
            {"m": "bool:1,0,1", "x": "1,2,3"},
            ["y[i] = 5*x[i]/2 (2)", "y[1] = 0 (1)"],
            {"x": ["dy[i]/dx[i] = 5/2 (2)"]},
        ),
    ],
)
def test_lines(
    expression: str, inputs: dict[str, str], output: list[str], jacobian: dict[str, list[str]]
) -> None:
    symbolic = solve(expression, inputs, "ones").symbolic
    assert lines(symbolic.output) == output
    assert {name: lines(groups) for name, groups in symbolic.jacobian.items()} == jacobian


def test_a_long_sum_is_named_and_defined() -> None:
    report = solve("softmax(x, 0)", {"x": "1,2,3,4,5,6"}, "1,2,3,4,5,6")
    [line] = report.symbolic.output
    assert (line.where, line.count) == ("y[i]", 6)
    assert "exp(x[i]" in line.formula
    assert "/s" in line.formula
    [definition] = [text for text in line.definitions if "sum of" in text]
    assert definition.startswith("s")
    assert "exp(x" in definition
    assert definition.endswith("in softmax(x, 0)")
    # the diagonal and the rest
    assert sorted(group.count for group in report.symbolic.jacobian["x"]) == [6, 30]


def test_the_lines_are_numbers_of_the_jacobian() -> None:
    """Each formula, evaluated by Python at one entry, is torch's number there."""
    report = solve("x**3 / (1 + y*y)", {"x": "2,3", "y": "0.5,4"}, "ones")
    assert report.jacobian is not None
    for name in ("x", "y"):
        [line] = report.symbolic.jacobian[name]
        for i in range(2):
            names = {"x": [2, 3], "y": [0.5, 4], "i": i}
            value = eval(line.formula, {"__builtins__": {}}, names)
            assert value == pytest.approx(report.jacobian[name].nested()[i][i], rel=1e-14)


def test_latex() -> None:
    [line] = solve("x/2", {"x": "1,2,3"}, "ones").symbolic.output
    assert line.latex == r"\frac{x_{i}}{2}"


def test_latex_has_short_floats() -> None:
    [line] = solve("0.1*x - 1.25e-7", {"x": "1,2,3"}, "ones").symbolic.output
    assert line.latex == r"0.1 x_{i} - 1.25 \cdot 10^{-7}"
    [line] = solve("-x*1e-7", {"x": "1,2,3"}, "ones").symbolic.output
    assert line.latex == r"- 1.0 \cdot 10^{-7} x_{i}"


def test_a_long_formula_is_whole_latex() -> None:
    lines = solve("exp(x)/(1 + exp(x)*sin(x)) + tanh(x*cos(x)/(2 + x**3))", {"x": "1,2"}, "ones")
    for line in lines.symbolic.jacobian["x"]:
        assert line.latex.count("{") == line.latex.count("}")
        assert "…" not in line.latex or line.latex.startswith(r"\texttt{")


def test_a_constant_of_many_values_is_named() -> None:
    [line] = solve("x*linspace(0, 1, 7)", {"x": "1,2,3,4,5,6,7"}, "ones").symbolic.output
    assert line.formula.startswith("c")
    assert any("constant" in definition for definition in line.definitions)


def test_floats_are_short() -> None:
    [line] = solve("x*0.1", {"x": "1,2,3"}, "ones").symbolic.output
    assert line.formula == "0.1*x[i]"


def test_at_most_twelve_lines() -> None:
    terms = ", ".join(f"x[{k}]**{k + 2}" for k in range(20))
    report = solve(f"stack([{terms}])", {"x": "ones(20)"}, "ones")
    assert len(report.symbolic.output) == 12
    assert len(report.symbolic.jacobian["x"]) == 12


def test_a_derivative_without_a_closed_form_is_not_written() -> None:
    found = solve("gammainc(x*x + 1, y)", {"x": "0.5", "y": "2"})

    written = [line.formula for groups in found.symbolic.jacobian.values() for line in groups]
    assert not any("Derivative" in formula or "Subs" in formula for formula in written)
    # torch has no number, the slopes of the function have
    assert found.judged_vjp is not None
    assert found.judged_vjp.truth["x"].values[0].value.startswith("-")
