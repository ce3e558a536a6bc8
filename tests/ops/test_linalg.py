"""Determinants, inverses, systems and factors against torch's kernels, and by hand."""

from typing import Any

import flint
import pytest
import torch

from tests.ops.exactly import both_sides, exact
from tests.ops.samples import sample_inputs, torch_function
from vjp_cli.expression import parse
from vjp_cli.inspection import inspect
from vjp_cli.ops import catalog, factorisations, linalg
from vjp_cli.ops.table import Kind, Op
from vjp_cli.report import Report
from vjp_cli.request import Request
from vjp_cli.settings import Settings
from vjp_cli.values import parse_value

ROWS = (*linalg.ROWS, *factorisations.ROWS)
SAMPLES = [
    pytest.param(op, sample, id=sample) for op in ROWS for sample in op.samples if op.name != "cond"
]


def report(expression: str, v: str | None = None, **inputs: str) -> Report:
    values = {name: parse_value(text, f"--{name}") for name, text in inputs.items()}
    weights = None if v is None else parse_value(v, "--v")
    return inspect(Request(parse(expression), values, weights), Settings())


def truth(answer: Report, name: str) -> list[str]:
    assert answer.judged_vjp is not None
    return [entry.value for entry in answer.judged_vjp.truth[name].values]


@pytest.mark.parametrize(("op", "sample"), SAMPLES)
def test_value_and_vjp_are_those_of_torch(op: Op, sample: str) -> None:
    sides = both_sides(sample, sample_inputs(op, seed=3))
    torch.testing.assert_close(sides.exact_y, sides.y, rtol=1e-10, atol=1e-10)
    for name, found in sides.vjp.items():
        ours = sides.exact_vjp[name]
        if op.note.startswith("symmetrised") and name == "S":
            found, ours = found + found.mT, ours + ours.mT
        torch.testing.assert_close(ours, found, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("op", "sample"), SAMPLES)
def test_nothing_is_in_doubt_at_an_ordinary_point(op: Op, sample: str) -> None:
    doubts = both_sides(sample, sample_inputs(op, seed=4)).exact.doubts
    assert not any(doubts.values())


@pytest.mark.parametrize("op", ROWS, ids=lambda op: op.name)
def test_a_row_is_found_by_its_names_and_shows_how_it_is_called(op: Op) -> None:
    assert op.kind is Kind.COMPOSITE
    assert callable(torch_function(op.torch))
    assert op.samples
    assert [catalog.find(name) for name in op.names] == [op] * len(op.names)


def test_the_module_of_torch_may_stand_before_a_name() -> None:
    for written in ("solve", "linalg.solve", "torch.linalg.solve"):
        found = catalog.find(written)
        assert found is not None
        assert found.torch == "linalg.solve"


def matrix(rows: list[list[int]]) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.float64)


# the minors are 2·2 - 1·1 = 3, 1·2 - 1·0 = 2, 1·1 - 2·0 = 1, and so on
TRIDIAGONAL = [[2, 1, 0], [1, 2, 1], [0, 1, 2]]


def test_a_determinant_by_hand() -> None:
    sides = both_sides("det(x)", {"x": matrix(TRIDIAGONAL)})
    assert sides.exact.traced.output.values.tolist() == [4]
    # v is 0.5 for an output of one element; the cofactors are 3 -2 1; -2 4 -2; 1 -2 3
    assert sides.exact_vjp["x"].tolist() == [[1.5, -1, 0.5], [-1, 2, -1], [0.5, -1, 1.5]]


@pytest.mark.parametrize("n", [6, 7, 8])
def test_determinant_and_inverse_of_the_pascal_matrix(n: int) -> None:
    """Its determinant is 1 at every size, and its inverse has the first entry n (also at n = 7, 8,
    which go by traces instead of by expansion).
    """
    rows = [[1] * n]
    for _ in range(1, n):
        row = [1]
        for k in range(1, n):
            row.append(row[-1] + rows[-1][k])
        rows.append(row)
    sides = both_sides("stack((det(x), inv(x)[0, 0]))", {"x": matrix(rows)})
    assert sides.exact.traced.output.values.tolist() == [1, n]


