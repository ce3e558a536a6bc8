"""The notes of a report on a wrong backward: relation, line and right formula, and only then."""

import pytest
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


def custom(forward, backward):
    """The Function of these two; ``backward`` gets v and the inputs."""

    class Custom(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *inputs):
            ctx.save_for_backward(*inputs)
            return forward(*inputs)

        @staticmethod
        def backward(ctx, v):
            return backward(v, *ctx.saved_tensors)

    return Custom.apply


K = [[1.5, 2.0], [3.25, 4.0]]
B = [5.0, 7.5, 1.5]
X = [[0.5, 1.25, -2.0], [0.75, -1.5, 3.0]]


@pytest.mark.parametrize(
    ("apply", "inputs", "name", "words"),
    [
        (
            custom(lambda x, w: x * w, lambda v, x, w: (v * x, v * w)),
            {"x": B, "w": [1.0, 2.0, 4.0]},
            "x",
            "the gradients of x and w are swapped",
        ),
        (
            custom(lambda x, w: x * w, lambda v, x, w: (v * x, v * x)),
            {"x": B, "w": [1.0, 2.0, 4.0]},
            "x",
            "the gradient of x is that of w",
        ),
        (
            custom(lambda k, x: k @ x, lambda v, k, x: (torch.outer(x, v), k.T @ v)),
            {"k": K, "x": [5.0, 7.0]},
            "k",
            "the gradient of k is transposed",
        ),
        (
            custom(
                lambda k, x: k @ x, lambda v, k, x: (torch.outer(v, x).T.reshape(2, 3), k.T @ v)
            ),
            {"k": X, "x": B},
            "k",
            "the gradient of k is transposed and reshaped",
        ),
        (
            custom(
                lambda k, x: k @ x,
                lambda v, k, x: ((torch.outer(v, x) + torch.outer(x, v)) / 2, k.T @ v),
            ),
            {"k": K, "x": [5.0, 7.0]},
            "k",
            "the gradient of k is symmetrised: (G + Gᵀ)/2",
        ),
        (
            custom(lambda x, b: x + b, lambda v, x, b: (v, v.mean(0))),
            {"x": X, "b": B},
            "b",
            "torch's J is 1/2 times the true one, like a mean in place of the sum over axis 0 of "
            "y, where b is broadcast",
        ),
        (
            custom(torch.sin, lambda v, x: v * torch.cos(x.float()).double()),
            {"x": B},
            "x",
            "the backward is computed in float32, of which all of its numbers are",
        ),
        (
            custom(torch.sin, lambda v, x: v * torch.cos(x) * torch.tensor([1, 1, 1 + 1e-7])),
            {"x": B},
            "x",
            "torch's J is off at ∂y[2]/∂x[2] alone, by a relative 1.2e-07",
        ),
        (
            custom(torch.exp, lambda v, x: v.sum() * torch.exp(x)),
            {"x": B},
            "x",
            "the backward ignores the cotangent (grad_output): "
            "every row is the gradient of y.sum()",
        ),
    ],
)
def test_relations_end_to_end(apply, inputs, name: str, words: str) -> None:
    function = {
        ("x",): lambda x: apply(x),
        ("x", "w"): lambda x, w: apply(x, w),
        ("x", "b"): lambda x, b: apply(x, b),
        ("k", "x"): lambda k, x: apply(k, x),
    }[tuple(inputs)]
    tensors = {key: torch.tensor(value, dtype=torch.float64) for key, value in inputs.items()}
    report = inspect(function, tensors)
    assert (report.verdict, report.exit_code) == (Verdict.WRONG, 1)
    [note] = [note for note in notes(report) if note.startswith(f"{NOTE}{name}: ")]
    assert note.removeprefix(f"{NOTE}{name}: ").startswith(f"{words}; look at ")


def _inverse(v, x):
    inverse = torch.linalg.inv(x.tril())
    return (-(inverse.T @ v @ inverse.T)).tril()


def test_what_a_right_backward_leaves_where_the_derivative_is_0() -> None:
    # by dense products, so that zeros of the triangle are sums that cancel
    apply = custom(lambda x: torch.linalg.inv(x.tril()), _inverse)
    x = [[0.3, 9.0, 9.0], [1.7, 0.7, 9.0], [-0.9, 2.3, 1.1]]
    report = inspect(lambda x: apply(x), {"x": x}, [[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    assert report.verdict in (Verdict.OK, Verdict.IMPRECISE), report.findings


def test_a_right_backward_has_no_note() -> None:
    report = inspect(lambda x: Double.apply(x), {"x": [1.0, 3.0]}, [1, 10])
    assert (report.verdict, notes(report)) == (Verdict.OK, [])


def test_torch_itself_is_not_told_what_is_wrong_with_its_backward() -> None:
    # relu at 0 through two branches: torch says 0, the slope is 1
    report = inspect("relu(x) - relu(-x)", {"x": [0.0, 2.0]}, [1, 10])
    assert (report.verdict, notes(report)) == (Verdict.WRONG, [])
