"""The second derivative through a backward: right, refused, or silently without a term."""

import numpy
import pytest
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from tests.checks.custom import report_of, row
from vjp_cli import inspect
from vjp_cli.report import Verdict
from vjp_cli.settings import Check, Settings


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        return 3 * ctx.saved_tensors[0] ** 2 * g


class Intermediate(Function):
    """Saves 3·x², which has no graph."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(3 * x**2)
        return x**3

    @staticmethod
    def backward(ctx, g):
        return ctx.saved_tensors[0] * g


class Half(Cube):
    """One of the two factors x in 3·x·x is a constant to torch."""

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x * x.detach() * g


class DetachedCotangent(Cube):
    @staticmethod
    def backward(ctx, g):
        return 3 * ctx.saved_tensors[0] ** 2 * g.detach()


class Numpy(Cube):
    @staticmethod
    def backward(ctx, g):
        x = ctx.saved_tensors[0].detach().numpy()
        return torch.from_numpy(3 * x**2 * g.detach().numpy())


class NumpyLoudly(Cube):
    @staticmethod
    def backward(ctx, g):
        return torch.from_numpy(3 * ctx.saved_tensors[0].numpy() ** 2 * g.detach().numpy())


class Once(Intermediate):
    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        return ctx.saved_tensors[0] * g


class Exponential(Function):
    """Saves its output, which has the Function's own graph."""

    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        return ctx.saved_tensors[0] * g


class Triple(Function):
    """Linear: nothing to lose by x."""

    @staticmethod
    def forward(ctx, x):
        return 3 * x

    @staticmethod
    def backward(ctx, g):
        return 3 * g


class Rectified(Cube):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, g):
        return g * (ctx.saved_tensors[0] > 0)


class WrongAlready(Cube):
    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] ** 2 * g


class Product(Function):
    """k @ x, of two inputs."""

    @staticmethod
    def forward(ctx, k, x):
        ctx.save_for_backward(k, x)
        return k @ x

    @staticmethod
    def backward(ctx, g):
        k, x = ctx.saved_tensors
        return g @ x.T, k.T @ g


class ProductWithout(Product):
    @staticmethod
    def backward(ctx, g):
        k, x = ctx.saved_tensors
        return g @ x.detach().T, k.T @ g


