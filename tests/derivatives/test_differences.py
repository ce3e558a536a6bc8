"""Finite differences with an error bar: the truth lies within it, or there is no number."""

import math
from collections.abc import Callable

import numpy
import pytest
from mpmath import mp

from vjp_cli.derivatives.differences import (
    GROWING,
    KINK,
    ONE_SIDED,
    UNSETTLED,
    Estimates,
    Samples,
    estimate,
    steps,
)

Function = Callable[[float], float]
UNIT = 2.0**-53


def measured(function: Function, x: float, bits: int = 53) -> Estimates:
    """The estimate for one function of one number."""

    def value(at: float) -> float:
        with numpy.errstate(all="ignore"):
            return float(function(numpy.float64(at)))

    made = numpy.array(steps(x, bits))
    above, below = x + made, x - made
    samples = Samples(
        above - x,
        x - below,
        numpy.array([[value(at)] for at in above]),
        numpy.array([[value(at)] for at in below]),
        numpy.array([value(x)]),
        abs(x) or 1.0,
        numpy.zeros(1),
    )
    return estimate(samples, 2.0**-bits)


def noise(x: float) -> float:
    """Between -½ and ½, the same for the same number, and without any pattern."""
    return (int(numpy.float64(x).view(numpy.int64)) * 2654435761 % 1000003) / 1000003 - 0.5


def exactly(function: Callable[[mp.mpf], mp.mpf], x: float) -> float:
    """The derivative by mpmath, with 60 digits, at the float itself."""
    with mp.workdps(60):
        return float(mp.diff(function, mp.mpf(x)))


