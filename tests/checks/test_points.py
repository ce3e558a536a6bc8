"""``--points N``: a backward that is right at one point and wrong at others is found."""

import json
import re

import pytest
import torch

from tests.helpers import run
from vjp_cli import Settings, assert_vjp, inspect
from vjp_cli.checks import points
from vjp_cli.report import CheckResult, Report, Verdict


class Above(torch.autograd.Function):
    """y = x², whose backward is that of 3x beyond 2."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.where(x > 2, 3.0, 2 * x)


class Right(Above):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x


def row(report: Report) -> CheckResult:
    [found] = [check for check in report.checks if check.name == points.NAME]
    return found


X = [[1.0, -1.0, 1.5]]


def test_a_fault_elsewhere_is_found() -> None:
    assert inspect(lambda x: Above.apply(x), {"x": X}).verdict is Verdict.OK
    report = inspect(lambda x: Above.apply(x), {"x": X}, settings=Settings(points=20))
    assert (report.verdict, report.exit_code) == (Verdict.WRONG, 1)
    found = row(report)
    assert found.verdict is Verdict.WRONG
    # the numbers of a point at which it is wrong: torch 3·v, truth 2x·v beyond 2
    match = re.search(r"vjp\.x\[0,(\d)\]: torch (\S+), truth (\S+) at --x=(\S+) --v=", found.reason)
    assert match is not None, found.reason
    x = json.loads(match[4])[0][int(match[1])]
    assert x > 2
    assert float(match[3]) / float(match[2]) == pytest.approx(2 * x / 3, rel=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
def test_a_right_backward_is_right_everywhere(dtype: str) -> None:
    settings = Settings(points=5, dtype=dtype)
    report = inspect(lambda x: Right.apply(x), {"x": X}, settings=settings)
    # at each point 3 x 3 entries of J and 3 of vᵀJ
    assert (row(report).verdict, row(report).compared) == (Verdict.OK, 60)
    assert report.verdict is Verdict.OK


def test_a_seed_chooses_the_points() -> None:
    def told(seed: int) -> str:
        settings = Settings(points=20, seed=seed)
        return row(inspect(lambda x: Above.apply(x), {"x": X}, settings=settings)).reason

    assert told(0) == told(0) != told(1)


def test_signs_stay() -> None:
    report = inspect("log(x)*sqrt(-z)", {"x": [1.0, 2.0], "z": -3.0}, settings=Settings(points=10))
    # never outside the domain: 2 + 2 entries of J by x and z, 2 + 1 of vᵀJ
    assert row(report).reason == ""
    assert row(report).compared == 10 * (4 + 2 + 2 + 1)


def test_points_outside_the_domain_are_said() -> None:
    report = inspect("log(x)", {"x": [1.0, -2.0]}, settings=Settings(points=4))
    assert row(report).verdict is Verdict.UNCHECKED or "y is not finite" in row(report).reason


def test_points_that_fail_are_said() -> None:
    def picky(x):
        if bool((x > 1).any()):
            raise ValueError("too large")
        return x * x

    report = inspect(picky, {"x": [0.5, 0.25]}, settings=Settings(points=30))
    assert re.search(
        r"\d+ of 30 points failed: picky raised ValueError: too large", row(report).reason
    )


def test_scalars_empty_and_complex_inputs() -> None:
    assert row(inspect("x**2", {"x": 3.0}, settings=Settings(points=3))).compared == 6
    empty = inspect("x*2 + sum(z)", {"x": [1.0], "z": torch.zeros(0)}, settings=Settings(points=2))
    assert row(empty).verdict is Verdict.OK
    settings = Settings(points=2, dtype="complex128")
    assert row(inspect("x**2", {"x": [1 + 2j, 3.0]}, settings=settings)).verdict in (
        Verdict.OK,
        Verdict.BY_DESIGN,
    )


def test_without_the_option_there_is_no_row() -> None:
    report = inspect("x**2", {"x": 3.0})
    assert points.NAME not in [check.name for check in report.checks]


def test_the_command_and_the_assertion(tmp_path) -> None:
    source = tmp_path / "user.py"
    source.write_text(
        "from tests.checks.test_points import Above\n\ndef f(x):\n    return Above.apply(x)\n"
    )
    result = run("inspect", "-f", f"{source}:f", "--x", "1,-1", "--points", "20", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["verdict"] == "wrong"
    with pytest.raises(AssertionError, match="further random points"):
        assert_vjp(lambda x: Above.apply(x), {"x": X}, settings=Settings(points=20))