class Traceless(Function):
    """A forward that no tracer follows; x³ all the same."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.from_numpy(numpy.power(x.detach().numpy(), 3))

    backward = Cube.backward


class TracelessHalf(Traceless):
    backward = Half.backward


LOST = "save inputs and outputs only and compute with torch in backward, or mark it"
X = [[1.0, -0.5, 2.0]]


@pytest.mark.parametrize("function", [Cube, Exponential, Triple, Rectified])
def test_a_backward_that_can_be_differentiated(function: type[Function]) -> None:
    found = row(Check.DOUBLE_BACKWARD, lambda x: function.apply(x), x=X)
    assert (found.verdict, found.compared, found.reason) == (Verdict.OK, 6, "")


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_other_dtypes(dtype: str) -> None:
    right = row(Check.DOUBLE_BACKWARD, lambda x: Cube.apply(x), dtype, x=X)
    assert (right.verdict, right.compared) == (Verdict.OK, 6)
    wrong = row(Check.DOUBLE_BACKWARD, lambda x: Half.apply(x), dtype, x=X)
    assert wrong.verdict is Verdict.WRONG


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (Intermediate, "by x[0,0] is 0, the truth "),
        (Numpy, "by x[0,0] is 0, the truth "),
        (Half, "by x[0,0] is "),
        (DetachedCotangent, "by v[0,0] is 0, the truth "),
    ],
)
def test_one_that_loses_a_term(function: type[Function], words: str) -> None:
    found = row(Check.DOUBLE_BACKWARD, lambda x: function.apply(x), x=X)
    assert found.verdict is Verdict.WRONG
    assert words in found.reason
    assert LOST in found.reason


def test_the_numbers() -> None:
    # one element: v and w are ±c; the second derivative is 6·x·v·w, and half of it is lost
    found = row(Check.DOUBLE_BACKWARD, lambda x: Half.apply(x), x=2.0)
    lost, truth = found.reason.split(" by x is ")[1].split(":")[0].split(", the truth ")
    assert float(truth) == 2 * float(lost)
    assert abs(float(truth)) in {12 * a * b / 16 for a in range(1, 5) for b in range(1, 5)}


def test_what_torch_refuses_is_no_fault() -> None:
    found = row(Check.DOUBLE_BACKWARD, lambda x: Once.apply(x), x=X)
    assert found.verdict is Verdict.UNCHECKED
    assert found.reason == "once_differentiable: torch raises for a second derivative"
    found = row(Check.DOUBLE_BACKWARD, lambda x: NumpyLoudly.apply(x), x=X)
    assert found.verdict is Verdict.UNCHECKED
    assert "no second derivative: torch raises 'Can't call numpy() on Tensor" in found.reason


def test_a_wrong_first_derivative_is_enough() -> None:
    found = row(Check.DOUBLE_BACKWARD, lambda x: WrongAlready.apply(x), x=X)
    assert found.verdict is Verdict.UNCHECKED
    assert found.reason == "the first derivative is wrong already"


def test_a_kink_is_no_fault() -> None:
    found = row(Check.DOUBLE_BACKWARD, lambda x: Rectified.apply(x), x=[1.0, 0.0])
    assert found.verdict is Verdict.UNCHECKED
    assert found.reason == "a kink at x[1] leaves it a matter of choice"


def test_two_inputs() -> None:
    inputs = {"k": [[1.0, 2.0, -1.0], [0.5, 3.0, 2.0]], "x": [[1.0], [-2.0], [0.25]]}
    right = row(Check.DOUBLE_BACKWARD, lambda k, x: Product.apply(k, x), **inputs)
    assert (right.verdict, right.compared) == (Verdict.OK, 6 + 3 + 2)
    wrong = row(Check.DOUBLE_BACKWARD, lambda k, x: ProductWithout.apply(k, x), **inputs)
    assert wrong.verdict is Verdict.WRONG
    assert "by x[0,0] is 0, the truth " in wrong.reason


@pytest.mark.parametrize("size", [(0,), (2, 0)])
def test_no_elements(size: tuple[int, ...]) -> None:
    found = row(Check.DOUBLE_BACKWARD, lambda x: Cube.apply(x), x=torch.zeros(size))
    assert (found.verdict, found.compared) == (Verdict.OK, 0)


def test_differences_where_there_is_no_truth() -> None:
    right = row(Check.DOUBLE_BACKWARD, lambda x: Traceless.apply(x), x=X)
    assert (right.verdict, right.compared) == (Verdict.OK, 2)
    assert right.reason == "by differences of vᵀJ along random directions"
    wrong = row(Check.DOUBLE_BACKWARD, lambda x: TracelessHalf.apply(x), x=X)
    assert wrong.verdict is Verdict.WRONG
    assert "along a direction of the inputs it is " in wrong.reason


def test_differences_at_a_kink_accuse_nobody() -> None:
    def corner(x: torch.Tensor) -> torch.Tensor:
        return Traceless.apply(x) + x.clamp(min=0) ** 2

    found = row(Check.DOUBLE_BACKWARD, corner, x=[0.0, 0.0])
    assert found.verdict is Verdict.UNCHECKED


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_differences_in_low_precision_accuse_nobody(dtype: str) -> None:
    found = row(Check.DOUBLE_BACKWARD, lambda x: Traceless.apply(x), dtype, x=X)
    assert found.verdict in (Verdict.OK, Verdict.UNCHECKED)


def test_a_right_gradient_stays_right() -> None:
    report = report_of(lambda x: Half.apply(x), {"x": X}, Check.DOUBLE_BACKWARD)
    assert (report.verdict, report.exit_code) == (Verdict.OK, 0)
    strict = Settings(checks=(Check.DOUBLE_BACKWARD,), strict=True)
    report = inspect(lambda x: Half.apply(x), {"x": X}, settings=strict)
    assert (report.verdict, report.exit_code) == (Verdict.WRONG, 1)
