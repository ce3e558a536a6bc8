"""Custom backward passes of complex numbers: which conjugate is right, and faults are found."""

from typing import Any

import pytest
import torch

from tests.checks.test_complex import solve, truths, verdicts
from tests.wrong_ops import planting
from vjp_cli.library import NOTE
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
        # a kernel of torch's would be excused for it
        (lambda v, z: v * (2 * z).conj() * (1 + 1e-10), Verdict.WRONG, "a small error"),
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


@pytest.mark.parametrize(
    ("backward", "words"),
    [
        (
            lambda v, z: v * 2 * z,
            "torch's J is conjugated: torch's convention is the conjugate of the derivative",
        ),
        (lambda v, z: (v * 2 * z).conj(), "the cotangent (grad_output) is conjugated"),
        (lambda v, z: v.real * (2 * z).conj(), "the imaginary part of the cotangent (grad_output)"),
        (lambda v, z: -v * (2 * z).conj(), "torch's J has the wrong sign"),
        (lambda v, z: v * (2 * z).real, "torch's J has lost its imaginary part"),
        (lambda v, z: v * 3j * (2 * z).conj(), "torch's J is 3j times the true one"),
        (lambda v, z: v * 1.001 * (2 * z).conj(), "torch's J is 1.001 times the true one"),
        (lambda v, z: 0 * v, "torch's J is 0: the graph is cut"),
        (
            lambda v, z: v * (2 * z).conj() * torch.tensor([1, 1.01]),
            "torch's J is off at ∂y[1]/∂z[1] alone, by a relative 0.01",
        ),
        (lambda v, z: (v * (2 * z).conj()).flip(0), "the columns of torch's J for z[0] and z[1]"),
    ],
)
def test_the_note_on_a_wrong_backward(planting: Any, backward: Any, words: str) -> None:
    planting("planted", square(backward), lambda z: z**2)
    report = solve("planted(z)", z="1+0.75j,-0.5+2j", v="2-1j,3+0.5j")
    assert report.verdict is Verdict.WRONG
    [note] = [note for note in report.notes if note.startswith(NOTE)]
    assert note.startswith(f"the backward for z: {words}")
    assert "; look at tests/checks/test_complex_backward.py line 27: " in note


def test_a_right_backward_of_complex_numbers_has_no_note(planting: Any) -> None:
    planting("planted", square(lambda v, z: v * (2 * z).conj()), lambda z: z**2)
    report = solve("planted(z)", z="1+0.75j,-0.5+2j", v="2-1j,3+0.5j")
    assert report.verdict is Verdict.BY_DESIGN
    assert not [note for note in report.notes if note.startswith(NOTE)]
