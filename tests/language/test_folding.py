"""Arithmetic of numbers: right where it is cheap, refused before it costs."""

import ast
import math

import pytest

from vjp_cli.errors import ExpressionError, LimitError, Place
from vjp_cli.language import folding

HERE = Place("x", 0, 1)


@pytest.mark.parametrize(
    ("kind", "left", "right", "value"),
    [
        (ast.Add, 2, 0.5, 2.5),
        (ast.Sub, 2, 5, -3),
        (ast.Mult, -3, 4, -12),
        (ast.Div, 1, 4, 0.25),
        (ast.FloorDiv, -7, 2, -4),
        (ast.Mod, -7, 3, 2),
        (ast.Pow, 2, 10, 1024),
        (ast.Pow, 2, -2, 0.25),
        (ast.Pow, 1j, 2, -1 + 0j),
        (ast.Pow, -1, 1000, 1),
        (ast.BitAnd, 6, 3, 2),
        (ast.BitOr, 4, 1, 5),
        (ast.Mult, math.inf, 2, math.inf),
        (ast.Add, 2**4095, 2**4094, 3 * 2**4094),
    ],
)
def test_numbers_are_computed_as_python_does(kind, left, right, value):
    assert folding.binary(kind(), left, right, HERE) == value


@pytest.mark.parametrize(
    ("kind", "left", "right"),
    [
        (ast.Pow, 2, 1001),
        (ast.Pow, 0.5, -1001),
        (ast.Pow, 2.0, 1001j),
        (ast.Pow, 2**5, 1000),
        (ast.Mult, 2**2048, 2**2048),
        (ast.Mult, -(2**2048), 2**2048),
        (ast.Add, 2**4095, 2**4095),
    ],
)
def test_growth_beyond_the_limits_is_refused(kind, left, right):
    with pytest.raises(LimitError):
        folding.binary(kind(), left, right, HERE)


@pytest.mark.parametrize(
    ("kind", "left", "right", "gist"),
    [
        (ast.Div, 1, 0, "zero"),
        (ast.FloorDiv, 1, 0, "zero"),
        (ast.Mod, 1.5, 0.0, "zero"),
        (ast.Pow, 0, -1, "zero"),
        (ast.Mult, 1e308, 10, "infinity"),
        (ast.Div, 2**2000, 3, "infinity"),
        (ast.Pow, -8, 0.5, "complex"),
        (ast.FloorDiv, 1j, 2, "operator"),
        (ast.BitAnd, 1.5, 1, "operator"),
    ],
)
def test_what_has_no_real_value_is_refused(kind, left, right, gist):
    with pytest.raises(ExpressionError, match=gist):
        folding.binary(kind(), left, right, HERE)


@pytest.mark.parametrize(
    ("kind", "operand", "value"),
    [(ast.USub, 2, -2), (ast.UAdd, 2.5, 2.5), (ast.Invert, 5, -6), (ast.Invert, True, False)],
)
def test_signs_are_applied(kind, operand, value):
    assert folding.unary(kind(), operand, HERE) == value


def test_an_infinite_exponent_is_no_cost():
    folding.exponent(math.inf, HERE)