@pytest.mark.parametrize(
    ("rows", "cofactors"),
    [
        ([[0]], [[1]]),
        ([[1, 2], [2, 4]], [[4, -2], [-2, 1]]),
        # rank 1: every cofactor is 0
        ([[1, 2, 3], [2, 4, 6], [3, 6, 9]], [[0, 0, 0]] * 3),
        # rank 2, and the first pivot is 0
        ([[0, 1, 0], [1, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0], [0, 0, -1]]),
    ],
)
def test_a_determinant_is_smooth_where_the_matrix_is_singular(
    rows: list[list[int]], cofactors: list[list[int]]
) -> None:
    sides = both_sides("2*det(x)", {"x": matrix(rows)})
    assert sides.exact.traced.output.values.tolist() == [0]
    assert sides.exact_vjp["x"].tolist() == cofactors
    assert not any(sides.exact.doubts.values())


def test_a_singular_matrix_of_seven_rows() -> None:
    # diag(0, 1, …, 6): the only cofactor is 6! = 720
    sides = both_sides("2*det(x)", {"x": torch.diag(torch.arange(7.0, dtype=torch.float64))})
    expected = torch.zeros(7, 7, dtype=torch.float64)
    expected[0, 0] = 720
    assert torch.equal(sides.exact_vjp["x"], expected)


def test_shapes_without_elements_and_batches() -> None:
    assert both_sides("det(x) + x.sum()", {"x": torch.zeros(0, 0).double()}).exact_y.item() == 1
    sides = both_sides("det(x)", {"x": torch.zeros(3, 0, 0).double()})
    assert sides.exact_y.tolist() == [1, 1, 1]
    for expression in ("inv(x)", "linalg.cholesky(x)", "solve(x, x)"):
        assert both_sides(expression, {"x": torch.zeros(2, 0, 0).double()}).exact_y.shape == (
            2,
            0,
            0,
        )
    many = torch.stack([matrix([[2, 1], [1, k]]) for k in (1, 2, 3)]).reshape(3, 1, 2, 2)
    assert both_sides("det(x)", {"x": many}).exact_y.tolist() == [[1], [3], [5]]


def test_an_inverse_by_hand() -> None:
    """∂(A⁻¹)₀₀/∂A = -(A⁻¹)·₀ (A⁻¹)₀·, transposed: for A⁻¹ = [[5, -2], [-2, 1]] as below."""
    answer = report("linalg.inv(x)", "1,0;0,0", x="1,2;2,5")
    assert truth(answer, "x") == ["-25.0", "10.0", "10.0", "-4.0"]
    assert answer.verdict == "ok"


def test_negative_matrix_powers() -> None:
    """For x = diag(2, 4) the sum of x⁻² has ∂/∂x_ij = -(x_i + x_j)/(x_i² x_j²)."""
    answer = report("matrix_power(x, -2).sum()", x="2,0;0,4")
    assert truth(answer, "x") == ["-0.25", "-0.09375", "-0.09375", "-0.03125"]


def test_systems_by_hand() -> None:
    one = report("linalg.solve(A, b)", "1,", A="[[2]]", b="3,")
    assert (truth(one, "A"), truth(one, "b")) == (["-0.75"], ["0.5"])
    two = report("torch.linalg.lstsq(A, b).solution", "1,1", A="2,0;0,4", b="1,1")
    assert truth(two, "A") == ["-0.25", "-0.125", "-0.125", "-0.0625"]
    assert truth(two, "b") == ["0.5", "0.25"]


def test_a_line_through_three_points_by_least_squares() -> None:
    """The mean and the slope of (0, 1), (1, 3), (2, 8): 4 and 7/2."""
    A, b = matrix([[1, -1], [1, 0], [1, 1]]), matrix([[1], [3], [8]])
    sides = both_sides("lstsq(A, b).solution", {"A": A, "b": b})
    assert sides.exact.traced.output.values.tolist() == [4, flint.fmpq(7, 2)]


