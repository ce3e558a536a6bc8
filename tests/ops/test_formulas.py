"""The SymPy rules: what their derivatives are made of, and the functions that SymPy lacks."""

from typing import Any

import pytest
import sympy

from tests.ops.element_rows import ROWS
from vjp_cli.ops import functions
from vjp_cli.ops.table import Kind, Op

# What the exact evaluator knows, beside sums, products, powers and numbers.
KNOWN = (
    "exp log sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf erfc erfinv "
    "gamma loggamma polygamma zeta besseli besselj besselk bessely"
)
KNOWN_FUNCTIONS = {*KNOWN.split(), *functions.DEFINITIONS}


def free_arguments(op: Op) -> list[sympy.Symbol]:
    names = op.rule.__code__.co_varnames[: op.rule.__code__.co_argcount]
    # real, as the placeholders of formulas are
    return [sympy.Dummy(name, real=True) for name in names]


def derivatives(op: Op) -> list[Any]:
    """The formula and its first and second derivatives by every argument that has one."""
    arguments = free_arguments(op)
    if op.name == "polygamma":
        arguments[0] = sympy.Integer(1)
    variables = [
        argument
        for position, argument in enumerate(arguments, 1)
        if isinstance(argument, sympy.Symbol)
        and (op.name, position) not in functions.OPEN_DERIVATIVES
        and (op.name, position) != ("zeta", 1)
    ]
    formula = op.rule(*arguments)
    first = [formula.diff(variable) for variable in variables]
    return [formula, *first, *(f.diff(variable) for f in first for variable in variables)]


def unknown_parts(formula: Any) -> set[str]:
    plain = sympy.Add | sympy.Mul | sympy.Pow | sympy.Symbol | sympy.Rational
    constants = type(sympy.pi) | type(sympy.E)
    return {
        part.func.__name__
        for part in sympy.preorder_traversal(formula)
        if not isinstance(part, plain | constants) and part.func.__name__ not in KNOWN_FUNCTIONS
    }


@pytest.mark.parametrize(
    "op", [op for op in ROWS if op.kind is Kind.ELEMENTWISE], ids=lambda op: op.name
)
def test_derivatives_stay_inside_what_can_be_evaluated(op: Op) -> None:
    for formula in derivatives(op):
        assert unknown_parts(formula) == set()


def test_open_derivatives_are_left_as_derivatives() -> None:
    a, x = sympy.symbols("a x")
    assert isinstance(functions.gammainc(a, x).diff(a), sympy.Derivative)
    assert functions.gammainc(a, x).diff(x) == x ** (a - 1) * sympy.exp(-x) / sympy.gamma(a)


def test_named_functions_keep_their_digits() -> None:
    def value(function: Any, *arguments: Any) -> float:
        return float(function(*(sympy.Rational(argument) for argument in arguments)).evalf(30))

    # x + x²/2: the plain exp(x) - 1 gives 0 in double precision
    assert value(functions.expm1, sympy.Rational(1, 10**20)) == pytest.approx(1e-20, rel=1e-15)
    assert value(functions.log1p, sympy.Rational(1, 10**20)) == pytest.approx(1e-20, rel=1e-15)
    # erfc(√2)/2, from a table of the normal distribution
    assert value(functions.ndtr, -2) == pytest.approx(0.02275013194817921, rel=1e-15)
    assert value(functions.sinc, 0) == 1
    # the quartile of the normal distribution
    assert value(functions.ndtri, sympy.Rational(1, 4)) == pytest.approx(
        -0.6744897501960817, rel=1e-15
    )
    # e·erfc(1)
    assert value(functions.erfcx, 1) == pytest.approx(0.427583576155807, rel=1e-14)


def test_unknown_named_function() -> None:
    with pytest.raises(AttributeError, match="'expm2'"):
        functions.expm2  # noqa: B018
