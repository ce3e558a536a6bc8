"""The verdict by two slopes: kinks, poles, ends of domains and holes."""

import math
from typing import Any

import pytest
from flint import fmpq

from vjp_cli.checks.by_slopes import judge_by_slopes
from vjp_cli.exact.limits import Limit, Tendency
from vjp_cli.exact.samples import Slopes
from vjp_cli.numbers.scalar import to_float
from vjp_cli.report import TruthKind, Verdict

UP, DOWN = Limit(Tendency.PLUS_INFINITY), Limit(Tendency.MINUS_INFINITY)
NONE, END = Limit(Tendency.NONE), Limit(Tendency.END)


def value(number: int) -> Limit:
    return Limit(Tendency.VALUE, fmpq(number))


def judged(torch: float | None, slopes: Slopes) -> tuple[Any, ...]:
    """Verdict, kind, value, left, right."""

    def compare(truth: Any) -> tuple[Verdict, str]:
        if torch is None or math.isnan(torch):
            return Verdict.NAN, "nan"
        same = abs(torch - to_float(truth)) < 1e-9
        return (Verdict.OK, "") if same else (Verdict.WRONG, "apart")

    verdict, truth, _ = judge_by_slopes(torch, slopes, compare)
    return verdict, truth.kind, truth.value, truth.left, truth.right


KINK = ("slopes", "", "0", "1.0")


@pytest.mark.parametrize(
    ("torch", "verdict"),
    [
        (0.0, "kink"),
        (1.0, "kink"),
        (0.5, "kink"),
        # rounding just outside is still the slope
        (1 + 1e-12, "kink"),
        (1.1, "wrong"),
        (-0.1, "wrong"),
        (math.inf, "wrong"),
        (math.nan, "nan"),
        (None, "missing"),
    ],
)
def test_a_kink(torch: float | None, verdict: str) -> None:
    assert judged(torch, Slopes(value(0), value(1))) == (verdict, *KINK)
    mirrored = judged(torch, Slopes(value(1), value(0)))
    assert mirrored == (verdict, "slopes", "", "1.0", "0")


@pytest.mark.parametrize(
    ("torch", "slopes", "expected"),
    [
        # a slope that exists after all
        (2.0, Slopes(value(2), value(2)), ("ok", "value", "2.0", "", "")),
        (1.0, Slopes(value(2), value(2)), ("wrong", "value", "2.0", "", "")),
        (math.nan, Slopes(value(2), value(2)), ("nan", "value", "2.0", "", "")),
        (None, Slopes(value(2), value(2)), ("missing", "value", "2.0", "", "")),
        (None, Slopes(value(0), value(0)), ("ok", "value", "0", "", "")),
        # infinite slopes
        (math.inf, Slopes(UP, UP), ("pole", "value", "inf", "", "")),
        (-math.inf, Slopes(UP, UP), ("wrong", "value", "inf", "", "")),
        (0.0, Slopes(DOWN, DOWN), ("wrong", "value", "-inf", "", "")),
        (math.nan, Slopes(UP, UP), ("nan", "value", "inf", "", "")),
        (None, Slopes(UP, UP), ("missing", "value", "inf", "", "")),
        (5.0, Slopes(DOWN, UP), ("kink", "slopes", "", "-inf", "inf")),
        (0.0, Slopes(UP, value(0)), ("kink", "slopes", "", "inf", "0")),
        (-1.0, Slopes(UP, value(0)), ("wrong", "slopes", "", "inf", "0")),
        # the end of a domain: the other slope is the truth
        (3.0, Slopes(END, value(3)), ("ok", "slopes", "", "undefined", "3.0")),
        (4.0, Slopes(value(3), END), ("wrong", "slopes", "", "3.0", "undefined")),
        (math.inf, Slopes(END, UP), ("pole", "slopes", "", "undefined", "inf")),
        # a hole
        (0.0, Slopes(value(0), value(0), hole=True), ("ok", "removable", "0", "", "")),
        (math.nan, Slopes(value(0), value(0), hole=True), ("nan", "removable", "0", "", "")),
    ],
)
def test_other_points(torch: float | None, slopes: Slopes, expected: tuple[str, ...]) -> None:
    assert judged(torch, slopes) == expected


@pytest.mark.parametrize(
    "slopes",
    [
        Slopes(NONE, NONE),
        Slopes(NONE, value(1)),
        Slopes(END, END),
        Slopes(value(1), value(1), hole=True, limits_differ=True),
    ],
)
@pytest.mark.parametrize("torch", [1.0, math.nan, None])
def test_no_slope(slopes: Slopes, torch: float | None) -> None:
    assert judged(torch, slopes) == (Verdict.UNDEFINED, TruthKind.UNDEFINED, "", "", "")
