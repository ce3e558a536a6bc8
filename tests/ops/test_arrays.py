"""The rows that work on whole arrays, against torch's kernels and torch's own derivatives."""

import inspect
from functools import partial
from typing import Any

import pytest
import torch
from torch.utils._pytree import tree_leaves

from tests.ops.interpreter import EVERY_ROW, Interpreted, apply
from tests.ops.samples import evaluate, sample_inputs, torch_function
from vjp_cli.ops import (
    attention,
    contractions,
    einsum,
    factories,
    indexing,
    movement,
    normalisation,
    norms,
    ordering,
    quantiles,
    reductions,
    scans,
    softmaxes,
    statistics,
)
from vjp_cli.ops.table import Kind, Op

MODULES = (
    movement,
    indexing,
    factories,
    reductions,
    scans,
    softmaxes,
    norms,
    ordering,
    contractions,
    einsum,
    normalisation,
    quantiles,
    statistics,
    attention,
)
ROWS = tuple(row for module in MODULES for row in module.ROWS)
SAMPLES = [pytest.param(op, sample, id=sample) for op in ROWS for sample in op.samples]
KERNELS = {name: torch_function(op.torch) for op in EVERY_ROW for name in op.names}
RULES = {name: partial(apply, op) for op in EVERY_ROW for name in op.names}
# torch's own functions, which find their way to the rules; methods need a tensor's method form
THROUGH_TORCH = {
    name: RULES[name] if op.torch.startswith("Tensor.") else KERNELS[name]
    for op in EVERY_ROW
    for name in op.names
}


def agree(expression: str, inputs: dict[str, torch.Tensor], functions: Any = RULES) -> None:
    """Assert that the rules give the value and the vᵀJ that torch's kernel gives."""
    leaves = {
        name: value.detach().requires_grad_() if value.is_floating_point() else value
        for name, value in inputs.items()
    }
    differentiable = [value for value in leaves.values() if value.requires_grad]
    traced = {
        name: Interpreted(value) if value.requires_grad else value for name, value in leaves.items()
    }
    # float('inf') in an expression is Python's, not the row that converts tensors
    expected = tree_leaves(evaluate(expression, leaves, KERNELS | {"float": float}))
    found = tree_leaves(evaluate(expression, traced, functions | {"float": float}))
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        value = ours.value if isinstance(ours, Interpreted) else ours
        assert (value.dtype, value.shape) == (theirs.dtype, theirs.shape)
        torch.testing.assert_close(value, theirs, rtol=1e-12, atol=1e-13, equal_nan=True)
        if theirs.requires_grad:
            v = torch.linspace(0.5, 1.7, theirs.numel(), dtype=theirs.dtype).reshape(theirs.shape)
            torch.testing.assert_close(
                vjp(value, differentiable, v),
                vjp(theirs, differentiable, v),
                rtol=1e-12,
                atol=1e-12,
            )


def vjp(y: torch.Tensor, inputs: list[torch.Tensor], v: torch.Tensor) -> tuple[Any, ...]:
    if not y.requires_grad:
        return tuple(torch.zeros_like(x) for x in inputs)
    return torch.autograd.grad(y, inputs, v, retain_graph=True, materialize_grads=True)


@pytest.mark.parametrize(("op", "sample"), SAMPLES)
def test_the_rule_computes_what_torch_computes(op: Op, sample: str) -> None:
    agree(sample, sample_inputs(op, seed=3))


@pytest.mark.parametrize(("op", "sample"), SAMPLES)
def test_torch_leads_its_own_call_to_the_rule(op: Op, sample: str) -> None:
    agree(sample, sample_inputs(op, seed=4), THROUGH_TORCH)


@pytest.mark.parametrize("op", ROWS, ids=lambda op: op.name)
def test_a_row_names_a_torch_function_and_shows_how_it_is_called(op: Op) -> None:
    assert callable(torch_function(op.torch))
    assert op.samples
    if op.kind is not Kind.MOVE:
        ruled = op.kind in (Kind.SUM, Kind.COMPOSITE)
        assert (op.rule is not None) == ruled


