"""What passes at a glance is right whatever the truth may be; faults of any size never pass."""

import numpy
import pytest
import torch

from vjp_cli import inspect
from vjp_cli.checks.screen import screen
from vjp_cli.exact.matrices import Matrix
from vjp_cli.numbers.dtypes import FORMATS
from vjp_cli.numbers.near import Near
from vjp_cli.report import Deferred, Report, TruthKind, Verdict, numbers_at
from vjp_cli.settings import LIMITS, Settings

N = LIMITS.waiting_elements + 500
NO_DOUBT = numpy.zeros(1, dtype=bool)


def passes(number: float, truth: float, error: float = 0.0, dtype: str = "float64") -> bool:
    near = Near(numpy.array([truth], numpy.longdouble), numpy.array([error], numpy.longdouble))
    found = screen(numpy.array([number]), near, FORMATS[dtype], NO_DOUBT)
    return bool(found.passed[0])


@pytest.mark.parametrize(
    ("number", "truth", "error", "expected"),
    [
        (1.0, 1.0, 0.0, True),
        (1.0, 1 + 2e-13, 0.0, True),
        # a quarter of u^¾ = 2.8e-13
        (1.0, 1 + 3e-13, 0.0, False),
        (1.0, 1.0, 2e-13, True),
        (1.0, 1.0, 3e-13, False),
        (0.0, 0.0, 0.0, True),
        (0.0, 0.0, 1e-30, False),
        (1e-300, 0.0, 0.0, False),
        (-1.0, 1.0, 0.0, False),
        (float("nan"), 1.0, 0.0, False),
        (1.0, float("nan"), float("nan"), False),
        (float("inf"), float("inf"), float("nan"), False),
        (0.0, 1.0, 0.0, False),
        # below the smallest normal number nothing is said
        (1e-310, 1e-310, 0.0, False),
    ],
)
def test_what_passes(number: float, truth: float, error: float, expected: bool) -> None:
    assert passes(number, truth, error) is expected


@pytest.mark.parametrize(
    ("dtype", "apart"), [("float32", 9e-7), ("float16", 6e-4), ("bfloat16", 3e-3)]
)
def test_shorter_formats_allow_more(dtype: str, apart: float) -> None:
    assert passes(1.0, 1 + apart, dtype=dtype)
    assert not passes(1.0, 1 + 2 * apart, dtype=dtype)


def test_what_is_in_doubt_does_not_pass() -> None:
    near = Near(numpy.ones(2, numpy.longdouble), numpy.zeros(2, numpy.longdouble))
    found = screen(numpy.ones(2), near, FORMATS["float64"], numpy.array([True, False]))
    assert found.passed.tolist() == [False, True]


class Off(torch.autograd.Function):
    """sin, whose backward is off at one element by a relative ``Off.error``."""

    error = 0.0

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x)

    @staticmethod
    def backward(ctx, g):
        [x] = ctx.saved_tensors
        found = g * torch.cos(x)
        found[1234] *= 1 + Off.error
        return found


def solved(error: float) -> Report:
    Off.error = error
    x = torch.linspace(0.1, 1.4, N, dtype=torch.float64)
    v = torch.linspace(1, 2, N, dtype=torch.float64)
    return inspect(lambda x: Off.apply(x), {"x": x}, v, settings=Settings(jacobian=False))


@pytest.mark.parametrize("error", [1e-11, -1e-9, 1e-6, -2.0, float("nan")])
def test_one_entry_of_many_that_is_off(error: float) -> None:
    report = solved(error)
    assert report.judged_vjp is not None
    verdicts = report.judged_vjp.verdicts["x"].values
    off = [k for k, verdict in enumerate(verdicts) if verdict is not Verdict.OK]
    assert off == [1234]
    assert report.exit_code == 1


def test_the_right_one_needs_no_exact_number(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    whole = Matrix.at

    def at(self, places, rounded=None):
        asked.append(len(places))
        return whole(self, places, rounded)

    monkeypatch.setattr(Matrix, "at", at)
    report = inspect("sin(x)*x", {"x": torch.linspace(0.1, 1.4, N, dtype=torch.float64)})
    assert report.verdict is Verdict.OK
    assert report.checks[0].compared == N
    # once for what lost digits, once for what did not pass: nothing did either
    assert asked == [0, 0]


def test_truths_are_made_where_they_are_looked_at() -> None:
    x = torch.linspace(0.1, 1.4, N, dtype=torch.float64)
    report = inspect("x**2", {"x": x}, torch.ones(N), settings=Settings(jacobian=False))
    assert report.judged_vjp is not None
    truths = report.judged_vjp.truth["x"]
    assert isinstance(truths.values, Deferred)
    last = truths.values[N - 1]
    # 2·x exactly, where x is the double nearest to 1.4
    assert (last.kind, last.value) == (TruthKind.VALUE, "2.79999999999999982236431605997")
    assert truths.at([0, N - 1])[1] == last
    assert numbers_at(truths, [N - 1]) == [2.8]
    assert [truth.kind for truth in truths.values] == [TruthKind.VALUE] * N
