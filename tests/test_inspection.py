"""The whole pipeline against answers worked out by hand."""

import json
from functools import cache
from math import prod
from typing import Any

import pytest

from tests.scenarios import SCENARIOS, Scenario, solve
from vjp_cli.errors import ExitCode, InputError, LimitError
from vjp_cli.report import Array, Report, Verdict
from vjp_cli.settings import Settings

EVERY = pytest.mark.parametrize(
    "number", range(len(SCENARIOS)), ids=[f"{s.expression}-{s.dtype}" for s in SCENARIOS]
)
# what rounding torch may have: the numbers of the short formats are exact
TOLERANCE = {"float64": 1e-14, "float32": 0, "bfloat16": 0, "float16": 0}


@cache
def solved(number: int) -> tuple[Scenario, Report]:
    scenario = SCENARIOS[number]
    settings = Settings(dtype=scenario.dtype)
    return scenario, solve(scenario.expression, scenario.inputs, scenario.v, settings)


def flat(nested: Any) -> list[float]:
    if not isinstance(nested, list):
        return [nested]
    return [number for part in nested for number in flat(part)]


def shape(nested: Any) -> list[int]:
    return [len(nested), *(shape(nested[0]) if nested else [])] if isinstance(nested, list) else []


def same(array: Array[Any], nested: Any, tolerance: float) -> None:
    numbers = [float(value) for value in array.values]
    assert numbers == pytest.approx(flat(nested), rel=tolerance, abs=0)
    if numbers:
        assert list(array.shape) == shape(nested)
    else:
        assert json.dumps(array.nested()) == json.dumps(nested)


@EVERY
def test_torch_has_the_jacobian(number: int) -> None:
    scenario, report = solved(number)
    assert report.jacobian is not None
    assert list(report.jacobian) == list(scenario.jacobian)
    for name, nested in scenario.jacobian.items():
        same(report.jacobian[name], nested, TOLERANCE[scenario.dtype])


@EVERY
def test_the_truth_is_the_jacobian(number: int) -> None:
    scenario, report = solved(number)
    assert report.judged_jacobian is not None
    for name, nested in scenario.jacobian.items():
        values = report.judged_jacobian.truth[name].map(lambda truth: truth.value)
        same(values, nested, 1e-14)


@EVERY
def test_the_structure_is_the_pattern(number: int) -> None:
    scenario, report = solved(number)
    for name, words in scenario.pattern.items():
        rows = words.replace("-", "").split(" ") if words else []
        found = report.structure[name]
        columns = prod(report.inputs[name].shape)
        assert found.shape == (len(rows), columns)
        expected = {
            r * columns + c
            for r, row in enumerate(rows)
            for c, mark in enumerate(row)
            if mark == "x"
        }
        assert found.positions == expected
        assert found.nonzeros == len(expected)


@EVERY
def test_vjp_and_its_truth(number: int) -> None:
    scenario, report = solved(number)
    assert report.vjp is not None
    assert report.judged_vjp is not None
    assert report.symbolic.vjp is not None
    for name, nested in scenario.vjp.items():
        same(report.vjp[name], nested, TOLERANCE[scenario.dtype])
        same(report.symbolic.vjp[name], nested, 1e-14)
        truth = report.judged_vjp.truth[name].map(lambda truth: truth.value)
        same(truth, nested, 1e-14)


@EVERY
def test_everything_is_ok(number: int) -> None:
    scenario, report = solved(number)
    assert (report.verdict, report.exit_code, report.findings) == (Verdict.OK, ExitCode.OK, ())
    assert not any(note.startswith("nothing was checked") for note in report.notes)
    for judged in (report.judged_jacobian, report.judged_vjp):
        assert judged is not None
        for array in judged.verdicts.values():
            assert set(array.values) <= {Verdict.OK}
    entries = {
        "jacobian": sum(len(flat(nested)) for nested in scenario.jacobian.values()),
        "vjp": sum(len(flat(nested)) for nested in scenario.vjp.values()),
    }
    for target, count in entries.items():
        [check] = [c for c in report.checks if c.name == f"{target} against the exact derivative"]
        assert (check.verdict, check.compared, check.reason) == (Verdict.OK, count, "")


def test_the_problem_is_repeated_as_understood() -> None:
    settings = Settings(dtype="float32", wrt=("b",), seed=5)
    report = solve("a*b", {"a": "2", "b": "3,4"}, "1,1", settings)
    assert report.problem.expression == "a*b"
    assert report.problem.dtype == "float32"
    assert report.problem.wrt == ("b",)
    assert report.output.name == "y"
    assert report.output.value == Array((2,), (6.0, 8.0))
    assert report.inputs == {"a": Array((), (2.0,)), "b": Array((2,), (3.0, 4.0))}
    assert report.environment["seed"] == 5
    assert set(report.jacobian or {}) == set(report.vjp or {}) == set(report.structure) == {"b"}


def test_without_v_there_is_a_note_and_no_vjp() -> None:
    report = solve("2*x", {"x": "1,2"})
    assert (report.v, report.vjp, report.judged_vjp) == (None, None, None)
    assert report.jacobian is not None
    [note] = report.notes
    assert "grad can be implicitly created only for scalar outputs" in note
    assert "2 elements" in note
    assert "--v ones" in note
    assert report.verdict is Verdict.OK


def test_without_a_jacobian_vjp_is_still_judged() -> None:
    report = solve("x**3", {"x": "1,2"}, "1,10", Settings(jacobian=False))
    assert (report.jacobian, report.judged_jacobian) == (None, None)
    assert report.vjp == {"x": Array((2,), (3.0, 120.0))}
    assert report.verdict is Verdict.OK
    names = [check.name for check in report.checks]
    assert "vjp against the exact derivative" in names
    assert "jacobian against the exact derivative" not in names


def test_a_jacobian_that_neither_fits_nor_has_a_pattern_is_refused() -> None:
    with pytest.raises(LimitError, match="400,000,000 entries") as caught:
        solve("2*x", {"x": "ones(20000)"}, None, Settings(timeout=0))
    assert "--no-jacobian" in caught.value.hint


def test_only_constants_leave_nothing_to_differentiate() -> None:
    with pytest.raises(InputError, match="nothing to differentiate"):
        solve("i*2", {"i": "int64:1,2"})


def test_formulas_are_for_each_input() -> None:
    report = solve("2*(x+2)**2", {"x": "1,2,3"}, "0.1,1,1e-4")
    [line] = report.symbolic.jacobian["x"]
    assert (line.where, line.count, line.formula) == ("dy[i]/dx[i]", 3, "4*x[i] + 8")
