"""Slopes of whole functions, from evaluations made by hand and through the tracer."""

import time
from collections.abc import Callable
from typing import Any

import pytest
import torch
from flint import arb, ctx, fmpq

from vjp_cli.exact.limits import Tendency
from vjp_cli.exact.samples import Moved, Slopes
from vjp_cli.exact.slopes import ColumnSlopes, agree, column_slopes
from vjp_cli.exact.tracing_program import Element, Point, mover_of
from vjp_cli.expression import parse
from vjp_cli.numbers.scalar import Number, exact, precision, to_float
from vjp_cli.program import Program
from vjp_cli.tracing.evaluation import array
from vjp_cli.tracing.tape import OutOfTime, Tape

FAR = time.monotonic() + 3600
Functions = list[Callable[[Any], Any]]


def by_hand(functions: Functions, v: list[Number] | None = None) -> ColumnSlopes:
    """The slopes at 0 of functions of one number; each output depends on the input."""

    def evaluate(shift: Number, bits: int) -> Moved:
        tape = Tape(bits)
        leaf = tape.leaf("x", (1,), "float64", [shift])
        leaf.active = True
        with precision(bits):
            values = [function(shift) for function in functions]
        found = array(values)
        output = tape.opaque([leaf], found, lambda _: found, (len(values),), "float64")
        return Moved(output, leaf, 0)

    return column_slopes(evaluate, v, FAR)


def words(slopes: Slopes) -> tuple[Any, Any]:
    """Each side as a number, or as a tendency."""
    left, right = slopes.left, slopes.right
    return tuple(  # type: ignore[return-value]
        side.tendency if side.value is None else to_float(side.value) for side in (left, right)
    )


def traced(
    expression: str, numbers: list[float], position: int = 0, v: list[float] | None = None
) -> ColumnSlopes:
    point = Point({"x": torch.tensor(numbers, dtype=torch.float64)}, ("x",))
    evaluate = mover_of(Program(parse(expression)), point, Element("x", position), FAR)
    return column_slopes(evaluate, None if v is None else [exact(w) for w in v], FAR)


def x_sine(x: Any) -> Any:
    return fmpq(0) if x == 0 else x * (1 / arb(x)).sin()


def hole(x: Any) -> Any:
    return arb("nan") if x == 0 else arb(x).sin() / x


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: max(x, fmpq(0)), (0, 1)),
        (lambda x: abs(x), (-1, 1)),
        (lambda x: 3 * x + x * x, (3, 3)),
        (x_sine, (Tendency.NONE, Tendency.NONE)),
        (lambda x: arb(x).sqrt(), (Tendency.END, Tendency.PLUS_INFINITY)),
        (lambda x: arb(x) * arb(x).sqrt(), (Tendency.END, 0)),
        (lambda x: fmpq(x >= 0), (Tendency.PLUS_INFINITY, 0)),
        (lambda x: fmpq(0) if x == 0 else x * arb(abs(x)).log(), (Tendency.MINUS_INFINITY,) * 2),
        (lambda x: fmpq(7), (0, 0)),
    ],
)
def test_slopes_by_hand(function: Callable[[Any], Any], expected: tuple[Any, Any]) -> None:
    found = by_hand([function])
    assert words(found.rows[0]) == expected
    assert not found.rows[0].hole
    assert found.weighted is None


def test_a_removable_hole() -> None:
    [slopes] = by_hand([hole]).rows
    assert words(slopes) == (0, 0)
    assert (slopes.hole, slopes.limits_differ) == (True, False)


def test_a_hole_with_two_limits() -> None:
    [slopes] = by_hand([lambda x: arb("nan") if x == 0 else x + fmpq(1 if x > 0 else 2)]).rows
    assert (slopes.hole, slopes.limits_differ) == (True, True)


def test_a_weighted_sum_has_its_own_slopes() -> None:
    kinks: Functions = [lambda x: max(x, fmpq(0)), lambda x: max(-x, fmpq(0)), x_sine]
    found = by_hand(kinks, [fmpq(1), fmpq(-1), fmpq(0)])
    assert [words(slopes) for slopes in found.rows[:2]] == [(0, 1), (-1, 0)]
    assert found.weighted is not None
    assert words(found.weighted) == (1, 1)


def test_precision_is_doubled_until_the_bits_are_certain() -> None:
    asked: list[int] = []

    def cancelling(x: Any) -> Any:
        """The sum 2^4000 + x - 2^4000, of which only the lowest bits remain."""
        asked.append(ctx.prec)
        return arb(x) + arb(0, arb(2) ** (4000 - ctx.prec))

    assert words(by_hand([cancelling]).rows[0]) == (1, 1)
    assert max(asked) > 2 * min(asked)


def test_a_deadline_ends_the_search() -> None:
    with pytest.raises(OutOfTime):
        column_slopes(lambda shift, bits: pytest.fail("too late"), None, time.monotonic() - 1)


@pytest.mark.parametrize(
    ("expression", "numbers", "expected"),
    [
        ("relu(x)", [0], [(0, 1)]),
        ("relu(x) - relu(-x)", [0], [(1, 1)]),
        ("clamp(x, min=0) + log1p(exp(-abs(x)))", [0], [(0.5, 0.5)]),
        ("sqrt(x*x)", [0], [(-1, 1)]),
        ("sin(x)/x", [0], [(0, 0)]),
        ("max(x)", [2, 2, 1], [(0, 1)]),
        ("sort(x).values", [2, 2, 1], [(0, 0), (1, 0), (0, 1)]),
        # the other elements are left as they are
        ("abs(x)", [0, 0], [(-1, 1), (0, 0)]),
        ("relu(x)*exp(x)", [0], [(0, 1)]),
        # beside 3e-200 a relative h would see the other side of the kink
        ("relu(x - 3e-200)", [3e-200], [(0, 1)]),
        ("norm(x)", [0, 0], [(-1, 1)]),
        ("floor(x)", [2], [(Tendency.PLUS_INFINITY, 0)]),
    ],
)
def test_slopes_through_the_tracer(
    expression: str, numbers: list[float], expected: list[tuple[Any, Any]]
) -> None:
    assert [words(slopes) for slopes in traced(expression, numbers).rows] == expected


def test_weights_through_the_tracer() -> None:
    found = traced("sort(x).values", [2, 2, 1], 0, [1, 10, 100])
    assert found.weighted is not None
    assert words(found.weighted) == (10, 100)


def test_agreement() -> None:
    smooth = traced("x*x*sin(x)", [1.25]).rows[0]
    assert agree(smooth.left, smooth.right)
    kink = traced("abs(x)", [0]).rows[0]
    assert not agree(kink.left, kink.right)
    pole = by_hand([lambda x: x / arb(abs(x) if x else 1).sqrt()]).rows[0]
    assert agree(pole.left, pole.right)
    oscillation = by_hand([x_sine]).rows[0]
    assert not agree(oscillation.left, oscillation.right)
