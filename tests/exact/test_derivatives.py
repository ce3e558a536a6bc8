"""The exact side: certain digits at any cost, rounding radii, doubts, and its budget of time."""

import time

import numpy
import pytest
import torch

from vjp_cli.exact.derivatives import ExactSide, exact_side, settled
from vjp_cli.exact.tracing_program import Point, Trace, tracer_of
from vjp_cli.expression import parse
from vjp_cli.numbers.scalar import exact, to_float
from vjp_cli.program import Program
from vjp_cli.tracing.tape import OutOfTime

FAR = time.monotonic() + 3600


def trace(expression: str, dtype: str = "float64", **inputs: object) -> Trace:
    kind = getattr(torch, dtype)
    v = inputs.pop("v", None)
    values = {name: torch.tensor(value, dtype=kind) for name, value in inputs.items()}
    point = Point(values, tuple(values), None if v is None else torch.tensor(v, dtype=kind))
    return tracer_of(Program(parse(expression), {}, dtype), point)


def side(expression: str, **inputs: object) -> ExactSide:
    return exact_side(trace(expression, **inputs), jacobian=True, deadline=FAR)


def test_matrices_and_columns() -> None:
    found = side("a*x[:2]", a=2.0, x=[3.0, 4.0, 5.0], v=[1.0, 10.0])
    a, x = found.jacobian["a"], found.jacobian["x"]
    assert (a.shape, a.rows.tolist(), a.columns.tolist()) == ((2, 1), [0, 1], [0, 0])
    assert a.values.tolist() == [3, 4]
    assert (x.shape, x.rows.tolist(), x.columns.tolist()) == ((2, 3), [0, 1], [0, 1])
    assert found.vjp is not None
    assert found.vjp["a"].values.tolist() == [43]
    # no path leads to the last element: an exact 0
    assert found.vjp["x"].values.tolist() == [2, 20, 0]


def test_without_v_or_without_a_jacobian() -> None:
    assert side("2*x", x=[1.0, 2.0]).vjp is None
    found = exact_side(trace("2*x", x=[1.0], v=[3.0]), jacobian=False, deadline=FAR)
    assert found.jacobian == {}
    assert found.vjp is not None
    assert found.vjp["x"].values.tolist() == [6]


def test_an_unused_input_has_an_empty_matrix() -> None:
    found = side("0*y[:1] + detach(x)*0 + 1", x=[1.0], y=[1.0, 2.0])
    assert found.jacobian["y"].shape == (1, 2)
    assert found.jacobian["y"].values.tolist() == [0]


def test_inputs_are_taken_as_the_floats_that_they_are() -> None:
    found = side("x**2", x=[0.1])
    assert found.jacobian["x"].values.tolist() == [2 * exact(0.1)]
    single = side("x**2", dtype="float32", x=[0.1])
    assert to_float(single.jacobian["x"].values[0]) == 0.20000000298023224


def test_digits_are_certain_where_hundreds_of_bits_cancel() -> None:
    """(1 - cos x)/x² at 1e-40: the derivative is -x/12, after 80 digits have cancelled."""
    found = side("(1 - cos(x))/x**2", x=[1e-40])
    [value] = found.jacobian["x"].values.tolist()
    assert found.bits > 300
    assert to_float(value) == pytest.approx(-1e-40 / 12, rel=1e-15, abs=0)


def test_what_no_precision_settles_is_given_up() -> None:
    assert settled(exact(1.5))
    assert settled(exact(float("nan")))
    found = side("sqrt(x)", x=[0.0])
    assert found.bits == 160


def test_rounding_radii_are_those_of_the_dtype() -> None:
    for dtype, unit in (("float64", 2.0**-53), ("float32", 2.0**-24), ("bfloat16", 2.0**-8)):
        program = trace("exp(x)*x", dtype=dtype, x=[1.5], v=[1.0])
        exactly = exact_side(program, jacobian=True, deadline=FAR)
        [ball] = exactly.jacobian["x"].at(numpy.array([0]), exactly.rounded).values()
        radius = to_float(ball.rad())
        # (x + 1)·exp(x) = 11.2, of a few rounded operations
        assert 11.2 * unit / 4 < radius < 11.2 * unit * 12


def test_rounding_keeps_what_folding_loses() -> None:
    """SymPy folds 0.1·x·3 - 0.3·x; the balls of the program's own order do not."""
    program = trace("0.1*x*3 - 0.3*x", x=[1.0])
    exactly = exact_side(program, jacobian=True, deadline=FAR)
    [value] = exactly.jacobian["x"].values.tolist()
    [ball] = exactly.jacobian["x"].at(numpy.array([0]), exactly.rounded).values()
    assert value == 3 * exact(0.1) - exact(0.3)
    assert 0 < to_float(value) < 1e-16 < to_float(ball.rad()) * 2


@pytest.mark.parametrize(
    ("expression", "numbers", "doubted"),
    [
        ("relu(x)", [0.0, 1.0, -1.0], {0: "tied"}),
        ("sqrt(x) + 0*x", [4.0, 0.0], {1: "not finite"}),
        ("max(x) + x[:1]", [2.0, 2.0, 1.0], {0: "tied", 1: "tied"}),
        ("sin(x)/x", [1.0, 0.0], {1: "not finite"}),
        ("2*x", [1.0, float("nan")], {0: "an input", 1: "an input"}),
        ("2*x", [1.0, 2.0], {}),
    ],
)
def test_doubts_by_input_element(
    expression: str, numbers: list[float], doubted: dict[int, str]
) -> None:
    found = side(expression, x=numbers).doubts["x"]
    assert set(found) == set(doubted)
    for position, words in doubted.items():
        assert words in found[position]


def test_time() -> None:
    with pytest.raises(OutOfTime):
        exact_side(trace("2*x", x=[1.0]), jacobian=True, deadline=time.monotonic() - 1)
