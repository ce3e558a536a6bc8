"""Eigenvalues, singular values and exponentials: against torch, by hand, and as certified balls."""

import flint
import pytest
import torch

from tests.ops.exactly import both_sides
from tests.ops.samples import sample_inputs, torch_function
from tests.ops.test_linalg import matrix, report, truth
from vjp_cli.numbers.exact_array import ExactArray
from vjp_cli.numbers.scalar import precision
from vjp_cli.numbers.symmetric import eigen
from vjp_cli.ops import catalog, spectral
from vjp_cli.ops.table import Kind, Op
from vjp_cli.report import TruthKind

SAMPLES = [pytest.param(op, sample, id=sample) for op in spectral.ROWS for sample in op.samples]


def rule(name: str, *arguments: object) -> object:
    (op,) = (op for op in spectral.ROWS if op.name == name)
    assert op.rule is not None
    return op.rule(*arguments)


def exact(rows: list[list[object]]) -> ExactArray:
    numbers = tuple(flint.fmpq(x) if isinstance(x, int) else x for row in rows for x in row)
    return ExactArray((len(rows), len(rows[0])), numbers)


@pytest.mark.parametrize(("op", "sample"), SAMPLES)
def test_values_are_those_of_torch(op: Op, sample: str) -> None:
    sides = both_sides(sample, sample_inputs(op, seed=3))
    torch.testing.assert_close(sides.exact_y, sides.y, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("op", spectral.ROWS, ids=lambda op: op.name)
def test_a_row_is_found_by_its_names(op: Op) -> None:
    assert op.kind is Kind.OPAQUE
    assert callable(torch_function(op.torch))
    assert catalog.find(op.name) is op
    assert catalog.find("torch.linalg." + op.name.removeprefix("linalg.")) is not None


@pytest.mark.parametrize(
    ("expression", "v", "x"),
    [
        ("svdvals(x)", "1,3", "1,2,0.5;3,-1,4"),
        ("linalg.svd(x, full_matrices=False).U", "1,3;-2,1", "1,2,0.5;3,-1,4"),
        ("linalg.svd(x)[2][:2]", "1,3,2;-2,1,5", "1,2,0.5;3,-1,4"),
        ("svd(x)[2]", "1,3;-2,1", "1,2;3,-1"),
        ("matrix_exp(x)", "1,3;-2,1", "1,2;3,-1"),
        ("eigvalsh(x + x.T)", "1,3", "1,2;3,-1"),
        ("eigh(x + x.T).eigenvectors", "1,3;-2,1", "1,2;3,-1"),
        ("linalg.matrix_norm(x, 'nuc')", None, "1,2,0.5;3,-1,4"),
        ("matrix_norm(x, 2)", None, "1,2;3,-1;4,0.5"),
        ("norm(x, 'nuc')", None, "1,2;3,-1"),
        ("matrix_norm(x, -2)", None, "1,2;3,-1"),
    ],
)
def test_slopes_agree_with_torch_at_an_ordinary_point(
    expression: str, v: str | None, x: str
) -> None:
    answer = report(expression, v, x=x)
    assert answer.judged_vjp is not None
    kinds = {entry.kind for entry in answer.judged_vjp.truth["x"].values}
    assert kinds == {TruthKind.VALUE}
    assert {*answer.judged_vjp.verdicts["x"].values} == {"ok"}


def slopes(expression: str, v: str | None, x: str) -> list[tuple[str, str] | str]:
    answer = report(expression, v, x=x)
    assert answer.judged_vjp is not None
    entries = answer.judged_vjp.truth["x"].values
    return [entry.value or (entry.left, entry.right) for entry in entries]


def test_slopes_where_values_are_equal() -> None:
    # the lower triangle is read; moving it splits the eigenvalues 1 into 1 ± h
    assert slopes("eigvalsh(x)", "1,2", "1,0;0,1") == [
        ("1.0", "2.0"),
        "0",
        ("-1.0", "1.0"),
        ("1.0", "2.0"),
    ]
    assert slopes("svdvals(x)", "1,0", "1,0;0,1") == [
        ("0", "1.0"),
        ("-0.5", "0.5"),
        ("-0.5", "0.5"),
        ("0", "1.0"),
    ]
    assert slopes("linalg.matrix_norm(x, 'nuc')", None, "0,0;0,0") == [("-1.0", "1.0")] * 4


def test_an_exponential_by_hand() -> None:
    """For N = [[0, 1], [0, 0]]: eᴺ = 1 + N, and Σ e^(N + hE) moves by Σ (E + (NE + EN)/2 + NEN/6).

    E = e₀₀: 1 + ½; e₀₁: 1; e₁₀: 1 + 1/2 + 1/2 + 1/6; e₁₁: 1 + ½.
    """
    found = truth(report("matrix_exp(x).sum()", x="0,1;0,0"), "x")
    assert found == ["1.5", "1.0", "2.16666666666666666666666666667", "1.5"]


def test_eigenvalues_are_certified_and_exact_to_the_precision() -> None:
    # the eigenvalues of the path with three vertices are 2 - √2, 2, 2 + √2
    rows = [[2, 99, 99], [1, 2, 99], [0, 1, 2]]
    for bits in (53, 400, 9000):
        with precision(bits):
            values = rule("eigvalsh", exact(rows)).numbers
        with precision(2 * bits + 200):
            root = flint.arb(2).sqrt()
            for value, expected in zip(values, (2 - root, flint.arb(2), 2 + root), strict=True):
                assert value.contains(expected)
                assert value.rel_accuracy_bits() > bits - 20


def test_eigenvalues_that_lie_closer_than_any_double() -> None:
    tiny = flint.fmpq(1, 2**1200)
    with precision(1600):
        values = rule("eigvalsh", exact([[1, 0, 0], [tiny, 1, 0], [0, 0, 1]])).numbers
        gaps = [(value - 1) * 2**1200 for value in values]
    for gap, expected in zip(gaps, (-1, 0, 1), strict=True):
        assert gap.contains(expected)
        assert gap.rad() < flint.arb(2) ** -300


def test_singular_values_keep_all_digits_beside_zero() -> None:
    tiny = flint.fmpq(1, 2**1000)
    with precision(1300):
        values = rule("svdvals", exact([[3, 4, 0], [0, 0, tiny]])).numbers
        deficient = rule("svdvals", exact([[1, 2], [2, 4]])).numbers
    assert values[0].contains(5)
    assert values[1].contains(tiny)
    assert values[1].rel_accuracy_bits() > 200
    assert deficient[0].contains(5)
    assert deficient[1].contains(0)
    assert deficient[1].abs_upper() < flint.arb(2) ** -1250


def test_eigenvectors_contain_the_exact_ones_and_are_unknown_where_they_are_not_unique() -> None:
    with precision(200):
        spectrum = eigen([[flint.fmpq(2), flint.fmpq(9)], [flint.fmpq(1), flint.fmpq(2)]])
        half = flint.arb(2).sqrt() / 2
        assert all(abs(x).overlaps(half) for row in spectrum.vectors for x in row)
        one = eigen([[flint.fmpq(1), flint.fmpq(0)], [flint.fmpq(0), flint.fmpq(1)]])
        assert [value == 1 for value in one.values] == [True, True]
        assert all(x.is_nan() for row in one.vectors for x in row)


def test_a_ball_that_is_not_a_number_makes_all_of_them_so() -> None:
    nan = flint.arb("nan")
    assert all(x.is_nan() for x in rule("eigvalsh", exact([[1, 0], [nan, 1]])).numbers)
    assert all(x.is_nan() for x in rule("svdvals", exact([[1, nan]])).numbers)
    assert all(x.is_nan() for x in rule("matrix_exp", exact([[nan]])).numbers)


@pytest.mark.parametrize(
    ("expression", "shape", "expected"),
    [
        ("eigvalsh(x)", (0, 0), (0,)),
        ("svdvals(x)", (0, 3), (0,)),
        ("svdvals(x)", (2, 1, 3), (2, 1)),
        ("linalg.svd(x)[0][..., :1]", (2, 3, 1), (2, 3, 1)),
        ("matrix_exp(x)", (2, 0, 0), (2, 0, 0)),
        ("matrix_exp(x)", (2, 1, 1), (2, 1, 1)),
        ("eigh(x)[1]", (1, 1), (1, 1)),
    ],
)
def test_other_shapes(expression: str, shape: tuple[int, ...], expected: tuple[int, ...]) -> None:
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(shape, generator=generator, dtype=torch.float64)
    sides = both_sides(expression, {"x": x})
    assert sides.exact_y.shape == expected
    torch.testing.assert_close(sides.exact_y, sides.y)


def test_the_upper_triangle_may_be_read() -> None:
    sides = both_sides("eigvalsh(x, UPLO='U')", {"x": matrix([[2, 0], [99, 3]])})
    torch.testing.assert_close(sides.exact_y, torch.tensor([2.0, 3.0]).double())
