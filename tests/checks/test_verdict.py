"""How far a number is from the truth, by hand for every gap and every dtype."""

import math
from typing import Any

import pytest
from flint import arb, fmpq

from vjp_cli.checks.verdict import Bound, Gap, measure, radius_of
from vjp_cli.numbers.dtypes import FORMATS
from vjp_cli.numbers.scalar import exact, precision

THIRD = fmpq(1, 3)
NOTHING = Bound(0.0)


def gap(torch: float, truth: Any, bound: Bound = NOTHING, dtype: str = "float64") -> Gap:
    return measure(torch, truth, bound, FORMATS[dtype]).gap


@pytest.mark.parametrize(
    ("torch", "truth", "bound", "expected"),
    [
        # equal, or to three quarters of the digits: u^¾ is 1.08e-12
        (1 / 3, THIRD, NOTHING, Gap.NONE),
        (0.0, fmpq(0), NOTHING, Gap.NONE),
        (1 + 1.0e-12, fmpq(1), NOTHING, Gap.NONE),
        # each limit belongs to what it allows
        (2.0**-1, fmpq(0), Bound(2.0**-3, scale=2.0**27), Gap.NONE),
        (1 + 1.2e-12, fmpq(1), NOTHING, Gap.ROUNDED),
        # within the bound of four radii, and to half the digits: √u is 1.05e-8
        (1 + 0.9e-8, fmpq(1), Bound(0.25e-8), Gap.NONE),
        (1 + 0.9e-8, fmpq(1), Bound(0.2e-8), Gap.ROUNDED),
        (1 + 1.2e-8, fmpq(1), Bound(1.0), Gap.LARGE),
        (1.0 + 1.0e-8, fmpq(1), NOTHING, Gap.ROUNDED),
        (1.5, fmpq(1), NOTHING, Gap.LARGE),
        (-1e-3, fmpq(1), NOTHING, Gap.BEYOND),
        (2.0, fmpq(1), NOTHING, Gap.BEYOND),
        (-1.0, fmpq(1), NOTHING, Gap.BEYOND),
        # a ball that has lost everything allows nothing
        (1.5, fmpq(1), Bound(math.inf), Gap.LARGE),
        (1.5, fmpq(1), Bound(math.nan), Gap.LARGE),
        # a truth of 0: within the bound, and √u of the scale
        (1e-17, fmpq(0), Bound(1e-17), Gap.NONE),
        (1e-17, fmpq(0), Bound(1e-18), Gap.BEYOND),
        (1e-7, fmpq(0), Bound(1.0), Gap.BEYOND),
        (1e-7, fmpq(0), Bound(1.0, scale=100.0), Gap.NONE),
        (1e-9, fmpq(0), Bound(math.inf), Gap.NONE),
        (1e-20, arb(0, "1e-400"), Bound(1e-20), Gap.NONE),
        # vᵀJ: 8u of Σ|v_i·J_ij|, 8.9e-16 of each unit
        (1e-15, fmpq(0), Bound(0.0, 1.0, terms=2.0), Gap.NONE),
        (1e-15, fmpq(0), Bound(0.0, 1.0, terms=1.0), Gap.BEYOND),
        (1e-15, fmpq(0), Bound(largest=2.0), Gap.LEFT_OVER),
        (1e-15, fmpq(0), Bound(largest=1.0), Gap.BEYOND),
        (1.5e-13, fmpq(1, 10**13), Bound(0.0, 1.0, terms=100.0), Gap.NONE),
        (1.5e-13, fmpq(1, 10**13), Bound(0.0, 1.0, terms=10.0), Gap.LARGE),
        # 0 and infinity where the truth is an ordinary number
        (0.0, fmpq(1), NOTHING, Gap.LOST),
        (-0.0, fmpq(1), NOTHING, Gap.LOST),
        (math.inf, fmpq(1), NOTHING, Gap.LOST),
        (-math.inf, fmpq(10**400), NOTHING, Gap.LOST),
        (math.nan, fmpq(1), NOTHING, Gap.NAN),
        (math.nan, fmpq(0), Bound(math.inf), Gap.NAN),
    ],
)
def test_gap(torch: float, truth: Any, bound: Bound, expected: Gap) -> None:
    with precision(200):
        assert gap(torch, truth, bound) is expected


