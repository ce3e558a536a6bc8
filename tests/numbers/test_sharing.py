"""Equal numbers become one object, and what is computed of one object is computed once."""

import math

import flint
import pytest
import sympy

from vjp_cli.numbers.formula import formula, slots
from vjp_cli.numbers.sharing import each_once, exact_each, repeated


def test_equal_numbers_are_one_object() -> None:
    found = exact_each([0.5, 2.0, 0.5, math.inf, math.nan, math.nan])
    assert found[0] is found[2]
    assert found[:2] == [flint.fmpq(1, 2), flint.fmpq(2)]
    assert [flint.arb(value).is_finite() for value in found[3:]] == [False] * 3
    assert exact_each([]) == []
    assert exact_each([1 + 2j])[0] == flint.acb(1, 2)


@pytest.mark.parametrize("size", [10, 255, 256, 1000])
def test_a_function_is_called_once_for_each_object(size: int) -> None:
    one, other = object(), object()
    values = [one if k % 3 else other for k in range(size)]
    calls = []

    def name(value: object) -> str:
        calls.append(value)
        return "one" if value is one else "other"

    assert each_once(name, values) == ["one" if k % 3 else "other" for k in range(size)]
    assert len(calls) == (size if size < 256 else 2)


def test_points_of_several_columns() -> None:
    a, b, c = object(), object(), object()
    left, right = [a, b] * 200, [c, c, a, c] * 100
    found = repeated([left, right])
    assert found is not None
    firsts, places = found
    # (a, c), (b, c), (a, a): the last of four repeats the second
    assert sorted(firsts) == [0, 1, 2]
    assert [(left[firsts[p]], right[firsts[p]]) for p in places] == list(
        zip(left, right, strict=True)
    )


def test_what_does_not_repeat_is_left_alone() -> None:
    assert repeated([[object() for _ in range(1000)]]) is None
    assert repeated([]) is None
    # half of it different is too much
    mixed: list[object] = [None] * 400
    assert repeated([mixed + [object() for _ in range(500)]]) is None


def test_a_formula_of_repeated_numbers() -> None:
    x, y = slots(2)
    rule = formula(x * y + sympy.Rational(1, 3), 2)
    half, two = exact_each([0.5, 2.0])
    columns = [[half, two] * 300, [two] * 600]
    expected = [flint.fmpq(4, 3), flint.fmpq(13, 3)] * 300
    assert rule.evaluate(columns, 600) == expected
