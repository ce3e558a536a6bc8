"""What the tracer does not follow faithfully is reported as such and never judged."""

from typing import Any

import pytest
import torch

from vjp_cli import inspect
from vjp_cli.errors import EvaluationError
from vjp_cli.library import NOTE
from vjp_cli.report import Report, Verdict


def function_of(forward: Any, backward: Any = lambda v, x: -v) -> Any:
    """A custom Function of that forward, whose backward is wrong unless it is given."""

    class Custom(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return forward(x)

        @staticmethod
        def backward(ctx, v):
            return backward(v, *ctx.saved_tensors)

    return lambda x: Custom.apply(x)


def is_unjudged(report: Report, reason: str) -> None:
    """Nothing is right, nothing is wrong, and the reader is told why; torch's numbers are there."""
    for judged in (report.judged_jacobian, report.judged_vjp):
        assert judged is not None
        assert set(judged.verdicts["x"].values) == {Verdict.UNCHECKED}
    assert report.notes[0].startswith(("nothing was checked: ", "no exact derivative: "))
    assert reason in report.notes[0]
    assert not [note for note in report.notes if note.startswith(NOTE)]
    assert report.vjp is not None
    assert None not in report.vjp["x"].values


def _slice(y):
    y[:2].mul_(0.0)


def _row(y):
    part = y.view(1, 3)[0]
    part[1] = 7.0


def _flattened(y):
    y.reshape(-1)[0] = 0.0


def _unbound(y):
    first, *_ = y.unbind()
    first.mul_(0.0)


def _transposed(y):
    y.reshape(3, 1).T.add_(1.0)


def _base_under_a_view(y):
    part = y[1:]
    y.mul_(2.0)
    y += torch.cat([y[:1], part])


@pytest.mark.parametrize(
    "write", [_slice, _row, _flattened, _unbound, _transposed, _base_under_a_view]
)
def test_a_view_that_is_written_in_place(write) -> None:
    def forward(x):
        y = x * x
        write(y)
        return y * 3

    # -v is the gradient of none of these: no formula says so, but differences do
    report = inspect(function_of(forward), {"x": [1.0, 2.0, 3.0]}, [1, 10, 100])
    assert "a write into a tensor that has views" in report.notes[0]
    exact = [check for check in report.checks if "exact derivative" in check.name]
    assert {check.verdict for check in exact} == {Verdict.UNCHECKED}
    assert report.exit_code == 1
    assert {f.verdict for f in report.findings} <= {Verdict.WRONG, Verdict.UNCHECKED}
    for finding in report.findings:
        assert "finite differences" in finding.cause


def test_a_right_backward_behind_a_written_view_is_not_called_ok() -> None:
    def forward(x):
        y = x * x
        y[:2].mul_(2.0)
        return y

    right = function_of(forward, lambda v, x: v * x * torch.tensor([4.0, 4.0, 2.0]))
    report = inspect(right, {"x": [1.0, 2.0, 3.0]}, [1, 10, 100])
    is_unjudged(report, "a write into a tensor that has views")
    assert (report.verdict, report.exit_code) == (Verdict.UNCHECKED, 0)


def _by_type(x):
    return x * 2 if type(x) is torch.Tensor else x * 3


def test_a_function_whose_traced_value_is_another() -> None:
    report = inspect(function_of(_by_type), {"x": [1.0, 2.0, 3.0]}, [1, 10, 100])
    is_unjudged(report, "the tracer's y differs from torch's y")
    assert (report.verdict, report.exit_code) == (Verdict.UNCHECKED, 0)


def test_a_function_that_counts_its_calls() -> None:
    calls = []

    def counting(x):
        calls.append(x)
        return x * (1 + len(calls) / 8)

    with pytest.raises(EvaluationError, match="gives different results for the same inputs"):
        inspect(function_of(counting), {"x": [1.0, 2.0, 3.0]}, [1, 10, 100])
