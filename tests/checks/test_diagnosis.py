"""The relation of a wrong J to the true one is named only where every entry fits."""

import numpy
import pytest
import torch

from vjp_cli import inspect
from vjp_cli.checks import diagnosis
from vjp_cli.checks.diagnosis import diagnose
from vjp_cli.checks.trial import Backward, Elements
from vjp_cli.numbers.dtypes import FORMATS
from vjp_cli.report import Report
from vjp_cli.tracing.node import OutOfTime

TRUTH = numpy.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]])
WIDE = numpy.array([[1.0, -2.0, 0.5], [4.0, 0.0, 3.0]])
FORM = FORMATS["float64"]
MASKED = TRUTH * numpy.array([[1, 0, 1], [1, 1, 1], [0, 1, 1]])
ROW = numpy.array([0.5, -1.0, 2.0])


@pytest.mark.parametrize(
    ("found", "truth", "words"),
    [
        (TRUTH, TRUTH, ""),
        (TRUTH * (1 + 1e-15), TRUTH, ""),
        (-WIDE, WIDE, "torch's J has the wrong sign"),
        (TRUTH.T, TRUTH, "torch's J is transposed"),
        ((TRUTH + TRUTH.T) / 2, TRUTH, "torch's J is symmetrised: (J + Jᵀ)/2"),
        (0 * WIDE, WIDE, "torch's J is 0: the graph is cut"),
        (3 * WIDE, WIDE, "torch's J is 3 times the true one"),
        (WIDE / 3, WIDE, "torch's J is 1/3 times the true one"),
        ((1 + 1e-10) * WIDE, WIDE, "torch's J is 1.0000000001 times the true one"),
        (WIDE[::-1], WIDE, "the rows of torch's J for y[0] and y[1] are swapped"),
        (TRUTH[::-1], TRUTH, "the rows of torch's J are in reverse order"),
        (WIDE[:, ::-1], WIDE, "the columns of torch's J are in reverse order"),
        (MASKED, TRUTH, "torch's J is right where it is not 0: the backward masks too much"),
        (WIDE + ROW, WIDE, "torch's J lacks a term that is the same in every row"),
        (
            numpy.array([[5.0, -2.0, 3.5], [5.0, -2.0, 3.5]]),
            WIDE,
            "the backward ignores the cotangent (grad_output): "
            "every row is the gradient of y.sum()",
        ),
        (
            WIDE + numpy.array([[1.0, 2.0, 3.0], [-1.0, -2.0, -3.0]]),
            WIDE,
            "torch's J is right for v = ones only: its columns sum to the true ones",
        ),
        (
            WIDE * numpy.array([[1, 1, 1.2], [1, 1, 1]]),
            WIDE,
            "torch's J is off at ∂y[0]/∂x[2] alone, by a relative 0.2",
        ),
        # a wrong number beside a wrong sign: no claim
        (-WIDE + numpy.array([[0, 0, 0.1], [0, 0.2, 0]]), WIDE, ""),
        (numpy.full((2, 3), numpy.nan), WIDE, ""),
    ],
)
def test_relations(found: numpy.ndarray, truth: numpy.ndarray, words: str) -> None:
    assert diagnose(Backward(found, truth), FORM) == words


V = numpy.array([2.0, 3.0])


@pytest.mark.parametrize(
    ("vjp", "words"),
    [
        (V @ WIDE, ""),
        ((V * V) @ WIDE, "the cotangent (grad_output) enters twice: v² in place of v"),
        (abs(V) ** 0.5 @ WIDE, "the backward is not linear in the cotangent (grad_output)"),
    ],
)
def test_a_right_jacobian_with_a_wrong_product(vjp: numpy.ndarray, words: str) -> None:
    assert diagnose(Backward(WIDE, WIDE, V, vjp), FORM) == words


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ([1, 0, 2], "the rows of torch's J for y[0] and y[1] are swapped"),
        ([1, 2, 0], "the rows of torch's J are rolled by -1"),
        ([2, 0, 1], "the rows of torch's J are rolled by 1"),
    ],
)
def test_rows_in_another_order(order: list[int], words: str) -> None:
    tall = numpy.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    assert diagnose(Backward(tall[order], tall), FORM) == words


FOUR = numpy.array([[1.0, 2.0, 3.0, 4.0], [5.0, -6.0, 7.0, 9.0]])


