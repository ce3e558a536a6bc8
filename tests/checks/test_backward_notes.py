"""The notes of a report on a wrong backward: relation, line and right formula, and only then."""

import torch

from vjp_cli import inspect
from vjp_cli.library import NOTE
from vjp_cli.report import Report, Verdict
from vjp_cli.settings import Settings


class MatVec(torch.autograd.Function):
    @staticmethod
    def forward(ctx, k, x):
        ctx.save_for_backward(k, x)
        return k @ x

    @staticmethod
    def backward(ctx, g):
        k, x = ctx.saved_tensors
        return torch.outer(g, x), k @ g


class Halved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return x * g


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g


def line_of(text: str) -> int:
    with open(__file__) as source:
        return [line.strip() for line in source].index(text) + 1


def notes(report: Report) -> list[str]:
    return [note for note in report.notes if note.startswith(NOTE)]


def test_the_wrong_input_alone_has_a_note() -> None:
    report = inspect(lambda k, x: MatVec.apply(k, x), {"k": [[1, 2], [3, 4]], "x": [5, 7]}, [1, 10])
    [note] = notes(report)
    line = line_of("return torch.outer(g, x), k @ g")
    assert note == (
        "the backward for x: torch's J is transposed; look at tests/checks/test_backward_notes.py "
        f"line {line}: k @ g; right is ∂y[i]/∂x[j] = k[i,j]"
    )


def test_without_a_jacobian_the_product_is_compared() -> None:
    report = inspect(
        lambda x: Halved.apply(x), {"x": [1.0, 3.0]}, [1, 10], settings=Settings(jacobian=False)
    )
    assert report.verdict is Verdict.WRONG
    [note] = notes(report)
    line = line_of("return x * g")
    assert note == (
        "the backward for x: torch's vᵀJ is 1/2 times the true one; look at "
        f"tests/checks/test_backward_notes.py line {line}: return x * g"
    )


def test_of_several_functions_no_line_is_blamed() -> None:
    report = inspect(lambda x: Double.apply(Halved.apply(x)), {"x": [1.0, 3.0]}, [1, 10])
    [note] = notes(report)
    assert note == (
        "the backward for x: torch's J is 1/2 times the true one; the custom Functions on the way "
        "are Double, Halved; right is ∂y[i]/∂x[i] = 4·x[i]"
    )


def test_a_right_backward_has_no_note() -> None:
    report = inspect(lambda x: Double.apply(x), {"x": [1.0, 3.0]}, [1, 10])
    assert (report.verdict, notes(report)) == (Verdict.OK, [])


def test_torch_itself_is_not_told_what_is_wrong_with_its_backward() -> None:
    # relu at 0 through two branches: torch says 0, the slope is 1
    report = inspect("relu(x) - relu(-x)", {"x": [0.0, 2.0]}, [1, 10])
    assert (report.verdict, notes(report)) == (Verdict.WRONG, [])