# name: (function, the same in mpmath or the derivative by hand, x)
SMOOTH: dict[str, tuple[Function, Callable[[mp.mpf], mp.mpf] | float, float]] = {
    "sin": (numpy.sin, mp.sin, 1.0),
    "sin far out": (numpy.sin, mp.sin, 1e8),
    "exp": (numpy.exp, mp.exp, 3.0),
    "exp, large": (numpy.exp, mp.exp, 700.0),
    "log": (numpy.log, 0.5, 2.0),
    "log of little": (numpy.log, mp.log, 1e-8),
    "log of much": (numpy.log, mp.log, 1e8),
    "sqrt of little": (numpy.sqrt, mp.sqrt, 1e-8),
    "sqrt of much": (numpy.sqrt, mp.sqrt, 1e8),
    "1/x of little": (lambda x: 1 / x, lambda x: 1 / x, 1e-8),
    "square of much": (lambda x: x * x, 2e8, 1e8),
    "square of little": (lambda x: x * x, 2e-8, 1e-8),
    "little beside 1": (lambda x: 1 + x * x, 2e-8, 1e-8),
    "cube at 0 beside 1": (lambda x: 1 + x**3, 0.0, 0.0),
    "tanh": (numpy.tanh, mp.tanh, 0.5),
    "tanh, saturated": (numpy.tanh, mp.tanh, 20.0),
    "tanh, flat": (numpy.tanh, 0.0, 1000.0),
    "arcsin near its end": (numpy.arcsin, mp.asin, 0.9999),
    "Runge": (lambda x: 1 / (1 + 25 * x * x), lambda x: 1 / (1 + 25 * x * x), 0.1),
    "power": (lambda x: x**10, lambda x: x**10, 1.7),
    "lgamma": (math.lgamma, mp.loggamma, 30.0),
    "erf": (math.erf, mp.erf, -0.3),
    "constant": (lambda x: 3.0, 0.0, 1.0),
    "line beside much": (lambda x: 1e6 + 3 * x, 3.0, 0.7),
    "line, tiny": (lambda x: 1e-20 * x, 1e-20, 1.0),
    "oscillating": (lambda x: numpy.sin(1e3 * x), lambda x: mp.sin(1000 * x), 1.0),
    "oscillating fast": (lambda x: numpy.sin(1e6 * x), lambda x: mp.sin(1000000 * x), 1.0),
    "oscillating at 0": (lambda x: numpy.sin(1e9 * x), 1e9, 0.0),
    "growing oscillation": (
        lambda x: numpy.sin(100 * x) * numpy.exp(x),
        lambda x: mp.sin(100 * x) * mp.exp(x),
        0.3,
    ),
    "spike": (
        lambda x: numpy.exp(-((x * 1e5) ** 2)),
        lambda x: mp.exp(-((x * 100000) ** 2)),
        1e-5,
    ),
    "steep step": (lambda x: numpy.arctan(1e8 * x), 1e8, 0.0),
    "steep step elsewhere": (lambda x: numpy.arctan(1e8 * (x - 1)), 1e8, 1.0),
    "flat at 0": (lambda x: numpy.exp(-1 / x**2) if x else 0.0, 0.0, 0.0),
    "smooth, with a kink in its second derivative": (lambda x: x * abs(x), 0.0, 0.0),
    "rounded kink": (lambda x: numpy.sqrt(x * x + 1e-16), 0.0, 0.0),
    "kink in sight": (lambda x: abs(x - 1), 1.0, 1.01),
    "relu below": (lambda x: max(x, 0.0), 0.0, -0.1),
    "relu above": (lambda x: max(x, 0.0), 1.0, 2.0),
    "noisy, 1e-9": (lambda x: numpy.sin(x) + 1e-9 * noise(x), mp.sin, 1.0),
    "noisy, 1e-6": (lambda x: numpy.sin(x) + 1e-6 * noise(x), mp.sin, 1.0),
    "jump in sight": (lambda x: x + numpy.floor(x), 1.0, 1 + 1e-10),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_the_truth_lies_within_the_bar(name: str) -> None:
    function, derivative, x = SMOOTH[name]
    truth = exactly(derivative, x) if callable(derivative) else derivative
    found = measured(function, x)
    assert found.trouble[0] == ""
    assert abs(found.value[0] - truth) <= found.bar[0]
    # and the bar says something
    assert found.bar[0] <= max(abs(truth) / 100, 1e-8), name


@pytest.mark.parametrize(
    ("function", "x"),
    [(numpy.sin, 1.0), (numpy.exp, 3.0), (numpy.log, 1e-8), (lambda x: x**10, 1.7)],
)
def test_ordinary_functions_have_ten_digits(function: Function, x: float) -> None:
    found = measured(function, x)
    assert found.bar[0] <= 1e-10 * abs(found.value[0])


def inner_float32(x: float) -> float:
    return float(numpy.sin(numpy.float32(x)))


# functions that have no derivative here, or whose values do not show it
HOPELESS: dict[str, tuple[Function, float, str]] = {
    "abs": (abs, 0.0, KINK),
    "abs beside much": (lambda x: 1e3 + abs(x), 0.0, KINK),
    "relu beside much": (lambda x: 1e6 + max(x - 1, 0.0), 1.0, KINK),
    "a kink at 1e-12": (lambda x: abs(x - 1), 1 + 1e-12, KINK),
    "floor": (numpy.floor, 2.0, GROWING),
    "cube root": (numpy.cbrt, 0.0, GROWING),
    "x log x": (lambda x: x * numpy.log(abs(x)) if x else 0.0, 0.0, GROWING),
    "root of the size": (lambda x: numpy.sign(x) * numpy.sqrt(abs(x)), 0.0, GROWING),
    "nearly a line": (lambda x: numpy.sign(x) * abs(x) ** 0.9, 0.0, GROWING),
    "sqrt": (numpy.sqrt, 0.0, ONE_SIDED),
    "fewer digits inside": (inner_float32, 1.0, UNSETTLED),
    # truth 0, and from further away it looks like x
    "a small flat part": (lambda x: numpy.sign(x) * max(abs(x) - 1e-7, 0.0), 0.0, UNSETTLED),
    # truth -1e-4/12; the cosine stands still while x moves, so the values fall like 1/x²
    "cancellation": (lambda x: (1 - numpy.cos(x)) / x**2, 1e-4, UNSETTLED),
    "a small oscillation": (lambda x: x + 1e-9 * numpy.sin(1e9 * x), 1.0, UNSETTLED),
}


@pytest.mark.parametrize("name", HOPELESS)
def test_without_a_derivative_there_is_no_number(name: str) -> None:
    function, x, trouble = HOPELESS[name]
    found = measured(function, x)
    assert (found.trouble[0], found.bar[0]) == (trouble, math.inf)
    assert math.isnan(found.value[0])


def test_noise_widens_the_bar() -> None:
    bars = [measured(lambda x, a=a: x + a * noise(x), 1.0).bar[0] for a in (0, 1e-9, 1e-6, 1e-3)]
    assert bars == sorted(bars)
    assert bars[0] < 1e-12
    assert bars[3] > 1e-3


def test_many_outputs_at_once() -> None:
    x, made = 2.0, numpy.array(steps(2.0, 53))

    def rows(at: numpy.ndarray) -> numpy.ndarray:
        return numpy.stack([at**2, numpy.abs(at - 2), 7 - 0 * at], axis=1)

    samples = Samples(
        made, made, rows(x + made), rows(x - made), rows(numpy.array([x]))[0], x, numpy.zeros(3)
    )
    found = estimate(samples, UNIT)
    # the derivatives of x², |x - 2| and 7 at 2
    assert found.value[0] == pytest.approx(4.0, abs=1e-10)
    assert list(found.trouble) == ["", KINK, ""]
    assert found.value[2] == 0.0


@pytest.mark.parametrize("x", [0.0, 1.0, -3.7, 1e-8, 1e8, 1e-300, 1e300])
@pytest.mark.parametrize("bits", [53, 24, 8])
def test_steps_change_the_number_and_shrink(x: float, bits: int) -> None:
    made = steps(x, bits)
    assert made == sorted(set(made), reverse=True)
    assert all(x + h != x and x - h != x for h in made)
    # few enough to pay for, and a power of two each
    assert len(made) <= 50
    assert all(math.frexp(h)[0] == 0.5 for h in made)
