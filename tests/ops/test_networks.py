"""The rows of networks, against torch's kernels and torch's own derivatives."""

import pytest
import torch

from tests.ops.samples import sample_inputs
from tests.ops.test_arrays import THROUGH_TORCH, agree
from vjp_cli.ops import (
    convolutions,
    embeddings,
    fourier,
    likelihood_losses,
    margin_losses,
    pooling,
    random_layers,
    recurrent,
    resizing,
    sampling,
    scatter,
    sequence_losses,
)
from vjp_cli.ops.table import Op

MODULES = (
    likelihood_losses,
    margin_losses,
    convolutions,
    pooling,
    resizing,
    sampling,
    sequence_losses,
    embeddings,
    random_layers,
    recurrent,
    scatter,
    fourier,
)
SAMPLES = [
    pytest.param(op, sample, id=sample)
    for module in MODULES
    for op in module.ROWS
    for sample in op.samples
]


@pytest.mark.parametrize(("op", "sample"), SAMPLES)
def test_the_rule_computes_what_torch_computes(op: Op, sample: str) -> None:
    agree(sample, sample_inputs(op, seed=3))


@pytest.mark.parametrize(("op", "sample"), SAMPLES)
def test_torch_leads_its_own_call_to_the_rule(op: Op, sample: str) -> None:
    agree(sample, sample_inputs(op, seed=4), THROUGH_TORCH)


SHAPES = [
    ("conv1d(x, ones(2, 1, 1).double())", (0, 1, 3)),
    ("conv2d(x, x[:, :1], padding=(1, 0))", (1, 1, 4, 1)),
    ("conv_transpose1d(x, x.transpose(0, 1), stride=3)", (1, 2, 1)),
    ("max_pool1d(x, 2)", (0, 2, 3)),
    ("max_pool1d(x, 1, 2)", (1, 1, 1)),
    ("avg_pool2d(x, (1, 2))", (0, 1, 2, 3)),
    ("adaptive_avg_pool1d(x, 1)", (2, 3, 1)),
    ("adaptive_max_pool2d(x, (1, 3))", (1, 1, 5, 4)),
    ("interpolate(x, 3, mode='linear')", (0, 1, 2)),
    ("interpolate(x, (2, 3), mode='bicubic')", (1, 2, 1, 1)),
    ("interpolate(x, (3, 1))", (2, 1, 1, 4)),
    ("irfft(x)", (1, 4)),
    ("irfft(x, 1)", (3, 2)),
    ("hfft(x)", (2,)),
    ("fftshift(x)", (0, 3)),
    ("scatter_reduce(x, 0, tensor([0, 0]), x[:2], 'mean')", (3,)),
    ("scatter_reduce(x, 0, tensor(0), x, 'sum')", ()),
    ("embedding(tensor([0, 0]), x)", (1, 4)),
    ("dropout(x, 0.0)", ()),
    ("rrelu(x)", (0, 2)),
]


@pytest.mark.parametrize(("expression", "shape"), SHAPES, ids=[f"{e} {s}" for e, s in SHAPES])
def test_other_shapes(expression: str, shape: tuple[int, ...]) -> None:
    generator = torch.Generator().manual_seed(5)
    agree(expression, {"x": torch.randn(shape, generator=generator, dtype=torch.float64)})
