from dataclasses import replace

import pytest

from tests.render import reports
from vjp_cli.render.tables import MARKS, Axis, Cell, tables
from vjp_cli.report import Array, Symbolic, Verdict


def grid(table):
    return [
        [table.cell(i, j).text for j in range(len(table.columns))] for i in range(len(table.rows))
    ]


@pytest.mark.parametrize(
    ("shape", "names"),
    [
        ((), ["x"]),
        ((3,), ["x[0]", "x[1]", "x[2]"]),
        ((2, 1, 2), ["x[0,0,0]", "x[0,0,1]", "x[1,0,0]", "x[1,0,1]"]),
        ((2, 0), []),
    ],
)
def test_axis_names_the_elements_in_row_major_order(shape, names):
    assert list(Axis("x", shape)) == names


def test_axis_slices():
    assert Axis("x", (1000,))[2:4] == ["x[2]", "x[3]"]
    assert Axis("x", (1000,))[-1] == "x[999]"


def test_the_order_is_jacobian_then_v_then_product():
    assert [table.title for table in tables(reports.example(), "x")] == ["J", "v", "vᵀJ"]


def test_rows_are_outputs_and_columns_are_inputs():
    jacobian = tables(reports.two_inputs(), "w")[0]

    assert list(jacobian.rows) == ["y[0]", "y[1]"]
    assert list(jacobian.columns) == ["w[0,0]", "w[0,1]", "w[0,2]", "w[1,0]", "w[1,1]", "w[1,2]"]
    assert grid(jacobian)[1] == ["·", "·", "·", "0.5", "0.25", "-2"]


def test_denominator_layout_transposes():
    report = reports.two_inputs()
    report = replace(report, problem=replace(report.problem, layout="denominator"))
    jacobian, _, vjp = tables(report, "w")

    assert (jacobian.title, vjp.title) == ("Jᵀ", "Jᵀv")
    assert list(jacobian.columns) == ["y[0]", "y[1]"]
    assert grid(jacobian)[2:4] == [["-2", "·"], ["·", "0.5"]]


def test_a_computed_zero_is_not_a_structural_one():
    report = replace(reports.example(), structure={})

    assert grid(tables(report, "x")[0])[0] == ["12", "0", "0"]


def test_a_number_outside_the_pattern_is_shown():
    report = reports.example()
    values = (12.0, 7.0, 0.0, 0.0, 16.0, 0.0, 0.0, None, 20.0)
    report = replace(report, jacobian={"x": Array((3, 3), values)})

    assert grid(tables(report, "x")[0]) == [["12", "7", "·"], ["·", "16", "·"], ["·", "none", "20"]]


def test_numbers_that_differ_are_shown_in_full():
    report = reports.example()
    exact = Array((3,), (1.2, 16.0, 0.002))
    vjp = tables(replace(report, symbolic=Symbolic(vjp={"x": exact})), "x")[2]

    # 1.2000000000000002 - 1.2 is one unit in the last place, 2⁻⁵²
    assert grid(vjp) == [
        ["1.2000000000000002", "1.2", "2.22045e-16"],
        ["16", "16", "0"],
        ["0.002", "0.002", "0"],
    ]


def test_a_missing_truth_is_worded():
    assert grid(tables(reports.findings(), "x")[2]) == [
        ["nan", "1", "nan"],
        ["inf", "inf", "0"],
        ["0", "-1 | 1", "-"],
        ["2+2j", "2+2j", "0"],
        ["0.30000000000000004", "0.3", "5.55112e-17"],
    ]


def test_without_any_symbolic_product_nothing_is_compared():
    report = replace(reports.example(), symbolic=Symbolic(), judged_vjp=None)

    assert grid(tables(report, "x")[2])[1] == ["16", "unknown", "-"]


def test_torch_without_a_number():
    vjp = {"x": Array((3,), (None, 16.0, 0.002))}

    assert grid(tables(replace(reports.example(), vjp=vjp), "x")[2])[0] == [
        "none",
        "1.2000000000000002",
        "-",
    ]


def test_every_verdict_but_ok_has_its_own_ascii_mark():
    marks = [MARKS[verdict] for verdict in Verdict if verdict is not Verdict.OK]

    assert Cell(1.0).mark == ""
    assert len(set(marks)) == len(Verdict) - 1
    assert all(len(mark) == 1 and mark.isascii() for mark in marks)
