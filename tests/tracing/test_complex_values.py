"""The tracer's complex numbers against torch's own: values, shapes and dtypes."""

import pytest
import torch

from vjp_cli.errors import EvaluationError
from vjp_cli.exact.tracing_program import Point, tracer_of
from vjp_cli.expression import parse
from vjp_cli.numbers.scalar import to_number
from vjp_cli.program import Program
from vjp_cli.tracing.node import Node
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Untraceable

INPUTS = {
    "z": torch.tensor([1 + 1j, -0.5 + 2j], dtype=torch.complex128),
    "w": torch.tensor([0.25 - 2j, 3 + 0.5j], dtype=torch.complex64),
    "x": torch.tensor([0.5, -2.0, 3.0], dtype=torch.float64),
}
OF_ELEMENTS = [
    *("exp", "expm1", "exp2", "log", "log1p", "log2", "log10", "sqrt", "rsqrt", "reciprocal"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh"),
    *("atanh", "sigmoid", "square", "neg", "real", "imag", "conj", "abs", "angle", "sgn"),
]
EXPRESSIONS = [
    *(f"{name}(z)" for name in OF_ELEMENTS),
    *("z**2", "z**-2", "z**0.5", "z**1.5", "z**z", "2**z", "z**(1 + 2j)", "x**(1 + 1j)"),
    *("z*1j + 2", "1/z", "z - 0.1", "z/x[0]", "z*x[1:]", "w*0.1", "w + z", "w*x[0]"),
    *("z.sum()", "z.prod()", "z.mean()", "z.var()", "norm(z)", "z.cumsum(0)", "dot(z, z)"),
    *("vdot(z, z)", "outer(z, x + 0j)", "einsum('i,j->ij', z, z)", "[[1 + 2j, 3], [4, 5j]] @ z"),
    *("z.flip(0)", "z[1]", "cat((z, x))", "[z[0], 1j]", "[x[0], 1j]", "where(z.real > 0, z, 0)"),
    *("view_as_real(z)", "view_as_complex(view_as_real(z)*2)", "polar(abs(z), angle(z))"),
    *("complex(x, x**2)", "x.conj()", "x.real", "angle(x)", "sgn(x)", "sgn(0*z)"),
    *("x.to(torch.complex128)**0.5", "x.cfloat()", "z.cfloat()", "w.cdouble()"),
    *("z == z.conj().conj()", "z != z[0]", "isfinite(z/0)"),
    *("linalg.det(outer(z, z) + [[1, 2j], [3, 4]])", "fft(x)", "ifft(x, 4)", "rfft(x)", "fft(z)"),
    *("irfft(z, 3)", "hfft(z)", "fft2(outer(z, z))", "ifft(fft(x)).real", "rfft(w.real)"),
]


def traced(expression: str) -> tuple[torch.Tensor, Node]:
    parsed = parse(expression)
    inputs = {name: INPUTS[name] for name in parsed.names}
    program = Program(parsed)
    node = tracer_of(program, Point(inputs, tuple(inputs)))(Tape(100)).output
    return program(inputs), node


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_tracer_has_torchs_value(expression: str) -> None:
    output, node = traced(expression)
    assert node.shape == tuple(output.shape)
    if output.dtype is not torch.bool:
        assert node.dtype == str(output.dtype).removeprefix("torch.")
    numbers = [to_number(value) for value in node.values.tolist()]
    single = output.dtype in (torch.complex64, torch.float32)
    expected = output.to(torch.complex128).reshape(-1).tolist()
    assert numbers == pytest.approx(expected, rel=1e-6 if single else 1e-14, abs=1e-14)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_cast_to_real_numbers_drops_the_imaginary_part() -> None:
    output, node = traced("z.to(torch.float64)")
    assert output.tolist() == [1, -0.5]
    assert [to_number(value) for value in node.values] == [1, -0.5]


@pytest.mark.parametrize("expression", ["matrix_exp(outer(z, z))", "eigvalsh(outer(z, z.conj()))"])
def test_opaque_rows_are_for_real_numbers(expression: str) -> None:
    with pytest.raises(Untraceable, match="of complex numbers"):
        traced(expression)


def test_a_real_number_has_no_imaginary_part() -> None:
    program = Program(parse("x.imag"))
    for run in (tracer_of(program, Point({"x": INPUTS["x"]}, ("x",))), None):
        with pytest.raises(EvaluationError, match="imag is not implemented"):
            program(INPUTS) if run is None else run(Tape(100))


def test_only_complex_tapes_say_so() -> None:
    for expression, is_complex in [("x**2", False), ("x.conj()", False), ("(1j*x).real", True)]:
        tape = Tape(100)
        tracer_of(Program(parse(expression)), Point({"x": INPUTS["x"]}, ("x",)))(tape)
        assert tape.is_complex is is_complex
