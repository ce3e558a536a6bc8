"""Dense and sparse matrices answer alike."""

import math

import numpy
import pytest
import torch

from vjp_cli.derivatives.matrices import Dense, Sparse, TorchMatrix

# [[0, 2, 0], [-3, 0, 0]], listed in no order
SPARSE = Sparse(
    (2, 3), numpy.array([1, 0]), numpy.array([0, 1]), torch.tensor([-3.0, 2.0], dtype=torch.float32)
)
BOTH = [SPARSE, Dense(torch.tensor([[0.0, 2, 0], [-3, 0, 0]]))]


@pytest.mark.parametrize("matrix", BOTH)
def test_answers(matrix: TorchMatrix) -> None:
    assert matrix.shape == (2, 3)
    rows, columns = numpy.array([0, 0, 1, 1]), numpy.array([1, 2, 0, 2])
    assert matrix.at(rows, columns).tolist() == [2, 0, -3, 0]
    assert sorted(zip(*(part.tolist() for part in matrix.nonzero()), strict=True)) == [
        (0, 1),
        (1, 0),
    ]
    assert matrix.pulled(torch.tensor([10.0, 1])).tolist() == [-3, 20, 0]
    assert matrix.sizes().pulled(torch.tensor([10.0, 1])).tolist() == [3, 20, 0]
    assert matrix.pushed(torch.tensor([1.0, 5, 7])).tolist() == [10, -3]
    assert matrix.pushed(torch.tensor([1.0, 5, 7])).dtype == torch.float64
    assert matrix.dense().tolist() == [[0, 2, 0], [-3, 0, 0]]
    assert sorted(matrix.values()[matrix.values() != 0].tolist()) == [-3, 2]


@pytest.mark.parametrize(
    "matrix",
    [
        Dense(torch.tensor([[math.nan, 2.0], [4.0, 0.0]])),
        Sparse(
            (2, 2), numpy.array([0, 0, 1]), numpy.array([0, 1, 0]), torch.tensor([math.nan, 2, 4])
        ),
    ],
)
def test_what_is_not_finite(matrix: TorchMatrix) -> None:
    assert matrix.pulled(torch.tensor([0.0, 1])).tolist() == [4, 0]
    assert math.isnan(matrix.pulled(torch.tensor([1.0, 1]))[0])
    assert matrix.ordinary().pulled(torch.tensor([1.0, 1])).tolist() == [4, 2]


def test_nothing() -> None:
    nothing = numpy.zeros(0, dtype=int)
    empty = Sparse((0, 3), nothing, nothing, torch.zeros(0))
    assert empty.pulled(torch.zeros(0)).tolist() == [0, 0, 0]
    assert empty.at(nothing, nothing).tolist() == []
    assert not empty.has(numpy.array([0]), numpy.array([0])).any()
