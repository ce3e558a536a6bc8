"""The grid of planted faults: kinds × sizes × extents × dtypes over functions of several shapes."""

from collections.abc import Iterator
from itertools import product

import torch

from tests.wrong_backwards import VISIBLE, Case, Fault, Forward, Right, Tensor

SIZES = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-11)


def _share(v: Tensor, x: Tensor) -> tuple[Tensor, ...]:
    return (v / x.sum() - (v * x).sum() / x.sum() ** 2,)


LINE = [0.5, 1.25, -2.0]
MATRIX = [[0.5, 1.25, -2.0], [0.75, -1.5, 3.0]]
TABLE = [[1.0, 3.0, 7.0], [2.0, 5.0, 11.0]]
CUBE = [[[0.5, 1.25]], [[-0.75, 0.25]]]

FORWARDS = (
    Forward("line", {"x": LINE}, [1.0, 10.0, 100.0], torch.sin, lambda v, x: (v * torch.cos(x),)),
    # loses some digits by itself
    Forward(
        "lossy",
        {"x": [0.5, -1.5, 3.0]},
        [1.0, 10.0, 100.0],
        torch.tanh,
        lambda v, x: (v * (1 - torch.tanh(x) ** 2),),
    ),
    Forward(
        "matrix",
        {"x": MATRIX},
        TABLE,
        lambda x: x * torch.exp(x),
        lambda v, x: (v * (1 + x) * torch.exp(x),),
    ),
    Forward(
        "product",
        {"k": MATRIX, "x": [5.0, 7.0, 1.5]},
        [1.0, 10.0],
        torch.matmul,
        lambda v, k, x: (v[:, None] * x, k.T @ v),
        "k",
    ),
    Forward(
        "broadcast",
        {"x": MATRIX, "b": [5.0, 7.0, 1.5]},
        TABLE,
        lambda x, b: x * b,
        lambda v, x, b: (v * b, (v * x).sum(0)),
        "b",
    ),
    Forward(
        "scalar",
        {"k": 3.0, "x": CUBE},
        [[[1.0, 3.0]], [[7.0, 2.0]]],
        lambda k, x: k * torch.exp(x),
        lambda v, k, x: ((v * x.exp()).sum(), v * k * x.exp()),
        "k",
    ),
    Forward("dense", {"x": [0.5, 1.25, 2.0]}, [1.0, 3.0, 7.0], lambda x: x / x.sum(), _share),
)


def _rolled(right: Right, v: Tensor) -> Tensor:
    gradient = right(v)
    return gradient.reshape(-1).roll(1).reshape(gradient.shape)


_SLICE = "the backward does not sum over axis 0 of y, where {} is broadcast"
FAULTS = (
    Fault("factor", lambda right, v: 2 * right(v), "torch's J is 2 times the true one"),
    Fault("sign", lambda right, v: -right(v), "torch's J has the wrong sign"),
    Fault(
        "term",
        lambda right, v: right(v) + v.sum(),
        "torch's J is off by the same 1 in every entry",
        coarse=False,
    ),
    Fault(
        "rolled",
        _rolled,
        "the columns of torch's J are rolled by 1",
        {
            "matrix": "the columns of torch's J are permuted",
            "product": "the columns of torch's J are permuted",
            # of one element: no fault at all
            "scalar": "",
        },
    ),
    Fault(
        "ignored",
        lambda right, v: right(torch.ones_like(v)),
        "the backward ignores the cotangent",
        # the outputs of x/Σx add up to 1
        {"dense": "torch's J is 0"},
    ),
    Fault("squared", lambda right, v: right(v * v), "the cotangent (grad_output) enters twice"),
    Fault(
        "part",
        lambda right, v: right(torch.cat([v[:-1], 0 * v[-1:]])),
        "torch's J is right where it is not 0",
        {"broadcast": _SLICE.format("b"), "scalar": _SLICE.format("k")},
        coarse=False,
    ),
    Fault(
        "flipped",
        lambda right, v: right(v.flip(0)),
        "the rows of torch's J are in reverse order",
        {
            "matrix": "the rows of torch's J for y[0,:] and y[1,:] are swapped",
            "product": "the rows of torch's J for y[0] and y[1] are swapped",
            "broadcast": "the rows of torch's J for y[0,:] and y[1,:] are swapped",
            "scalar": "the rows of torch's J for y[0,:,:] and y[1,:,:] are swapped",
        },
    ),
)


def grid() -> Iterator[Case]:
    """Every fault × size × extent × dtype that shows it, on two functions each, in turn."""
    kinds = product(VISIBLE, FAULTS, (1.0, *SIZES), (False, True))
    for turn, (dtype, fault, size, alone) in enumerate(kinds):
        for step in (0, 3):
            case = Case(FORWARDS[(turn + step) % len(FORWARDS)], fault, size, alone, dtype)
            if size > VISIBLE[dtype] and case.places()[0]:
                yield case


CASES = tuple(grid())
