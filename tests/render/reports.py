"""Reports written by hand: renderers are tested without a derivative being computed."""

from dataclasses import replace
from math import inf, nan

from vjp_cli.report import (
    Array,
    CheckResult,
    Finding,
    FormulaGroup,
    Judged,
    Output,
    Problem,
    Report,
    Structure,
    Symbolic,
    Truth,
    TruthKind,
    Verdict,
)

OK = Verdict.OK


def vector(*values):
    return Array((len(values),), values)


def matrix(rows, columns, *values):
    return Array((rows, columns), values)


def truths(array):
    return array.map(lambda value: Truth(TruthKind.VALUE, repr(value)))


def judged(arrays, verdicts=None, truth=None):
    """Every entry ``ok`` and its own truth, unless said otherwise."""
    return Judged(
        {name: array.map(lambda _: OK) for name, array in arrays.items()} | (verdicts or {}),
        {name: truths(array) for name, array in arrays.items()} | (truth or {}),
    )


def problem(expression="2*(x + 2)**2", wrt=("x",), **changes):
    return replace(Problem(expression, None, "float64", "cpu", "numerator", wrt), **changes)


def plain(expression, inputs, output, v, jacobian, vjp):
    """A report in which everything agrees, without formulas and checks."""
    return Report(
        problem=problem(expression, tuple(inputs)),
        inputs=inputs,
        output=Output("y", output),
        v=v,
        jacobian=jacobian,
        vjp=vjp,
        symbolic=Symbolic(vjp=vjp),
        structure={},
        judged_jacobian=judged(jacobian) if jacobian else None,
        judged_vjp=judged(vjp) if vjp else None,
        checks=(),
        findings=(),
        notes=(),
        environment={"torch": "2.13.0", "seed": 0},
        verdict=OK,
        exit_code=0,
    )


def example():
    """J = diag(4x + 8) at x = 1, 2, 3 is diag(12, 16, 20); times v: 1.2, 16, 0.002."""
    report = plain(
        "2*(x + 2)**2",
        {"x": vector(1.0, 2.0, 3.0)},
        vector(18.0, 32.0, 50.0),
        vector(0.1, 1.0, 1e-4),
        {"x": matrix(3, 3, 12.0, 0.0, 0.0, 0.0, 16.0, 0.0, 0.0, 0.0, 20.0)},
        {"x": vector(1.2000000000000002, 16.0, 0.002)},
    )
    group = FormulaGroup("dy[i]/dx[i]", 3, "4*x[i] + 8", r"\frac{\partial y_i}{\partial x_i}")
    output = FormulaGroup("y[i]", 3, "2*(x[i] + 2)**2", "2 (x_i + 2)^2")
    return replace(
        report,
        symbolic=Symbolic((output,), {"x": (group,)}, report.vjp),
        structure={"x": Structure((3, 3), 3, "diagonal", frozenset({0, 4, 8}), 1)},
        checks=(
            CheckResult("symbolic derivative", OK, 12, 0.5, 0.25),
            CheckResult("forward mode", OK, 3, 0.0, 0.0),
            CheckResult("repeated call", Verdict.UNCHECKED, reason="the time was over"),
        ),
        notes=("all inputs are whole numbers, where rounding errors can be zero by chance",),
    )


