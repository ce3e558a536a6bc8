"""Gradients that a function takes itself are differentiated again; all numbers by hand."""

import pytest

from tests.functions.helpers import report_of, truth_of
from vjp_cli.report import Report, Verdict


def report(name: str, v: str | None = "1,10,100", **inputs: str) -> Report:
    return report_of("inner_gradients.py", name, v, **inputs)


# 3x² weighted by U has the derivative 6·x·U; v = (1, 10, 100) at x = (1, 2, 3)
_WEIGHTED = ["6.0", "240.0", "5400.0"]
# 3x² has 6x, and the second derivative of Σx³ along U has 6·U
_PLAIN = ["6.0", "120.0", "1800.0"]


@pytest.mark.parametrize(
    ("name", "truth"),
    [
        ("pulled", _WEIGHTED),
        # 3x² + 2
        ("pulled_many", ["5.0", "140.0", "2900.0"]),
        ("pushed", _WEIGHTED),
        ("pushed_along_x", _PLAIN),
        # 2·x·Σx: 2·Σx on the diagonal, 2·x_i everywhere: 12·v_j + 2·(v·x)
        ("jacobian_of_two", ["654.0", "762.0", "1842.0"]),
        ("columns_of_hessian", ["22.0", "2.0", "600.0"]),
        ("columns_of_hessian_reverse", ["22.0", "2.0", "600.0"]),
        # 2·x·Σx²: 28·v_j + 4·(v·x)·x_j
        ("gradient_and_value", ["1312.0", "2848.0", "6652.0"]),
        ("two_gradients", _PLAIN),
        # 2·x0·x1·x2 three times
        ("gradient_with_aux", ["1332.0", "666.0", "444.0"]),
        # x² + x³
        ("mapped_columns", ["5.0", "160.0", "3300.0"]),
        ("decorated_before", _PLAIN),
        ("functional_vjp", _WEIGHTED),
        ("functional_jvp", _WEIGHTED),
        ("functional_jacobian", _PLAIN),
        ("functional_jacobian_vectorised", _PLAIN),
        # 12x²
        ("functional_hessian", ["24.0", "480.0", "7200.0"]),
        ("functional_hvp", _PLAIN),
        ("functional_vhp", _PLAIN),
        ("unused", _PLAIN),
        ("zeros_for_unused", _PLAIN),
        ("batched", _PLAIN),
        ("hessian_vector", _PLAIN),
        # 3x³
        ("retained", ["9.0", "360.0", "8100.0"]),
        ("descent", ["0.75", "7.5", "75.0"]),
        ("checkpointed", ["3.0", "120.0", "2700.0"]),
        ("gradient_of_custom", _PLAIN),
    ],
)
def test_second_order_is_ok(name: str, truth: list[str]) -> None:
    found = report(name)
    assert found.verdict is Verdict.OK, found.notes
    assert truth_of(found) == truth


@pytest.mark.parametrize("name", ["jacobian_reverse", "jacobian_chunked", "jacobian_forward"])
def test_a_jacobian_that_is_not_square(name: str) -> None:
    found = report(name, "1,10,100;1,1,1")
    assert found.verdict is Verdict.OK, found.notes
    # y_ij = 2·A_ij·x_j, so 2·Σ_i v_ij·A_ij
    assert truth_of(found) == ["10.0", "50.0", "612.0"]


def test_results_stacked_along_another_axis() -> None:
    found = report("mapped_to_columns", "1,10,100;1,1,1")
    assert found.verdict is Verdict.OK, found.notes
    assert truth_of(found) == ["3.0", "12.0", "102.0"]


def test_a_gradient_for_each_row() -> None:
    found = report("mapped_gradients", "1,0,0;0,1,0")
    assert found.verdict is Verdict.OK, found.notes
    # 2·A_00·A_0 + 2·A_11·A_1
    assert truth_of(found) == ["42.0", "54.0", "66.0"]


def test_a_gradient_penalty() -> None:
    found = report("penalty", None, x="1,2,2")
    assert found.verdict is Verdict.OK, found.notes
    # 2·(‖x‖ - 1)·x/‖x‖ at ‖x‖ = 3
    assert truth_of(found) == [f"1.{'3' * 29}", *[f"2.{'6' * 28}7"] * 2]


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        # the gradient is a constant to torch: 3x², twice that, ¾x
        ("detached_gradient", (3.0, 120.0, 2700.0)),
        ("inner_backward", (3.0, 120.0, 2700.0)),
        ("two_backwards", (6.0, 240.0, 5400.0)),
        ("descent_in_place", (0.75, 15.0, 225.0)),
    ],
)
def test_a_gradient_without_a_graph_is_cut_by_design(name: str, numbers: tuple[float, ...]) -> None:
    found = report(name)
    assert found.verdict is Verdict.BY_DESIGN, found.notes
    assert found.vjp is not None
    assert found.vjp["x"].values == numbers
    assert "create_graph" in found.findings[0].cause


def test_a_gradient_inside_stops_at_a_cut_as_the_program_does() -> None:
    found = report("through_a_cut")
    assert found.output.value.values == (3.0, 6.0, 9.0)
    # torch has no graph left, and the value that it computed has a derivative
    assert found.verdict is Verdict.MISSING
    assert truth_of(found) == ["3.0", "30.0", "300.0"]


def test_a_tie_in_a_second_derivative_is_a_kink() -> None:
    found = report("tied")
    assert found.verdict is Verdict.KINK
    assert found.judged_vjp is not None
    tied = found.judged_vjp.truth["x"].values[1]
    assert (tied.left, tied.right) == ("0", "60.0")


def test_a_gradient_by_another_input_than_the_one_that_moves() -> None:
    found = report("by_the_other", x="1,2,3", k="2,1,1")
    # 2·k·x - 4 = (0, 0, 2): two kinks, with the slopes 0 and 2k, or 0 and 2x
    assert found.judged_vjp is not None
    by_x, by_k = (found.judged_vjp.truth[name].values for name in ("x", "k"))
    assert [(e.left, e.right) for e in by_x[:2]] == [("0", "4.0"), ("0", "20.0")]
    assert [(e.left, e.right) for e in by_k[:2]] == [("0", "2.0"), ("0", "40.0")]
    assert (by_x[2].value, by_k[2].value) == ("200.0", "600.0")


def test_gradients_of_complex_numbers_are_not_claimed() -> None:
    found = report("of_complex")
    assert found.verdict is Verdict.UNCHECKED
    assert "of complex numbers (inner_gradients.py line" in found.notes[0]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_in_narrow_dtypes(dtype: str) -> None:
    found = report_of("inner_gradients.py", "mapped_columns", dtype=dtype)
    assert found.verdict is Verdict.OK, found.notes
    assert truth_of(found) == ["5.0", "160.0", "3300.0"]
