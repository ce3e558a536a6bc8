"""Formulas: compiled for columns of exact numbers, differentiated once."""

from collections.abc import Callable
from typing import Any

import pytest
import sympy
from flint import arb, fmpq

from tests.scenarios import solve
from vjp_cli.numbers.formula import DifferentiationCount, Formula, formula, slots
from vjp_cli.numbers.scalar import is_rational, to_float
from vjp_cli.settings import Settings
from vjp_cli.tracing import elementwise

P, Q = slots(2)
Rule = Callable[[Any, Any], Any]


def value(rule: Any, *numbers: Any) -> Any:
    [result] = formula(rule, len(numbers)).evaluate([[number] for number in numbers], 1)
    return result


def test_slots_are_the_same_in_every_formula() -> None:
    assert slots(3)[:2] == slots(2)
    assert slots(1)[0] != sympy.Symbol("p0")


def test_the_same_expression_is_the_same_formula() -> None:
    assert formula(P * Q, 2) is formula(Q * P, 2)
    assert formula(P * Q, 2) is not formula(P * Q, 3)


@pytest.mark.parametrize(
    ("rule", "numbers", "expected"),
    [
        (P + Q + 1, (fmpq(1, 3), fmpq(1, 6)), fmpq(3, 2)),
        (P - Q, (fmpq(1, 3), fmpq(1, 3)), fmpq(0)),
        (P / Q, (fmpq(1, 3), fmpq(2, 3)), fmpq(1, 2)),
        (-P * Q**2, (fmpq(2), fmpq(3)), fmpq(-18)),
        (2 * (P + 2) ** 2, (fmpq(1),), fmpq(18)),
        (P**-2, (fmpq(3),), fmpq(1, 9)),
        (1 / sympy.sqrt(P), (fmpq(4),), fmpq(1, 2)),
        (sympy.sqrt(P) * sympy.exp(0 * P), (fmpq(9, 4),), fmpq(3, 2)),
        (sympy.exp(P), (fmpq(0),), fmpq(1)),
        (sympy.Rational(1, 3), (fmpq(5),), fmpq(1, 3)),
        (P, (fmpq(7),), fmpq(7)),
        (Q, (fmpq(7), fmpq(8)), fmpq(8)),
    ],
)
def test_rationals_stay_rationals(rule: Any, numbers: tuple[Any, ...], expected: Any) -> None:
    result = value(rule, *numbers)
    assert is_rational(result)
    assert result == expected


@pytest.mark.parametrize("rule", [P / Q, P * Q**-1, Q**-2, 1 / sympy.sqrt(Q), P * Q / Q**2])
def test_nothing_is_divided_by_zero(rule: Any) -> None:
    result = value(rule, fmpq(0), fmpq(0))
    assert not is_rational(result)
    assert result.is_nan()


def test_columns_are_evaluated_point_by_point() -> None:
    columns = [[fmpq(1), fmpq(2), fmpq(3)], [fmpq(10), fmpq(20), fmpq(30)]]
    assert formula(P * Q + 1, 2).evaluate(columns, 3) == [11, 41, 91]


def test_unused_arguments_may_be_empty() -> None:
    rule = formula(3 * Q, 2)
    assert rule.used == (1,)
    assert rule.evaluate([[], [fmpq(1), fmpq(2)]], 2) == [3, 6]
    assert formula(sympy.Integer(4), 2).evaluate([[], []], 2) == [4, 4]


def test_constant() -> None:
    assert formula(sympy.Rational(2, 3), 1).constant == fmpq(2, 3)
    assert formula(P, 1).constant is None
    assert formula(sympy.pi, 1).constant is None
    assert to_float(value(sympy.pi, fmpq(0))) == 3.141592653589793
    assert to_float(value(sympy.E * P, fmpq(1))) == 2.718281828459045


@pytest.mark.parametrize(
    ("rule", "argument", "expected"),
    [
        (2 * (P + 2) ** 2, 0, 4 * P + 8),
        (P * Q, 1, P),
        (P / Q, 1, -P / Q**2),
        (sympy.tanh(P), 0, 1 - sympy.tanh(P) ** 2),
        (sympy.sqrt(P), 0, 1 / (2 * sympy.sqrt(P))),
        (P, 1, sympy.Integer(0)),
    ],
)
def test_derivatives(rule: Any, argument: int, expected: Any) -> None:
    found = formula(rule, 2).derivative(argument)
    assert sympy.simplify(found.expression - expected) == 0


def test_a_derivative_is_taken_once() -> None:
    rule = Formula(sympy.sin(P) * Q, 2)
    before = DifferentiationCount.value
    assert rule.derivative(0) is rule.derivative(0)
    assert DifferentiationCount.value == before + 1
    assert rule.derivative(1) is not rule.derivative(0)
    assert DifferentiationCount.value == before + 2


def test_what_has_no_evaluation_says_so() -> None:
    with pytest.raises(NotImplementedError, match="Heaviside"):
        value(sympy.Heaviside(P), fmpq(1))


def test_a_name_of_sympy_is_not_meant() -> None:
    assert value(P * sympy.E, arb(0)).is_zero()


@pytest.mark.parametrize(
    ("expression", "few", "many"), [("sin(x)*exp(x)/x", 3, 1000), ("softmax(x, 0)", 3, 100)]
)
def test_sympy_works_per_formula_not_per_element(
    expression: str, few: int, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    built: list[int] = []
    original = Formula.__init__

    def counted(self: Formula, rule: Any, arity: int) -> None:
        built.append(arity)
        original(self, rule, arity)

    monkeypatch.setattr(Formula, "__init__", counted)
    for size in (few, many):
        formula.cache_clear()
        elementwise.formula_of.cache_clear()
        built.clear()
        before = DifferentiationCount.value
        points = ",".join(str(1 + k / 512) for k in range(size))
        report = solve(expression, {"x": points}, "ones", Settings(jacobian=size < 200))
        assert report.ok
        counts.append((DifferentiationCount.value - before, len(built)))
    # differentiations, formulas
    assert counts[0] == counts[1]
    assert 0 < counts[0][0] < counts[0][1] < 40