def two_inputs():
    """y = w @ x + sin(b): w is 2x3, x has 3 elements, b is a scalar."""
    w = matrix(2, 3, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    jacobian = {
        "w": Array((2, 2, 3), (0.5, 0.25, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.25, -2.0)),
        "b": vector(1.0, 1.0),
    }
    report = plain(
        "w @ x + sin(b)",
        {"w": w, "x": vector(0.5, 0.25, -2.0), "b": Array((), (0.0,))},
        vector(-5.0, -8.75),
        vector(1.0, -1.0),
        jacobian,
        {"w": matrix(2, 3, 0.5, 0.25, -2.0, -0.5, -0.25, 2.0), "b": Array((), (0.0,))},
    )
    w_structure = Structure((2, 6), 6, "banded", frozenset({0, 1, 2, 9, 10, 11}), 1)
    return replace(
        report,
        problem=problem("w @ x + sin(b)", ("w", "b")),
        structure={"w": w_structure, "b": Structure((2, 1), 2, "dense", frozenset({0, 1}), 2)},
        symbolic=Symbolic(
            jacobian={
                "w": (FormulaGroup("dy[i]/dw[i,j]", 6, "x[j]", "x_j"),),
                "b": (FormulaGroup("dy[i]/db", 2, "2*c", r"2 c", ("c = cos(b)/2",)),),
            },
            vjp=report.vjp,
        ),
    )


def no_v():
    note = (
        "no v was given: torch would say 'grad can be implicitly created only for scalar outputs';"
        " add --v ones"
    )
    return replace(
        example(),
        v=None,
        vjp=None,
        symbolic=Symbolic(),
        judged_vjp=None,
        notes=(note,),
    )


def findings():
    """NaN, inf, a kink, a wrong and an imprecise entry, with complex numbers among them."""
    verdicts = (Verdict.NAN, Verdict.POLE, Verdict.KINK, Verdict.WRONG, Verdict.IMPRECISE)
    truth = (
        Truth(TruthKind.VALUE, "1"),
        Truth(TruthKind.VALUE, "inf"),
        Truth(TruthKind.SLOPES, left="-1", right="1"),
        Truth(TruthKind.VALUE, "0.333333333333333333333333333333"),
        Truth(TruthKind.UNDEFINED),
    )
    vjp = vector(nan, inf, 0.0, 2.0 + 2.0j, 0.30000000000000004)
    jacobian = vjp
    inputs = {"x": vector(0.0, -0.0, inf, nan, 3.0)}
    v = Array((), (1.0,))
    return replace(
        plain("f(x)", inputs, Array((), (-inf,)), v, {"x": jacobian}, {"x": vjp}),
        symbolic=Symbolic(vjp={"x": vector(1.0, inf, None, 2.0 + 2.0j, 0.3)}),
        judged_jacobian=Judged({"x": vector(*verdicts)}, {"x": vector(*truth)}),
        judged_vjp=Judged({"x": vector(*verdicts)}, {"x": vector(*truth)}),
        findings=(
            Finding("vjp.x[2]", Verdict.KINK, 0.0, left="-1", right="1", cause="abs at 0"),
            Finding(
                "jacobian.x[0]",
                Verdict.NAN,
                nan,
                "1",
                cause="0 times infinity where sqrt meets where",
                remedy="where(x > 0, sqrt(where(x > 0, x, 1)), x)",
                count=2,
            ),
            Finding("vjp.x[3]", Verdict.WRONG, 2.0 + 2.0j, "0.333333333333333333333333333333"),
            Finding("elsewhere", Verdict.MISSING, None, "2"),
        ),
        verdict=Verdict.WRONG,
        exit_code=1,
    )


def wide(columns):
    """y = x[0] + 2·x[1] + …, two outputs: row i of J is i + 1, i + 2, …"""
    inputs = vector(*(float(k) for k in range(columns)))
    rows = [float(row + column + 1) for row in range(2) for column in range(columns)]
    vjp = vector(*(float(2 * column + 3) for column in range(columns)))
    jacobian = {"x": matrix(2, columns, *rows)}
    return plain("k @ x", {"x": inputs}, vector(1.0, 2.0), vector(1.0, 1.0), jacobian, {"x": vjp})


def empty():
    """x has no elements: J has 2 rows and no columns, and vᵀJ is []."""
    return plain(
        "x.sum() + ones(2)",
        {"x": vector()},
        vector(1.0, 1.0),
        vector(1.0, 1.0),
        {"x": matrix(2, 0)},
        {"x": vector()},
    )


def scalar():
    three, nine, one, six = (Array((), (value,)) for value in (3.0, 9.0, 1.0, 6.0))
    return plain("x**2", {"x": three}, nine, one, {"x": six}, {"x": six})


REPORTS = {
    "example": example,
    "two_inputs": two_inputs,
    "no_v": no_v,
    "findings": findings,
    "wide30": lambda: wide(30),
    "wide1000": lambda: wide(1000),
    "empty": empty,
    "scalar": scalar,
}