def test_names_are_unique() -> None:
    names = [name for op in EVERY_ROW for name in op.names]
    assert sorted(set(names)) == sorted(names)


SHAPES = [
    ("x.sum()", ()),
    ("x.sum(0)", (0, 3)),
    ("x.sum(1)", (0, 3)),
    ("x.sum((0, 2), keepdim=True)", (2, 1, 3)),
    ("x.mean(-1)", (4, 1)),
    ("x.prod(0)", (0, 3)),
    ("x.prod(1)", (2, 7)),
    ("x.cumsum(1)", (2, 0)),
    ("x.cumsum(-2)", (3, 1, 2)),
    ("x.cumprod(0)", (5, 2)),
    ("trace(x)", (0, 3)),
    ("trace(x)", (4, 1)),
    ("x.flip(0)", (0, 2)),
    ("x.roll(2, 0)", (1, 3)),
    ("x.permute(2, 0, 1)", (2, 1, 3)),
    ("x.squeeze()", (1, 3, 1)),
    ("x.expand(4, -1, 3)", (2, 1)),
    ("x.repeat(0, 2)", (2, 3)),
    ("cat((x, x), 1)", (2, 0)),
    ("stack((x, x))", (0,)),
    ("diag(x)", (0,)),
    ("diagonal(x, 3)", (2, 3)),
    ("tril(x)", (1, 4)),
    ("x.split(2)[2]", (5, 2)),
    ("x.chunk(3, 1)[1]", (2, 7)),
    ("pad(x, (0, 1, 2, 0))", (0, 3)),
    ("softmax(x, 1)", (0, 3)),
    ("log_softmax(x, 0)", (1, 3)),
    ("logsumexp(x, 1)", (3, 1)),
    ("x.amax((0, 2))", (2, 3, 4)),
    ("x.max(1).values", (4, 1)),
    ("x.sort(0).values", (0, 3)),
    ("x.sort().values", ()),
    ("x.topk(1).values", ()),
    ("x.median(0).values", (4, 3)),
    ("x.cummax(0).values", (7, 2)),
    ("x.var(0)", (5, 1)),
    ("linalg.norm(x, dim=(0, 2))", (2, 3, 4)),
    ("linalg.matrix_norm(x, 1)", (2, 3, 4)),
    ("norm(x)", ()),
    ("einsum('bij,bkj->bik', x, x)", (2, 3, 4)),
    ("einsum('iji->j', x)", (2, 3, 2)),
    ("x @ x.transpose(1, 2)", (2, 3, 4)),
    ("outer(x, x)", (0,)),
    ("layer_norm(x, (1,))", (3, 1)),
    ("scatter_add(x, 0, tensor(0), x)", ()),
    ("index_add(x, 0, tensor(0), x)", ()),
    ("gather(x, 0, tensor([[0], [0]]))", (1, 3)),
    ("x.unfold(0, 3, 2)", (8, 2)),
]


@pytest.mark.parametrize(("expression", "shape"), SHAPES, ids=[f"{e} {s}" for e, s in SHAPES])
def test_other_shapes(expression: str, shape: tuple[int, ...]) -> None:
    generator = torch.Generator().manual_seed(5)
    agree(expression, {"x": torch.randn(shape, generator=generator, dtype=torch.float64)})


def test_a_quantile_of_a_traced_rank() -> None:
    agree("quantile(x, s, dim=1)", sample_inputs(ROWS[0], 3) | {"s": torch.tensor(0.3).double()})


def test_composites_take_the_arguments_of_torch_by_the_same_names() -> None:
    for op in ROWS:
        function = torch_function(op.torch)
        if op.kind is Kind.COMPOSITE and inspect.isfunction(function):
            ours = [p for p in inspect.signature(op.rule).parameters if p != "operands"]
            theirs = list(inspect.signature(function).parameters)
            assert set(ours) <= set(theirs) or op.name == "einsum", op.name