@pytest.mark.parametrize(
    ("torch", "truth", "expected"),
    [
        # a truth below the smallest normal number may become 0, a normal one may not
        (0.0, fmpq(1, 2**1074), Gap.NONE),
        (0.0, fmpq(1, 2**1072), Gap.NONE),
        (0.0, fmpq(1, 2**1070), Gap.BEYOND),
        (0.0, fmpq(1, 2**1022), Gap.LOST),
        (5e-324, fmpq(0), Gap.NONE),
        (5e-324, fmpq(1, 2**1080), Gap.NONE),
        # subnormal grid: three units off is nothing, a third of the number is
        (3 * 5e-324, fmpq(6, 2**1074), Gap.NONE),
        (2.0**-1060, fmpq(3, 2**1061), Gap.LARGE),
    ],
)
def test_subnormal_numbers(torch: float, truth: Any, expected: Gap) -> None:
    bound = Bound(5e-324) if truth == 0 else NOTHING
    assert gap(torch, truth, bound) is expected


@pytest.mark.parametrize(
    ("dtype", "near", "far"),
    [
        # u^¾ and √u: 3.8e-6 and 2.4e-4; 3.3e-3 and 2.2e-2; 1.6e-2 and 6.2e-2
        ("float32", 3.7e-6, 2.3e-4),
        ("float16", 3.2e-3, 2.1e-2),
        ("bfloat16", 1.5e-2, 6.2e-2),
    ],
)
def test_every_dtype_has_its_own_bounds(dtype: str, near: float, far: float) -> None:
    assert gap(1 + near, fmpq(1), dtype=dtype) is Gap.NONE
    assert gap(1 + near * 1.15, fmpq(1), dtype=dtype) is Gap.ROUNDED
    assert gap(1 + far, fmpq(1), dtype=dtype) is Gap.ROUNDED
    assert gap(1 + far * 1.1, fmpq(1), dtype=dtype) is Gap.LARGE


def test_half_precision_underflows_early() -> None:
    # the smallest float16: 2⁻²⁴; the smallest normal one: 2⁻¹⁴
    assert gap(0.0, fmpq(1, 2**23), dtype="float16") is Gap.NONE
    assert gap(0.0, fmpq(1, 2**14), dtype="float16") is Gap.LOST
    assert gap(0.0, fmpq(1, 2**15), dtype="float16") is Gap.BEYOND


def test_what_is_measured() -> None:
    found = measure(1.5, fmpq(1), Bound(0.0625), FORMATS["float64"])
    assert found.error == 0.5
    assert found.ratio == pytest.approx(2.0, rel=1e-15)
    # 1 lies in [1, 2), whose numbers are 2⁻⁵² apart
    assert found.ulp == 0.5 / 2.0**-52
    nan = measure(math.nan, fmpq(1), NOTHING, FORMATS["float64"])
    assert (nan.error, nan.ratio, nan.ulp) == (math.inf,) * 3


def test_the_error_is_exact_below_the_float_grid() -> None:
    found = measure(0.1, fmpq(1, 10), NOTHING, FORMATS["float64"])
    assert found.gap is Gap.NONE
    # 0.1 is 5.55e-18 above 1/10
    truth = exact(0.1) - fmpq(1, 2**60)
    assert measure(0.1, truth, Bound(2.0**-61), FORMATS["float64"]).error in (0.0, 2.0**-60)


def test_radius() -> None:
    assert radius_of(fmpq(1, 3)) < 1e-15
    assert radius_of(arb(2, 0.25)) == pytest.approx(0.25, rel=1e-6)
    assert radius_of(arb("nan")) == radius_of(arb("inf")) == math.inf


def test_one_subnormal_is_allowed_of_a_truth_of_zero() -> None:
    assert gap(5e-324, fmpq(0)) is Gap.NONE
    assert gap(1e-323, fmpq(0)) is Gap.BEYOND
    assert gap(2.5e-323, fmpq(0), Bound(5e-324)) is Gap.NONE


def test_errors_at_zero_are_counted_in_units_of_the_numbers_below_1() -> None:
    assert measure(2.0**-52, fmpq(0), NOTHING, FORMATS["float64"]).ulp == 2.0


def test_without_a_ball_there_is_no_ratio() -> None:
    assert math.isnan(measure(1.5, fmpq(1), NOTHING, FORMATS["float64"]).ratio)
    assert math.isnan(measure(1.5, fmpq(1), Bound(math.inf), FORMATS["float64"]).ratio)
    # 0.5 against four radii of 0.25
    assert measure(1.5, fmpq(1), Bound(0.25), FORMATS["float64"]).ratio == 0.5
