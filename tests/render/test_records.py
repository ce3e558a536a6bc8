"""CSV, TSV and plain columns: what a script reads is what the report holds."""

import csv
import io
from dataclasses import replace
from math import inf, isnan

import pytest

from tests.render import reports
from tests.render.snapshot_report import snapshot
from vjp_cli.errors import clean
from vjp_cli.render import View, render
from vjp_cli.render.records import COLUMNS
from vjp_cli.report import (
    Accumulation,
    Array,
    Pull,
    Structure,
    Truth,
    TruthKind,
)
from vjp_cli.report.values import Scattered
from vjp_cli.settings import Format


def records(report, fmt=Format.CSV, **view):
    separator = {Format.CSV: ",", Format.TSV: "\t"}[fmt]
    text = render(report, fmt, View(**view))
    return list(csv.DictReader(io.StringIO(text), delimiter=separator))


def column(rows, name, **chosen):
    return [row[name] for row in rows if all(row[key] == value for key, value in chosen.items())]


@pytest.mark.parametrize("fmt", [Format.CSV, Format.TSV])
def test_a_row_for_each_entry_by_rows_then_the_product(fmt):
    rows = records(reports.two_inputs(), fmt)

    assert tuple(rows[0]) == COLUMNS
    # J is 2x6 by w and 2x1 by b; then vᵀJ has 6 and 1 entries
    assert [row["of"] for row in rows] == ["jacobian"] * 14 + ["vjp"] * 7
    assert column(rows, "output_index", of="jacobian", input="w") == ["0"] * 6 + ["1"] * 6
    indices = ["0 0", "0 1", "0 2", "1 0", "1 1", "1 2"]
    assert column(rows, "input_index", of="jacobian", input="w") == indices * 2
    assert column(rows, "value", of="jacobian", input="w", output_index="1")[3:] == [
        "0.5",
        "0.25",
        "-2",
    ]
    # a scalar has no index, vᵀJ belongs to no output
    assert column(rows, "input_index", of="vjp", input="b") == [""]
    assert set(column(rows, "output_index", of="vjp")) == {""}


def test_numbers_read_back_as_they_were():
    rows = records(reports.example())

    assert [float(text) for text in column(rows, "value", of="vjp")] == [
        1.2000000000000002,
        16.0,
        0.002,
    ]
    assert column(rows, "difference", of="vjp") == ["0", "0", "0"]
    assert set(column(rows, "verdict")) == {"ok"}


def test_what_is_not_a_finite_number():
    rows = records(reports.findings())
    values = column(rows, "value", of="vjp")

    assert isnan(float(values[0]))
    assert float(values[1]) == inf
    assert complex(values[3]) == 2 + 2j
    # the slopes of a kink are two numbers, and so no truth
    kink = rows[2]
    assert (kink["truth"], kink["left"], kink["right"]) == ("", "-1", "1")
    # truth 1/3 for 2+2j; nothing for an entry without a slope
    assert complex(rows[3]["difference"]) == complex(2 - 0.3333333333333333, 2)
    assert (rows[4]["truth"], rows[4]["difference"], rows[4]["verdict"]) == ("", "", "imprecise")


def test_a_complex_truth():
    report = reports.scalar()
    number = Array((), (1 - 2j,))
    truth = Array((), (Truth(TruthKind.VALUE, "(1.0 - 2.5j)"),))
    report = replace(
        report, vjp={"x": number}, judged_vjp=reports.judged({"x": number}, truth={"x": truth})
    )
    [row] = [row for row in records(report) if row["of"] == "vjp"]

    assert complex(row["truth"]) == 1 - 2.5j
    assert complex(row["difference"]) == 0.5j


def test_a_large_jacobian_is_listed_by_its_possible_nonzeros():
    """10⁶ columns and rows: 10¹² entries that nobody may make."""
    size = 10**6
    places = {0: 1.0, size + 1: 2.0, size * size - 1: 3.0}
    big = Array((size, size), Scattered(size * size, 0.0, places))
    report = replace(
        reports.example(),
        jacobian={"x": big},
        judged_jacobian=None,
        inputs={"x": Array((size,), Scattered(size, 0.0, {}))},
        output=replace(reports.example().output, value=Array((size,), Scattered(size, 0.0, {}))),
        structure={"x": Structure((size, size), 4, "sparse", frozenset({*places, size}))},
        vjp=None,
    )
    rows = records(report)

    assert [(r["output_index"], r["input_index"], r["value"]) for r in rows] == [
        ("0", "0", "1"),
        # it could be non-zero, and is not
        ("1", "0", "0"),
        ("1", "1", "2"),
        ("999999", "999999", "3"),
    ]


def test_several_v():
    report = reports.example()
    second = reports.vector(12.0, 16.0, 20.0)
    pulls = (Pull(report.v, report.vjp, None, None), Pull(report.v, {"x": second}, None, None))
    total = {"x": reports.vector(13.2, 32.0, 20.002)}
    rows = records(replace(report, accumulation=Accumulation(pulls, total, None)))

    assert column(rows, "value", of="vjp[1]") == ["12", "16", "20"]
    assert column(rows, "value", of="grad") == ["13.2", "32", "20.002"]
    # the second was never judged here
    assert column(rows, "verdict", of="vjp[1]") == ["", "", ""]


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r"])
def test_no_name_is_a_formula_to_a_spreadsheet(sign):
    name = f"{sign}HYPERLINK(\"x\",'y')"
    report = reports.scalar()
    report = replace(
        report,
        inputs={name: report.inputs["x"]},
        jacobian={name: report.jacobian["x"]},
        judged_jacobian=None,
        vjp=None,
    )

    shown = f"{clean(sign)}{name[1:]}"
    assert [row["input"] for row in records(report)] == [f"'{shown}" if sign in "=+-@" else shown]


def test_the_columns_of_plain_are_aligned_and_have_no_blanks():
    lines = render(snapshot(), Format.PLAIN, View()).splitlines()

    assert {len(line.split()) for line in lines} == {7}
    starts = {line.index(line.split()[2], len(line.split()[0]) + 8) for line in lines[1:]}
    assert len(starts) == 1
    assert lines[7].split() == ["jacobian", "y[0]", "x_1", "0", "-1.5|1.5", "-", "kink"]


def test_nothing_to_list_leaves_the_header():
    assert render(reports.empty(), Format.CSV, View()) == ",".join(COLUMNS) + "\n"
    assert render(reports.empty(), Format.PLAIN, View()).split() == [
        *("of", "output", "input", "value", "truth", "difference", "verdict")
    ]
