"""Complex programs by evaluation alone: both directions, and where there is one derivative."""

import time

import pytest
import torch

from vjp_cli.exact.complex_slopes import ComplexColumn, ComplexSlopes, complex_side, slope_of
from vjp_cli.exact.derivatives import ComplexProgram, differentiate
from vjp_cli.exact.tracing_program import Point, tracer_of
from vjp_cli.expression import parse
from vjp_cli.numbers.scalar import to_float, to_number
from vjp_cli.program import Program
from vjp_cli.tracing.tape import Tape

FAR = time.monotonic() + 3600
NEVER = 0.0


def tensor(numbers: list[complex]) -> torch.Tensor:
    wide = torch.complex128 if any(isinstance(x, complex) for x in numbers) else torch.float64
    return torch.tensor(numbers, dtype=wide)


def oracle(
    expression: str, numbers: list[complex], v: list[complex] | None = None, deadline: float = FAR
) -> ComplexSlopes:
    inputs = {"z": tensor(numbers)}
    point = Point(inputs, ("z",), None if v is None else tensor(v))
    return ComplexSlopes(Program(parse(expression)), point, deadline)


def column(
    expression: str, numbers: list[complex], v: list[complex] | None = None, element: int = 0
) -> ComplexColumn:
    found = oracle(expression, numbers, v).column("z", element)
    assert found is not None
    return found


def gradient(slopes: tuple[object, ...]) -> list[float]:
    numbers = [slope_of(each) for each in slopes]  # type: ignore[arg-type]
    assert None not in numbers
    return [to_float(number) for number in numbers if number is not None]


@pytest.mark.parametrize(
    ("expression", "at", "derivative"),
    [
        ("z**2", 1 + 1j, 2 + 2j),
        ("z**3", 1j, -3 + 0j),
        ("1/z", 1 + 2j, 0.12 + 0.16j),
        ("exp(z)", 1j, 0.5403023058681398 + 0.8414709848078965j),
        ("log(z)", 3 - 4j, 0.12 + 0.16j),
        ("sqrt(z)", 3 + 4j, 0.2 - 0.1j),
        ("z**1.5", 3 + 4j, 3 + 1.5j),
        ("sin(z)", 0j, 1 + 0j),
        ("1j*z", 2 - 5j, 1j),
        ("3*z.conj() - 3*z.conj()", 1 + 1j, 0j),
        # holomorphic at this point alone
        ("z*z.conj()", 0j, 0j),
    ],
)
def test_the_complex_derivative(expression: str, at: complex, derivative: complex) -> None:
    found = column(expression, [at]).derivative(0)
    assert to_number(found) == pytest.approx(derivative, rel=1e-15, abs=1e-300)


@pytest.mark.parametrize(
    "expression", ["z.conj()", "z*z.conj()", "abs(z)", "z.imag**2", "angle(z)"]
)
def test_without_a_complex_derivative(expression: str) -> None:
    assert column(expression, [3 + 4j]).derivative(0) is None


@pytest.mark.parametrize(
    ("expression", "at", "by_real", "by_imaginary"),
    [
        ("(z*z.conj()).real", 3 + 4j, 6.0, 8.0),
        ("abs(z)", 3 + 4j, 0.6, 0.8),
        ("z.imag**2", 2j, 0.0, 4.0),
        ("angle(z)", 1 + 1j, -0.5, 0.5),
        # Re z² = x² - y²
        ("z**2", 1 + 1j, 2.0, -2.0),
    ],
)
def test_the_real_gradient(
    expression: str, at: complex, by_real: float, by_imaginary: float
) -> None:
    found = gradient(column(expression, [at]).functional(0))
    assert found == pytest.approx([by_real, by_imaginary], rel=1e-15, abs=1e-300)


def test_v_weights_both_parts() -> None:
    # L = Re(conj(1 + 2j)·z²) = x² - y² + 4xy at 1 + 1j
    found = column("z**2", [1 + 1j, 5j], [1 + 2j, 0j])
    assert gradient(found.functional(None)) == [6.0, 2.0]
    v = tensor([1 + 2j, 0j])
    # (1 + 2j)(2 + 2j); the output without weight may be anything
    assert to_number(found.derivative_of_sum(v)) == -2 + 6j
    mixed = column("stack((z**2, z.conj())).reshape(2)", [1 + 1j], [1j, 0j])
    assert to_number(mixed.derivative_of_sum(tensor([1j, 0j]))) == -2 + 2j
    assert mixed.derivative_of_sum(tensor([1j, 1j])) is None


def test_a_real_input_has_one_direction() -> None:
    found = column("(1 + 2j)*z", [3.0], [2 + 1j])
    assert gradient(found.functional(0)) == [1.0]
    # Re(conj(2 + 1j)·(1 + 2j)) = 4
    assert gradient(found.functional(None)) == [4.0]
    assert found.derivative(0) is None


def test_other_elements_stay() -> None:
    found = column("z[0]*z[1]", [1 + 1j, 2 - 3j], element=1)
    assert to_number(found.derivative(0)) == 1 + 1j


def test_a_kink_has_two_slopes() -> None:
    for slopes in column("abs(z)", [0j]).functional(0):
        assert slope_of(slopes) is None
        assert (slopes.left.value, slopes.right.value) == (-1, 1)


def test_no_time() -> None:
    assert oracle("z**2", [1j], deadline=NEVER).column("z", 0) is None


def test_y_and_the_pattern_without_numbers() -> None:
    program = Program(parse("z[:2]*z[1:]"))
    where = Point({"z": tensor([1 + 1j, 2j, 3 - 1j])}, ("z",))
    side = complex_side(tracer_of(program, where), deadline=FAR)
    assert [to_number(y) for y in side.traced.output.values] == [-2 + 2j, 2 + 6j]
    balls = side.rounded.values(side.traced.output)
    assert [to_number(y) for y in balls] == [-2 + 2j, 2 + 6j]
    matrix = side.jacobian["z"]
    assert matrix.shape == (2, 3)
    pairs = list(zip(matrix.rows.tolist(), matrix.columns.tolist(), strict=True))
    assert pairs == [(0, 0), (0, 1), (1, 1), (1, 2)]


def test_formulas_do_not_differentiate_complex_numbers() -> None:
    program = Program(parse("(z + 1j*z).real"))
    traced = tracer_of(program, Point({"z": tensor([1.0])}, ("z",)))(Tape(100))
    with pytest.raises(ComplexProgram):
        differentiate(traced, jacobian=True)
