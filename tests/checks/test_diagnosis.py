"""The relation of a wrong J to the true one is named only where every entry fits."""

import numpy
import pytest

from vjp_cli.checks.diagnosis import Backward, diagnose
from vjp_cli.numbers.dtypes import FORMATS

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
        (WIDE[::-1], WIDE, "the rows of torch's J are in reverse order"),
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
        # one entry off fits nothing
        (WIDE + numpy.array([[0, 0, 0.1], [0, 0, 0]]), WIDE, ""),
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


def test_nothing_is_claimed_of_nothing() -> None:
    empty = numpy.zeros((0, 3))
    assert diagnose(Backward(empty, empty), FORM) == ""
    assert diagnose(Backward(0 * WIDE, 0 * WIDE), FORM) == ""
