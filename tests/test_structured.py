"""Jacobians too large to be built in full: the pattern, the products, and the same verdicts."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from tests.test_inspection import solve
from vjp_cli import library
from vjp_cli.errors import LimitError
from vjp_cli.render import View
from vjp_cli.render.json import render_json
from vjp_cli.report import Verdict
from vjp_cli.report.values import Scattered
from vjp_cli.settings import LIMITS, Settings

STENCIL = "x[1:-1]*(1 - x[1:-1]) + 0.1*(x[2:] - 2*x[1:-1] + x[:-2])"
OUTSIDE = "nothing outside the pattern of J"


def limits(**values: int) -> Iterator[None]:
    before = {name: getattr(LIMITS, name) for name in values}
    for name, value in values.items():
        object.__setattr__(LIMITS, name, value)
    yield
    for name, value in before.items():
        object.__setattr__(LIMITS, name, value)


@pytest.fixture
def small() -> Iterator[None]:
    """No J is built in full."""
    yield from limits(dense_entries=0)


@pytest.fixture
def few() -> Iterator[None]:
    """A J has at most 50 exact entries."""
    yield from limits(exact_entries=50)


@pytest.fixture
def waiting() -> Iterator[None]:
    """No exact number is computed before someone asks for it."""
    yield from limits(waiting_elements=0)


def row(report: Any, name: str) -> Any:
    [found] = [check for check in report.checks if check.name == name]
    return found


def test_a_large_stencil_takes_three_products() -> None:
    report = solve(STENCIL, {"x": "linspace(0,1,1200)"}, "ones")
    assert report.cost.jacobian_passes == 3
    assert report.verdict is Verdict.OK
    assert row(report, "jacobian against the exact derivative").compared == 3 * 1198
    # 3 products have 3·1200 numbers, of which 6 are outside; v random gives 1200 more
    assert row(report, OUTSIDE).compared == 1206
    structure = report.structure["x"]
    assert (structure.nonzeros, structure.pattern, structure.colours) == (3594, "banded", 3)
    assert isinstance(report.jacobian["x"].values, Scattered)
    # ∂y[4]/∂x[5] = 1 - 2·x[5] - 0.2
    assert report.jacobian["x"].values[4 * 1200 + 5] == pytest.approx(0.8 - 10 / 1199, rel=1e-13)
    written = json.loads(render_json(report, View(max_entries=1_000_000)))
    assert written["jacobian"]["x"]["format"] == "coo"
    assert len(written["jacobian"]["x"]["values"]) == len(written["verdicts"]["jacobian"]["x"])
    assert len(written["jacobian"]["x"]["values"]) == 3594


PROBLEMS: dict[str, tuple[str, dict[str, str], str]] = {
    "stencil": (STENCIL, {"x": "linspace(0,1,9)"}, "ones"),
    "several inputs": ("a[:, None]*b", {"a": "1,2,3", "b": "4,5"}, "1,2;3,4;5,6"),
    "softmax": ("softmax(x, 1)", {"x": "1,2,3;4,5,7"}, "1,0,0;0,1,0"),
    "dense column": ("x[1:]*x[0]", {"x": "linspace(1,2,9)"}, "ones"),
    "kink": ("relu(x)", {"x": "-1,0,2"}, "ones"),
    "tie": ("maximum(x, 2*x)", {"x": "-1,0,2"}, "ones"),
    "saturated": ("sigmoid(x)*(1 - sigmoid(x))", {"x": "0.5,40,800"}, "ones"),
    "constant rows": ("tril(x)**2", {"x": "1,2,3;4,5,6"}, "ones"),
    "by design": ("x*x.detach()", {"x": "1,2"}, "ones"),
    "none used": ("x*0 + a.sum()", {"x": "1,2", "a": "3,4"}, "ones"),
    "no v": ("x**2", {"x": "1,2,3"}, ""),
}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
def test_same_as_in_full(name: str, dtype: str) -> None:
    text, inputs, v = PROBLEMS[name]
    settings = Settings(dtype=dtype)
    full = solve(text, inputs, v or None, settings)
    context = limits(dense_entries=0)
    next(context)
    sparse = solve(text, inputs, v or None, settings)
    list(context)
    assert row(sparse, OUTSIDE).verdict is Verdict.OK
    assert not [check for check in full.checks if check.name == OUTSIDE]
    assert sparse.jacobian == full.jacobian
    assert sparse.judged_jacobian == full.judged_jacobian
    assert sparse.judged_vjp == full.judged_vjp
    assert (sparse.verdict, sparse.structure) == (full.verdict, full.structure)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
def test_same_where_numbers_wait(name: str, dtype: str) -> None:
    text, inputs, v = PROBLEMS[name]
    settings = Settings(dtype=dtype)
    usual = solve(text, inputs, v or None, settings)
    context = limits(waiting_elements=0)
    next(context)
    waiting = solve(text, inputs, v or None, settings)
    truths = [part and part.truth for part in (waiting.judged_jacobian, waiting.judged_vjp)]
    written = [part and {x: array.nested() for x, array in part.items()} for part in truths]
    list(context)
    for k, part in enumerate((usual.judged_jacobian, usual.judged_vjp)):
        assert written[k] == (part and {x: array.nested() for x, array in part.truth.items()})
    assert waiting.jacobian == usual.jacobian
    for left, right in (
        (waiting.judged_jacobian, usual.judged_jacobian),
        (waiting.judged_vjp, usual.judged_vjp),
    ):
        assert (left and left.verdicts) == (right and right.verdicts)
    assert (waiting.verdict, waiting.findings) == (usual.verdict, usual.findings)
    compared = [(check.name, check.verdict, check.compared) for check in usual.checks]
    assert [(c.name, c.verdict, c.compared) for c in waiting.checks] == compared
    assert waiting.symbolic.vjp == usual.symbolic.vjp


def test_the_same_without_extended_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine whose long double is a double computes every exact number."""
    monkeypatch.setattr("vjp_cli.tracing.tape.available", lambda: False)
    report = solve("sin(x)*x", {"x": "linspace(0.1,1,2100)"}, "ones", Settings(jacobian=False))
    assert report.verdict is Verdict.OK
    # every entry beside its bound, which near numbers do not have
    assert 0 < report.checks[0].max_ratio < 1