def test_an_underdetermined_system_takes_the_shortest_solution() -> None:
    sides = both_sides("lstsq(A, b)[0]", {"A": matrix([[3, 4]]), "b": matrix([[50]])[0]})
    assert sides.exact.traced.output.values.tolist() == [6, 8]


def test_a_cholesky_factor_reads_the_lower_triangle_only() -> None:
    answer = report("linalg.cholesky(x).sum()", x="4,2;2,3")
    # L = [[2, 0], [1, √2]]; the sum is √a + c/√a + √(d - c²/a)
    assert [value[:17] for value in truth(answer, "x")] == [
        "0.213388347648318",
        "0",
        "0.146446609406726",
        "0.353553390593273",
    ]
    upper = both_sides("linalg.cholesky(x, upper=True)", {"x": matrix([[4, 2], [77, 5]])})
    assert upper.exact.traced.output.values.tolist() == [2, 1, 0, 2]


def test_substitution_ignores_the_other_triangle() -> None:
    inputs = {"A": matrix([[2, 77], [3, 4]]), "B": matrix([[2], [11]])}
    sides = both_sides("solve_triangular(A, B, upper=False)", inputs)
    assert sides.exact.traced.output.values.tolist() == [1, 2]
    assert sides.exact_vjp["A"][0, 1] == 0


@pytest.mark.parametrize(
    "rows",
    [
        [[3, 1], [4, 2]],
        [[0, 1], [1, 0]],
        [[-3, 1, 5], [4, -2, 6]],
        [[0, 0], [0, 2], [3, 1]],
        [[1, 2], [-2, 4], [2, 1], [0, 5]],
    ],
)
@pytest.mark.parametrize("part", ["Q", "R"])
def test_signs_of_a_qr_decomposition(part: str, rows: list[list[int]]) -> None:
    sides = both_sides(f"linalg.qr(x).{part}", {"x": matrix(rows)})
    torch.testing.assert_close(sides.exact_y, sides.y, rtol=1e-14, atol=1e-14)
    torch.testing.assert_close(sides.exact_vjp["x"], sides.vjp["x"], rtol=1e-12, atol=1e-12)


def test_a_complete_basis_is_known_where_it_is_unique() -> None:
    x = matrix([[3], [4]])
    first, unknown, third, _ = exact("qr(x, 'complete')[0]", {"x": x}).traced.output.values
    assert (first, third) == (flint.fmpq(-3, 5), flint.fmpq(-4, 5))
    assert unknown.is_nan()
    assert exact("qr(x, mode='complete').R", {"x": x}).traced.output.values.tolist() == [-5, 0]
    assert exact("qr(x, mode='r')[1]", {"x": x}).traced.output.values.tolist() == [-5]


def test_sign_and_logarithm_of_a_negative_determinant() -> None:
    inputs: dict[str, Any] = {"x": matrix([[0, 1], [1, 0]])}
    sides = both_sides("sign, log = slogdet(x); stack((sign, log))", inputs)
    assert sides.exact.traced.output.values.tolist() == [-1, 0]
    assert exact("logdet(x)", inputs).traced.output.values[0].is_nan()


@pytest.mark.parametrize(
    ("order", "expected"),
    [("", 2.0), (", -2", 0.5), (", 1", 2.0), (", float('inf')", 2.0), (", 'fro'", 2.5)],
)
def test_condition_numbers_by_hand(order: str, expected: float) -> None:
    (value,) = exact(f"cond(x{order})", {"x": matrix([[4, 0], [0, 2]])}).traced.output.values
    assert abs(float(value) - expected) < 1e-15


def test_the_derivative_of_a_condition_number() -> None:
    """For diag(4, 2) it is x₀₀ / x₁₁: the derivatives are 1/2 and -4/4."""
    assert truth(report("cond(x)", x="4,0;0,2"), "x") == ["0.5", "0", "0", "-1.0"]
