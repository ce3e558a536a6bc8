"""Every planted fault is found, at its place; the same function without it is right."""

from typing import Any

import numpy as np
import pytest
import sympy
import torch

from tests.scenarios import solve
from tests.wrong_ops import WRONG, WrongOp, planting
from vjp_cli.errors import ExitCode
from vjp_cli.report import Report, Verdict
from vjp_cli.settings import Settings

__all__ = ["planting"]
EVERY = pytest.mark.parametrize("op", WRONG, ids=[op.fault for op in WRONG])


def inspected(planting: Any, op: WrongOp, backward: Any, settings: Settings) -> Report:
    planting("planted", op.function(backward), op.rule, op.kind)
    return solve(op.expression, op.inputs, op.v, settings)


def places(report: Report) -> dict[str, Verdict]:
    """Every entry that is not ok, as findings name it."""
    found = {}
    for target, judged in (("jacobian", report.judged_jacobian), ("vjp", report.judged_vjp)):
        for name, array in judged.verdicts.items() if judged else ():
            for index, verdict in zip(np.ndindex(*array.shape), array.values, strict=True):
                if verdict is not Verdict.OK:
                    where = f"[{','.join(map(str, index))}]" if index else ""
                    found[f"{target}.{name}{where}"] = verdict
    return found


@EVERY
def test_the_fault_is_found_at_its_place(planting: Any, op: WrongOp) -> None:
    report = inspected(planting, op, op.wrong, Settings())
    assert set(places(report)) == op.places
    assert set(places(report).values()) <= {Verdict.WRONG, Verdict.SATURATED}
    assert (report.verdict, report.exit_code, report.ok) == (Verdict.WRONG, ExitCode.WRONG, False)
    # every fault of vᵀJ is told; an entry of J need not be told again
    told = {finding.where for finding in report.findings}
    assert {place for place in op.places if place.startswith("vjp.")} <= told <= op.places
    for finding in report.findings:
        assert finding.truth
        assert finding.torch is not None
        assert finding.cause


@EVERY
def test_the_corrected_twin_is_right(planting: Any, op: WrongOp) -> None:
    report = inspected(planting, op, op.right, Settings())
    assert report.findings == ()
    assert (report.verdict, report.exit_code) == (Verdict.OK, ExitCode.OK)


@EVERY
def test_vjp_alone_finds_it_too(planting: Any, op: WrongOp) -> None:
    report = inspected(planting, op, op.wrong, Settings(jacobian=False))
    expected = {place for place in op.places if place.startswith("vjp.")}
    assert set(places(report)) == expected
    assert report.verdict is Verdict.WRONG


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_factor_is_wrong_in_every_dtype(planting: Any, dtype: str) -> None:
    [op] = [op for op in WRONG if op.fault == "factor"]
    report = inspected(planting, op, op.wrong, Settings(dtype=dtype))
    assert set(places(report)) == op.places
    assert report.verdict is Verdict.WRONG


def tenth_digit_off(v: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    gradient = v * torch.cos(x)
    gradient[2] = gradient[2] * (1 + 1e-10)
    return gradient


def test_a_relative_1e_10_is_found(planting: Any) -> None:
    [op] = [op for op in WRONG if op.fault == "sign"]
    report = inspected(planting, op, tenth_digit_off, Settings())
    assert set(places(report)) == {"jacobian.x[2,2]", "vjp.x[2]"}
    # a backward written in Python is not excused as a kernel of torch's is: the error must shrink
    assert report.verdict is Verdict.WRONG
    assert report.exit_code == ExitCode.WRONG


def test_nan_and_lost_numbers(planting: Any) -> None:
    [op] = [op for op in WRONG if op.fault == "sign"]
    nan = inspected(planting, op, lambda v, x: v * torch.cos(x) / (x - 0.5), Settings())
    found = places(nan)
    # v/0 at 0.5 itself, and a factor elsewhere
    assert found["vjp.x[0]"] in (Verdict.NAN, Verdict.SATURATED, Verdict.WRONG)
    assert found["jacobian.x[1,0]"] is Verdict.NAN
    assert found["vjp.x[1]"] is Verdict.WRONG
    assert nan.exit_code == ExitCode.WRONG


@pytest.mark.parametrize(
    "rule",
    [sympy.cos, lambda x: -sympy.sin(x), lambda x: sympy.sin(x) * sympy.Rational(1000001, 1000000)],
)
def test_a_wrong_rule_of_ours_never_judges(planting: Any, rule: Any) -> None:
    planting("planted", torch.sin, rule)
    report = solve("planted(x)", {"x": "0.5,1.25"}, "1,10")
    assert report.verdict is Verdict.UNCHECKED
    assert report.exit_code == ExitCode.OK
    [note] = report.notes
    assert note.startswith("nothing was checked: the tracer's y differs from torch's y")
    for judged in (report.judged_jacobian, report.judged_vjp):
        assert judged is not None
        assert set(judged.verdicts["x"].values) == {Verdict.UNCHECKED}
    judging = [check for check in report.checks if "exact derivative" in check.name]
    assert len(judging) == 2
    assert all(check.verdict is Verdict.UNCHECKED and check.reason for check in judging)


def test_the_table_is_whole_again() -> None:
    from vjp_cli.ops.catalog import find

    assert find("planted") is None
    assert not hasattr(torch, "planted")
