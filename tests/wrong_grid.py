"""The grid of planted faults: kinds × sizes × extents × dtypes over functions of several shapes."""

from collections.abc import Callable, Iterator
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
        coarse=False,
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
    # a square J that is neither diagonal nor symmetric
    Forward(
        "mixed",
        {"x": [0.5, 1.25, 2.0]},
        [1.0, 3.0, 7.0],
        lambda x: x * x.roll(1),
        lambda v, x: (v * x.roll(1) + (v * x).roll(-1),),
    ),
    Forward("dense", {"x": [0.5, 1.25, 2.0]}, [1.0, 3.0, 7.0], lambda x: x / x.sum(), _share),
)


def _rolled(right: Right, v: Tensor) -> Tensor:
    gradient = right(v)
    return gradient.reshape(-1).roll(1).reshape(gradient.shape)


def _of_matrix(change: Callable[[Tensor], Tensor]) -> Callable[[Right, Tensor], Tensor]:
    """vᵀ·change(J), from the J whose rows the right backward gives."""

    def wrong(right: Right, v: Tensor) -> Tensor:
        units = torch.eye(v.numel(), dtype=v.dtype).reshape(-1, *v.shape)
        gradients = torch.stack([right(unit) for unit in units])
        changed = change(gradients.reshape(v.numel(), -1))
        return (v.reshape(-1) @ changed).reshape(gradients.shape[1:])

    return wrong


def _for_ones(matrix: Tensor) -> Tensor:
    """Rows that are off by numbers that add up to 0 in each column."""
    off = torch.zeros_like(matrix)
    off[0], off[1] = matrix[0] + 1, -matrix[0] - 1
    return matrix + off


def _swapped(right: Right, v: Tensor) -> Tensor:
    gradient = right(v).clone()
    flat = gradient.reshape(-1)
    first = flat[0].clone()
    flat[0], flat[1] = flat[1], first
    return gradient


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
    Fault(
        "cut",
        lambda right, v: 0 * right(v),
        "torch's J is 0: the graph is cut",
    ),
    Fault(
        "transposed",
        _of_matrix(lambda j: j.T),
        "torch's J is transposed",
        forwards=("dense", "mixed"),
    ),
    Fault(
        "symmetrised",
        _of_matrix(lambda j: (j + j.T) / 2),
        "torch's J is symmetrised",
        coarse=False,
        forwards=("dense", "mixed"),
    ),
    Fault(
        "columns",
        _swapped,
        "the columns of torch's J for x[0] and x[1] are swapped",
        {
            "matrix": "the columns of torch's J for x[0,0] and x[0,1] are swapped",
            "broadcast": "the columns of torch's J for b[0] and b[1] are swapped",
        },
        forwards=("line", "lossy", "matrix", "broadcast", "dense"),
    ),
    Fault(
        "mean",
        lambda right, v: right(v) / v.shape[0],
        "torch's J is 1/2 times the true one, like a mean",
        forwards=("broadcast",),
    ),
    Fault(
        "ones only",
        _of_matrix(_for_ones),
        "torch's J is right for v = ones only",
        coarse=False,
        forwards=("line", "matrix", "dense", "mixed"),
    ),
)


def grid() -> Iterator[Case]:
    """Every fault × size × extent × dtype that shows it, on two functions each, in turn."""
    kinds = product(VISIBLE, FAULTS, (1.0, *SIZES), (False, True))
    for turn, (dtype, fault, size, alone) in enumerate(kinds):
        able = [f for f in FORWARDS if f.name in fault.forwards or not fault.forwards]
        for place in {(turn + step) % len(able) for step in (0, 3)}:
            case = Case(able[place], fault, size, alone, dtype)
            if size > VISIBLE[dtype] and case.places()[0]:
                yield case


CASES = tuple(grid())
