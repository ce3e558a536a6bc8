"""The one report that every format is pinned for."""

from dataclasses import replace
from math import nan

from tests.render.reports import OK, matrix, plain, vector
from vjp_cli.report import (
    CheckResult,
    Finding,
    FormulaGroup,
    Judged,
    Reproduction,
    Structure,
    Symbolic,
    Truth,
    TruthKind,
    Verdict,
)


def snapshot():
    """y = |x_1|·w[:2] with a wrong entry, a kink and a NaN; w has three elements, x_1 is a scalar.

    ∂y_i/∂w_j = |x_1| on the diagonal and 0 elsewhere; ∂y_i/∂x_1 = ±w_i at the kink x_1 = 0.
    """
    w, x = vector(1.5, -2.0, 1e-5), plain_scalar(0.0)
    jacobian = {"w": matrix(2, 3, 0.5, 0.0, 0.0, 0.0, nan, 0.0), "x_1": vector(0.0, -2.0)}
    vjp = {"w": vector(0.1, nan, 0.0), "x_1": plain_scalar(0.3)}
    zero = Truth(TruthKind.VALUE, "0")
    tiny = Truth(TruthKind.VALUE, "1.00000000000000008180305391403e-5")
    slopes = Truth(TruthKind.SLOPES, left="-1.5", right="1.5")
    report = plain(
        "abs(x_1)*w[:2]", {"w": w, "x_1": x}, vector(0.0, -0.0), vector(0.2, 1.0), jacobian, vjp
    )
    w_verdicts = matrix(2, 3, Verdict.WRONG, OK, OK, OK, Verdict.NAN, OK)
    judged_j = Judged(
        {"w": w_verdicts, "x_1": vector(Verdict.KINK, Verdict.KINK)},
        {
            "w": matrix(2, 3, tiny, zero, zero, zero, zero, zero),
            "x_1": vector(slopes, Truth(TruthKind.SLOPES, left="2", right="-2")),
        },
    )
    judged_vjp = Judged(
        {"w": vector(Verdict.WRONG, Verdict.NAN, OK), "x_1": plain_scalar(Verdict.IMPRECISE)},
        {"w": vector(tiny, zero, zero), "x_1": plain_scalar(Truth(TruthKind.VALUE, "0.1"))},
    )
    group = FormulaGroup("dy[i]/dw[i]", 2, "Abs(x_1)", r"\left|{x_{1}}\right|")
    return replace(
        report,
        symbolic=Symbolic(
            jacobian={"w": (group,)}, vjp={"w": vector(1e-5, 0.0, 0.0), "x_1": plain_scalar(0.1)}
        ),
        structure={
            "w": Structure((2, 3), 2, "diagonal", frozenset({0, 4}), 1),
            "x_1": Structure((2, 1), 2, "dense", frozenset({0, 1}), 2),
        },
        judged_jacobian=judged_j,
        judged_vjp=judged_vjp,
        checks=(
            CheckResult("symbolic derivative", Verdict.WRONG, 12, reason="see the findings"),
            CheckResult("repeated call", Verdict.UNCHECKED, reason="the time was over"),
        ),
        findings=(
            Finding("vjp.x_1", Verdict.IMPRECISE, 0.3, "0.1", cause="few digits"),
            Finding(
                "jacobian.w[0,0]",
                Verdict.WRONG,
                0.5,
                "1.00000000000000008180305391403e-5",
                cause="a factor in 'w | <b>&amp;' is `missing`",
                remedy="where(x_1 > 0, w, -w)",
                count=2,
            ),
        ),
        notes=("all inputs are special", "J was compared in full"),
        reproduction=Reproduction("vjp inspect 'abs(x_1)*w[:2]' --w 1.5,-2,1e-5 --x_1 0"),
        verdict=Verdict.WRONG,
        exit_code=1,
    )


def plain_scalar(value):
    """An array of one element without axes."""
    return replace(vector(value), shape=())