@pytest.mark.parametrize(
    ("order", "shape", "words"),
    [
        ([0, 2, 1, 3], (2, 2), "the gradient of x is transposed"),
        ([0, 3, 2, 1], (2, 2), "the columns of torch's J for x[0,1] and x[1,1] are swapped"),
        ([2, 3, 0, 1], (2, 2), "the columns of torch's J for x[0,:] and x[1,:] are swapped"),
        ([1, 0, 3, 2], (2, 2), "the columns of torch's J for x[:,0] and x[:,1] are swapped"),
        ([3, 2, 1, 0], (2, 2), "the columns of torch's J are in reverse order"),
        (
            [1, 2, 0, 3],
            (4,),
            "the columns of torch's J are permuted: that of x[1] for x[0], x[2] for x[1], "
            "x[0] for x[2]",
        ),
        ([0, 2, 1, 3], (4,), "the columns of torch's J for x[1] and x[2] are swapped"),
    ],
)
def test_columns_in_another_order(order: list[int], shape: tuple[int, ...], words: str) -> None:
    backward = Backward(FOUR[:, order], FOUR, input=Elements("x", shape))
    assert diagnose(backward, FORM) == words


def test_a_gradient_transposed_and_reshaped() -> None:
    truth = numpy.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]])
    # G = [[1, 2, 3], [4, 5, 6]], its transpose read as 2 x 3 is [[1, 4, 2], [5, 3, 6]]
    found = numpy.array([[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]])
    backward = Backward(found, truth, input=Elements("k", (2, 3)))
    assert diagnose(backward, FORM) == "the gradient of k is transposed and reshaped"


def test_a_symmetrised_gradient() -> None:
    found = FOUR.copy()
    found[:, 1] = found[:, 2] = [2.5, 0.5]
    backward = Backward(found, FOUR, input=Elements("k", (2, 2)))
    assert diagnose(backward, FORM) == "the gradient of k is symmetrised: (G + Gᵀ)/2"


def test_relations_that_look_alike_are_both_named() -> None:
    truth = numpy.array([[0.0, 1.0], [-1.0, 0.0]])
    assert diagnose(Backward(-truth, truth), FORM) == (
        "torch's J has the wrong sign; or torch's J is transposed (both fit)"
    )
    # a transposed symmetric J is right, and of one number no relation but a sign is a claim
    assert diagnose(Backward(TRUTH + TRUTH.T, TRUTH + TRUTH.T), FORM) == ""
    one = numpy.array([[2.0]])
    assert diagnose(Backward(-one, one), FORM) == "torch's J has the wrong sign"
    assert diagnose(Backward(1.23456 * one, one), FORM) == ""


# y = x + b for x: 2 x 3 and b: 3; the rows are y[0,0], y[0,1], …
SUMMED = numpy.tile(numpy.eye(3), (2, 1))
Y, B = Elements("y", (2, 3)), Elements("b", (3,))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            numpy.vstack([numpy.zeros((3, 3)), numpy.eye(3)]),
            "the backward does not sum over axis 0 of y, where b is broadcast: "
            "only the part at index 1 is there",
        ),
        (
            SUMMED / 2,
            "torch's J is 1/2 times the true one, like a mean in place of the sum over axis 0 of "
            "y, where b is broadcast",
        ),
        # no single slice is missing: a mask of ours, not of an axis
        (
            SUMMED * numpy.array([[1.0], [1], [0], [0], [1], [1]]),
            "torch's J is right where it is not 0: the backward masks too much",
        ),
    ],
)
def test_an_axis_that_is_not_summed(found: numpy.ndarray, words: str) -> None:
    assert diagnose(Backward(found, SUMMED, output=Y, input=B), FORM) == words


def test_a_scalar_that_is_broadcast_over_two_axes() -> None:
    truth = numpy.array([[1.0], [2], [3], [4], [5], [6]])
    found = truth * numpy.array([[0.0], [0], [0], [0], [1], [0]])
    backward = Backward(found, truth, output=Y, input=Elements("k", ()))
    assert diagnose(backward, FORM) == (
        "the backward does not sum over axes 0 and 1 of y, where k is broadcast: "
        "only the part at index 1 and 1 is there"
    )


def test_gradients_of_two_inputs_exchanged() -> None:
    other = 3 * WIDE[:, ::-1] + 1
    x, w = Elements("x", (3,)), Elements("w", (3,))
    theirs = Backward(WIDE, other, input=w)
    assert diagnose(Backward(other, WIDE, input=x, others=(theirs,)), FORM) == (
        "the gradients of x and w are swapped"
    )
    theirs = Backward(other, other, input=w)
    assert diagnose(Backward(other, WIDE, input=x, others=(theirs,)), FORM) == (
        "the gradient of x is that of w"
    )


