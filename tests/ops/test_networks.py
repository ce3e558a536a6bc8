"""The rows of networks, against torch's kernels and against numbers worked out by hand."""

import pytest

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
