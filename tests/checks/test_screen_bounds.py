"""What passes at a glance: only what the judge would call ok, and nothing in doubt."""

import numpy
import pytest

from vjp_cli.checks.screen import screen
from vjp_cli.numbers.dtypes import FORMATS
from vjp_cli.numbers.near import Near, available

pytestmark = pytest.mark.skipif(not available(), reason="this machine has no extended floats")

FLOAT64 = FORMATS["float64"]
# u^¾ of float64 is 2^-39.75; a quarter of it passes
QUARTER = 2.0**-41.75


def passed(
    numbers: list[float],
    values: list[float],
    errors: list[float] | None = None,
    doubtful: list[bool] | None = None,
    dtype: str = "float64",
) -> tuple[list[bool], float]:
    truth = Near(
        numpy.array(values, numpy.longdouble),
        numpy.array(errors or [0.0] * len(values), numpy.longdouble),
    )
    doubts = numpy.array(doubtful or [False] * len(values), dtype=bool)
    found = screen(numpy.array(numbers), truth, FORMATS[dtype], doubts)
    return found.passed.tolist(), found.max_ulp


def test_a_quarter_of_the_allowed_error_passes_and_more_does_not() -> None:
    inside, outside = 1 + 0.99 * QUARTER, 1 + 1.02 * QUARTER
    assert passed([inside, outside, 2 - inside, 2 - outside], [1.0] * 4)[0] == [
        True,
        False,
        True,
        False,
    ]
    # relative to the truth, whatever its size and sign
    assert passed([8 * inside, -8 * inside, -8 * outside], [8.0, -8.0, -8.0])[0] == [
        True,
        True,
        False,
    ]


def test_what_the_truth_may_be_is_taken_off_what_is_allowed() -> None:
    off = 1 + 0.5 * QUARTER
    assert passed([off] * 3, [1.0] * 3, [0.0, 0.45 * QUARTER, 0.55 * QUARTER])[0] == [
        True,
        True,
        False,
    ]


def test_nothing_passes_that_may_be_zero_or_is_not_known() -> None:
    errors = [2.0, numpy.inf, numpy.nan]
    assert passed([1.0] * 3, [1.0] * 3, errors)[0] == [False] * 3
    assert passed([numpy.nan, numpy.inf, -numpy.inf], [1.0] * 3)[0] == [False] * 3
    assert passed([numpy.inf], [numpy.inf])[0] == [False]


def test_zero_passes_for_an_exact_zero_alone() -> None:
    assert passed([0.0, -0.0, 5e-324, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1e-30], [0, 0, 0, 1e-30, 0])[
        0
    ] == [True, True, False, False, False]


def test_below_the_smallest_normal_number_the_judge_decides() -> None:
    least = FLOAT64.normal
    assert passed([least, least / 2, 2 * least], [least, least / 2, 2 * least])[0] == [
        True,
        False,
        True,
    ]


def test_what_is_in_doubt_does_not_pass() -> None:
    assert passed([1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], None, [True, False, True, False])[
        0
    ] == [False, True, False, True]


def test_the_largest_error_is_told_in_units_of_the_last_place() -> None:
    two = 2.0**-51
    # two units of 1 and one of 3 (its unit is twice as large)
    assert passed([1 + two, 3 + two], [1.0, 3.0]) == ([True, True], 2.0)
    assert passed([3 + two, 1.0], [3.0, 1.0])[1] == 1.0
    # what does not pass is not among them, and the nearest double is without error
    assert passed([1.5, 2.0], [1.0, 2.0])[1] == 0.0
    assert passed([0.1], [0.1])[1] == 0.0
    assert passed([], [])[1] == 0.0


def test_the_double_nearest_to_the_truth_is_without_error() -> None:
    third = numpy.longdouble(1) / 3
    truth = Near(numpy.array([third]), numpy.array([third * 0]))
    found = screen(numpy.array([float(third)]), truth, FLOAT64, numpy.array([False]))
    assert (found.passed.tolist(), found.max_ulp) == ([True], 0.0)


@pytest.mark.parametrize(("dtype", "bits"), [("float32", 24), ("bfloat16", 8)])
def test_the_digits_are_those_of_the_dtype(dtype: str, bits: int) -> None:
    # u = 2^-bits, and a quarter of u^¾ of 1
    quarter = 2.0 ** (-0.75 * bits - 2)
    assert passed([1 + 0.99 * quarter, 1 + 1.02 * quarter], [1.0] * 2, dtype=dtype)[0] == [
        True,
        False,
    ]
    unit = 2.0 ** (1 - bits)
    assert passed([1 + 2.0**-40], [1.0], dtype=dtype)[1] == pytest.approx(2.0**-40 / unit)
