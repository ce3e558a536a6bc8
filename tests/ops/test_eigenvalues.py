"""Eigenvalues of matrices that are not symmetric: against torch, by hand, by finite differences."""

import mpmath
import pytest
import torch

from tests.ops.exactly import as_tensor
from tests.ops.samples import sample_inputs, torch_function
from tests.ops.test_linalg import report, truth
from vjp_cli.exact.tracing_program import Point, tracer_of
from vjp_cli.expression import parse
from vjp_cli.ops import catalog, eigenvalues
from vjp_cli.ops.table import Kind, Op
from vjp_cli.program import Program
from vjp_cli.report import TruthKind, Verdict
from vjp_cli.tracing.tape import Tape


def values(expression: str, given: dict[str, torch.Tensor]) -> tuple[list[object], torch.Tensor]:
    """y in exact numbers, and torch's y; both are real."""
    parsed = parse(expression)
    program = Program(parsed, {})
    inputs = {name: given[name] for name in parsed.names}
    y = program(inputs)
    traced = tracer_of(program, Point(inputs, parsed.names, None))(Tape(200))
    assert traced.output.shape == tuple(y.shape)
    return traced.output.values.tolist(), y


def same_values(expression: str, given: dict[str, torch.Tensor]) -> tuple[int, ...]:
    """The shape of y, which both sides agree on."""
    ours, y = values(expression, given)
    torch.testing.assert_close(as_tensor(ours, tuple(y.shape)), y, rtol=1e-10, atol=1e-10)
    return tuple(y.shape)


REAL_SAMPLES = [
    pytest.param(op, sample, id=sample)
    for op in eigenvalues.ROWS
    for sample in op.samples
    if sample.endswith(("real", "imag", "abs()"))
]


@pytest.mark.parametrize(("op", "sample"), REAL_SAMPLES)
def test_values_are_those_of_torch(op: Op, sample: str) -> None:
    for seed in range(4):
        same_values(sample, sample_inputs(op, seed))


@pytest.mark.parametrize("op", eigenvalues.ROWS, ids=lambda op: op.name)
def test_a_row_is_found_by_its_names(op: Op) -> None:
    assert op.kind is Kind.OPAQUE
    assert callable(torch_function(op.torch))
    assert catalog.find(op.name) is op
    assert catalog.find("torch.linalg." + op.name) is op


def by_differences(rows: list[list[float]], part: str) -> list[float]:
    """The slopes of Σ|λ| or Σ Re λ by each element, from mpmath's eigenvalues at 80 digits."""
    with mpmath.workdps(80):
        step = mpmath.mpf(10) ** -30

        def total(i: int, j: int, shift: mpmath.mpf) -> mpmath.mpf:
            A = mpmath.matrix(rows)
            A[i, j] += shift
            found = mpmath.eig(A, left=False, right=False)
            return sum(abs(z) if part == "abs()" else z.real for z in found)

        count = len(rows)
        return [
            float((total(i, j, step) - total(i, j, -step)) / (2 * step))
            for i in range(count)
            for j in range(count)
        ]


@pytest.mark.parametrize("part", ["abs()", "real"])
@pytest.mark.parametrize(
    "rows",
    [
        [[1.0, 2.0], [3.0, -1.5]],
        [[1.0, -2.0], [3.0, 1.5]],
        [[1.0, 2.0, 0.5], [3.0, -1.0, 4.0], [0.25, -7.0, 3.0]],
    ],
)
def test_slopes_are_those_of_finite_differences(rows: list[list[float]], part: str) -> None:
    text = ";".join(",".join(map(str, row)) for row in rows)
    answer = report(f"eigvals(x).{part}.sum()", x=text)
    assert answer.verdict is Verdict.OK
    found = [float(value) for value in truth(answer, "x")]
    assert found == pytest.approx(by_differences(rows, part), rel=1e-14, abs=1e-25)


def test_a_matrix_whose_eigenvalues_are_known() -> None:
    """[[0, -b], [1, 0]] has ±i√b: at b = 4 each imaginary part moves by ±1/4 with b."""
    answer = report("eigvals(x).imag.abs().sum()", x="0,-4;1,0")
    assert answer.verdict is Verdict.OK
    assert truth(answer, "x") == ["0", "-0.5", "2.0", "0"]


def test_real_eigenvalues_have_no_imaginary_part_at_all() -> None:
    found, _ = values("eigvals(x).imag", {"x": torch.tensor([[2.0, 1.0], [0.0, 3.0]]).double()})
    assert [value == 0 for value in found] == [True, True]


def test_vectors_have_torchs_norm_and_phase() -> None:
    x = torch.tensor([[1, 2, 0.5], [3, -1, 4], [0.25, -7, 3]], dtype=torch.float64)
    for part in ("real", "imag"):
        assert same_values(f"eig(stack((x, x.T))).eigenvectors.{part}", {"x": x}) == (2, 3, 3)


@pytest.mark.parametrize("x", ["1,0;0,1", "1,1;0,1"])
def test_equal_eigenvalues_have_no_order(x: str) -> None:
    answer = report("eigvals(x)[0].real", x=x)
    assert answer.judged_vjp is not None
    kinds = [entry.kind for entry in answer.judged_vjp.truth["x"].values]
    assert TruthKind.VALUE not in kinds


@pytest.mark.parametrize(
    ("expression", "shape", "expected"),
    [
        ("eigvals(x).real", (1, 1), (1,)),
        ("eigvals(x).abs()", (2, 1, 3, 3), (2, 1, 3)),
        ("eig(x)[1].abs()", (0, 2, 2), (0, 2, 2)),
        ("eig(x)[1].abs()", (0, 0), (0, 0)),
    ],
)
def test_other_shapes(expression: str, shape: tuple[int, ...], expected: tuple[int, ...]) -> None:
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(shape, generator=generator, dtype=torch.float64)
    assert same_values(expression, {"x": x}) == expected