class Stray(torch.autograd.Function):
    """x[::2]², whose backward has numbers for the other elements too."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x[::2] ** 2

    @staticmethod
    def backward(ctx, g):
        [x] = ctx.saved_tensors
        found = torch.zeros_like(x)
        found[::2] = 2 * x[::2] * g
        found[1::2] = g[0] - g[1:].sum() if len(g) > 1 else 0
        return found


@pytest.mark.usefixtures("small")
def test_numbers_outside_of_the_pattern_are_wrong() -> None:
    inputs = {"x": torch.tensor([1.0, 2, 3, 4], dtype=torch.float64)}
    # with these two outputs of one colour, and with this v, the numbers outside cancel
    report = library.inspect(lambda x: Stray.apply(x), inputs, [1.0, 1.0])
    assert row(report, OUTSIDE).verdict is Verdict.WRONG
    assert "element 1 of x" in row(report, OUTSIDE).reason
    assert report.verdict is Verdict.WRONG
    assert {v for v, _ in report.judged_jacobian.verdicts["x"].counts().items()} == {Verdict.OK}


@pytest.mark.usefixtures("few")
def test_more_entries_than_can_be_held_leave_vjp_alone() -> None:
    report = solve("softmax(x, 0)", {"x": "linspace(0,1,8)"}, "1,2,3,4,5,6,7,8")
    assert (report.jacobian, report.judged_jacobian) == (None, None)
    assert report.verdict is Verdict.OK
    assert any("more than 50 possible non-zeros" in note for note in report.notes)
    with pytest.raises(LimitError, match="more than 50 possible non-zeros"):
        solve("softmax(x, 0)", {"x": "linspace(0,1,8)"}, None)


def test_without_a_pattern_a_large_jacobian_is_left_out() -> None:
    # without any time there is no exact side; 1100² entries are more than are built row by row
    report = solve("2*x", {"x": "ones(1100)"}, "ones", Settings(timeout=0))
    assert report.jacobian is None
    [note] = [note for note in report.notes if "was not computed" in note]
    assert note.startswith(
        "J would have 1,210,000 entries (9.68 MB), and their pattern is not known"
    )


def test_partial_sums_of_many_are_answered() -> None:
    # as a matrix of segments these would take 3.2 GB
    report = solve("cumsum(x, 0)", {"x": "linspace(0,1,20000)"}, "ones", Settings(jacobian=False))
    assert report.verdict is Verdict.OK
    # x[k] is in the sums k, k + 1, …, 19999
    assert report.vjp["x"].values[:2] == (20000, 19999)
    assert row(report, "vjp against the exact derivative").compared == 20000


def test_an_outer_product_of_many_is_answered() -> None:
    report = solve("a[:, None]*b", {"a": "linspace(1,2,2000)", "b": "1,2,3,4,5"}, None)
    assert report.verdict is Verdict.OK
    # one JVP adds all columns of a up without mixing them, and so it is for b
    assert [report.structure[name].colours for name in ("a", "b")] == [1, 1]
