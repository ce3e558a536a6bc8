import json
from dataclasses import replace
from math import inf, nan
from pathlib import Path

import pytest

from tests.render import reports
from vjp_cli.render import View, render
from vjp_cli.render.json_numbers import number
from vjp_cli.report import Array, Structure
from vjp_cli.settings import Format

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"
KEYS = [
    "schema",
    "ok",
    "verdict",
    "exit_code",
    "problem",
    "inputs",
    "output",
    "v",
    "jacobian",
    "vjp",
    "symbolic",
    "structure",
    "truth",
    "verdicts",
    "checks",
    "findings",
    "notes",
    "environment",
    "chain",
    "identity",
    "explanation",
    "reproduce",
    "cost",
    "loss",
    "accumulated",
    "contributions",
    "tangent",
]


def loaded(report, **view):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    text = render(report, Format.JSON, View(**view))
    assert text.endswith("}\n")
    assert text.count("\n") == 1
    assert text.isascii()
    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("name", reports.REPORTS)
def test_keys_are_fixed_and_ordered(name):
    assert list(loaded(reports.REPORTS[name]())) == KEYS


@pytest.mark.parametrize("name", ["example", "two_inputs", "findings"])
def test_snapshot(name):
    expected = (SNAPSHOTS / f"{name}.json").read_text(encoding="utf-8")

    assert render(reports.REPORTS[name](), Format.JSON, View()) == expected


def test_the_example():
    report = loaded(reports.example())

    assert report["vjp"] == {"x": [1.2000000000000002, 16.0, 0.002]}
    assert report["jacobian"] == {"x": [[12.0, 0.0, 0.0], [0.0, 16.0, 0.0], [0.0, 0.0, 20.0]]}
    assert report["output"] == {"name": "y", "shape": [3], "value": [18.0, 32.0, 50.0]}
    assert report["structure"] == {
        "x": {
            "shape": [3, 3],
            "nonzeros": 3,
            "pattern": "diagonal",
            "description": None,
            "colours": 1,
        }
    }
    assert report["verdicts"]["vjp"] == {"x": ["ok", "ok", "ok"]}


def test_jacobian_is_nested_by_the_shapes_of_output_and_input():
    report = loaded(reports.two_inputs())

    assert report["jacobian"]["w"] == [
        [[0.5, 0.25, -2.0], [0.0, 0.0, 0.0]],
        [[0.0, 0.0, 0.0], [0.5, 0.25, -2.0]],
    ]
    assert report["vjp"] == {"w": [[0.5, 0.25, -2.0], [-0.5, -0.25, 2.0]], "b": 0.0}
    assert report["symbolic"]["jacobian"]["b"] == [
        {
            "where": "dy[i]/db",
            "count": 2,
            "formula": "2*c",
            "latex": "2 c",
            "definitions": ["c = cos(b)/2"],
        }
    ]


def test_without_v():
    report = loaded(reports.no_v())

    assert report["v"] is None
    assert report["vjp"] is None
    assert report["truth"]["vjp"] is None
    assert report["verdicts"]["vjp"] is None
    assert "--v ones" in report["notes"][0]


def test_truth_of_every_kind():
    assert loaded(reports.findings())["truth"]["vjp"]["x"] == [
        "1",
        "inf",
        {"left": "-1", "right": "1"},
        "0.333333333333333333333333333333",
        "undefined",
    ]


def test_findings_say_null_for_what_is_not_known():
    kink, nan_entry, wrong = (loaded(reports.findings())["findings"][k] for k in (0, 1, 2))

    assert kink["left"] == "-1"
    assert kink["truth"] is None
    assert nan_entry["torch"] == "NaN"
    assert wrong["torch"] == "2.0+2.0j"
    assert wrong["remedy"] is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (nan, "NaN"),
        (inf, "Infinity"),
        (-inf, "-Infinity"),
        (2 + 2j, "2.0+2.0j"),
        (None, None),
        (0.1, 0.1),
        (3, 3),
        (2**53, 2**53),
        (2**53 + 1, "9007199254740993"),
        (True, True),
    ],
)
def test_number(value, expected):
    assert number(value) == expected
    assert type(number(value)) is type(expected)


@pytest.mark.parametrize("value", [0.1, 5e-324, 1.7976931348623157e308, -0.0, 1e22, 2**53 + 2.0])
def test_doubles_survive_the_round_trip(value):
    report = replace(reports.scalar(), v=Array((), (value,)))

    # repr tells -0.0 from 0.0
    assert repr(loaded(report)["v"]) == repr(value)


def test_names_outside_ascii_are_escaped():
    report = replace(reports.scalar(), notes=("θ is 𝜃\x1b\ud800",))

    assert loaded(report)["notes"] == ["θ is 𝜃\x1b\ud800"]


def test_a_large_jacobian_is_a_list_of_coordinates():
    report = loaded(reports.two_inputs(), max_entries=11)

    # w has 2 outputs by 6 elements, and the pattern of one row of x in each
    assert report["jacobian"]["w"] == {
        "format": "coo",
        "shape": [2, 6],
        "rows": [0, 0, 0, 1, 1, 1],
        "cols": [0, 1, 2, 3, 4, 5],
        "values": [0.5, 0.25, -2.0, 0.5, 0.25, -2.0],
    }
    assert report["verdicts"]["jacobian"]["w"] == ["ok"] * 6
    assert report["truth"]["jacobian"]["w"] is None
    # the other input is small enough
    assert report["jacobian"]["b"] == [1.0, 1.0]


def test_coordinates_hide_no_number_outside_the_pattern():
    structure = {"w": Structure((2, 6), 1, "sparse", frozenset({5}))}
    report = loaded(replace(reports.two_inputs(), structure=structure), max_entries=11)

    assert report["jacobian"]["w"]["cols"] == [0, 1, 2, 5, 3, 4, 5]
    assert report["jacobian"]["w"]["values"] == [0.5, 0.25, -2.0, 0.0, 0.5, 0.25, -2.0]


def test_plain_arguments_are_json_too():
    problem = reports.problem(arguments={"scale": inf, "mode": "inf", "flag": True, "count": 3})
    report = loaded(replace(reports.scalar(), problem=problem))

    assert report["problem"]["arguments"] == {
        "scale": "Infinity",
        "mode": "inf",
        "flag": True,
        "count": 3,
    }


def test_size_zero():
    report = loaded(reports.empty(), max_entries=0)

    assert report["vjp"] == {"x": []}
    assert report["jacobian"] == {"x": [[], []]}
