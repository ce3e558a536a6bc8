"""Custom backward passes of complex numbers: which conjugate is right, and faults are found."""

from typing import Any

import pytest
import torch

from tests.checks.test_complex import solve, truths, verdicts
from tests.wrong_ops import planting
from vjp_cli.report import Verdict

__all__ = ["planting"]


def square(backward: Any) -> Any:
    """A custom z² whose backward, of v and z, is on trial."""

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, z: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx: Any, v: torch.Tensor) -> torch.Tensor:
            return backward(v, *ctx.saved_tensors)

    return Square.apply


@pytest.mark.parametrize(
    ("backward", "verdict", "cause"),
    [
        (lambda v, z: v * (2 * z).conj(), Verdict.BY_DESIGN, "conjugate of the derivative"),
        (lambda v, z: v * 2 * z, Verdict.WRONG, "the derivative itself"),
        (lambda v, z: (v * 2 * z).conj(), Verdict.WRONG, "does not shrink"),
        (lambda v, z: v * (2 * z).conj() * (1 + 1e-3), Verdict.WRONG, "does not shrink"),
        (lambda v, z: v * (2 * z).conj() * (1 + 1e-3j), Verdict.WRONG, "does not shrink"),
        (lambda v, z: v * (2 * z).real, Verdict.WRONG, "does not shrink"),
        (lambda v, z: 0 * v, Verdict.WRONG, "torch has 0"),
        (lambda v, z: v * float("nan"), Verdict.NAN, "NaN"),
        (lambda v, z: v / 0, Verdict.WRONG, "torch has infinity"),
    ],
)
def test_a_custom_backward(planting: Any, backward: Any, verdict: Verdict, cause: str) -> None:
    planting("planted", square(backward), lambda z: z**2)
    report = solve("planted(z)", z="1+0.75j", v="2-1j")
    assert verdicts(report) == [verdict]
    assert truths(report)[0].value == "(5.5 + 1.0j)"
    assert cause in next(f.cause for f in report.findings if f.where == "vjp.z")


def test_a_fault_where_there_is_no_complex_derivative(planting: Any) -> None:
    planting("planted", square(lambda v, z: v * z.conj()), lambda z: z**2)
    report = solve("planted(z).real", z="1+0.75j")
    assert truths(report)[0].value == "(2.0 - 1.5j)"
    assert verdicts(report) == [Verdict.WRONG]