def test_the_gradient_of_a_larger_input_is_summed_as_torch_sums_it() -> None:
    of_x = numpy.arange(1.0, 37).reshape(6, 6)
    # x: 2 x 3, b: 3
    theirs = Backward(of_x, of_x, output=Y, input=Elements("x", (2, 3)))
    found = of_x[:, :3] + of_x[:, 3:]
    backward = Backward(found, SUMMED, output=Y, input=B, others=(theirs,))
    assert diagnose(backward, FORM) == "the gradient of b is that of x"


def test_one_value_everywhere() -> None:
    assert diagnose(Backward(WIDE + 0.25, WIDE), FORM) == (
        "torch's J is off by the same 0.25 in every entry"
    )
    truth = numpy.diag([1.0, 2.0, 4.0])
    assert diagnose(Backward(truth - numpy.eye(3), truth), FORM) == (
        "torch's J is off by the same -1 in every entry that is not 0"
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ([[0, 1, 0], [0, 1, 0], [0, 1, 0]], "in the column of x[1] alone"),
        ([[0, 0, 0], [0, 0, 0], [1, 1, 1]], "in the row of y[2] alone"),
        ([[0, 0, 0], [0, 0, 0], [1, 0, 1]], "in the row of y[2] alone"),
    ],
)
def test_a_place_that_is_off(change: list[list[float]], words: str) -> None:
    found = TRUTH * (1 + 1e-7 * numpy.array(change))
    assert diagnose(Backward(found, TRUTH), FORM) == (
        f"torch's J is off {words}, by a relative 1e-07"
    )


def test_a_number_where_the_truth_is_0() -> None:
    found = WIDE.copy()
    found[1, 1] = 0.5
    assert diagnose(Backward(found, WIDE), FORM) == (
        "torch's J is off at ∂y[1]/∂x[1] alone, by 0.5 where the truth is 0"
    )


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_backward_in_another_dtype(dtype: str) -> None:
    truth = numpy.array([[0.1, 0.7, -0.3], [1.1, 2.3, 0.9]])
    found = torch.tensor(truth).to(getattr(torch, dtype)).double().numpy()
    assert diagnose(Backward(found, truth), FORM) == (
        f"the backward is computed in {dtype}, of which all of its numbers are"
    )
    # one number that is none of the dtype's
    found[0, 1] = 0.7 * (1 + 1e-12)
    assert "computed in" not in diagnose(Backward(found, truth), FORM)
    # errors beyond its rounding
    assert "computed in" not in diagnose(Backward(numpy.ones((2, 3)), truth), FORM)


def test_a_product_alone() -> None:
    row = numpy.array([[1.0, -2.0, 4.0]])
    assert diagnose(Backward(-row, row, product=True), FORM) == "torch's vᵀJ has the wrong sign"
    assert diagnose(Backward(row * [1, 1.5, 1], row, product=True), FORM) == (
        "torch's vᵀJ is off at x[1] alone, by a relative 0.5"
    )


def test_few_digits_allow_few_claims() -> None:
    # in bfloat16 a hundredth is within rounding, a tenth is not
    form = FORMATS["bfloat16"]
    assert diagnose(Backward(1.01 * WIDE, WIDE), form) == ""
    assert diagnose(Backward(-1.1 * WIDE, WIDE), form) == "torch's J is -1.1 times the true one"
    float32 = FORMATS["float32"]
    assert diagnose(Backward(1.0001 * WIDE, WIDE), float32) == (
        "torch's J is 1.0001 times the true one"
    )


def test_small_rows_are_compared_as_closely_as_large_ones() -> None:
    truth = numpy.array([[1e12, 2e12, -3e12], [1.0, 2.0, 5.0]])
    found = -truth
    found[1, 2] = 7.0
    assert diagnose(Backward(found, truth), FORM) == ""


def test_nothing_is_claimed_of_nothing() -> None:
    empty = numpy.zeros((0, 3))
    assert diagnose(Backward(empty, empty), FORM) == ""
    assert diagnose(Backward(0 * WIDE, 0 * WIDE), FORM) == ""


def test_without_time_the_place_is_named_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Negated(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, grad_output):
            return -2 * grad_output

    def found() -> Report:
        return inspect(lambda x: Negated.apply(x), {"x": [1.0, 3.0]}, v=[1.0, 0.5])

    def late(*arguments: object) -> None:
        raise OutOfTime

    [note] = [note for note in found().notes if "the backward for x" in note]
    assert "has the wrong sign" in note
    monkeypatch.setattr(diagnosis, "_dense", late)
    report = found()
    assert report.verdict == "wrong"
    [note] = [note for note in report.notes if "the backward for x" in note]
    assert "sign" not in note
    assert "look at" in note
