"""Rows that make tensors: their result depends on shapes and numbers, not on an input's values."""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op


def _full(size: Any, fill_value: Any, *, dtype: Any = None) -> Any:
    if not hasattr(fill_value, "shape"):
        return torch.full(size, fill_value, dtype=dtype)
    filled = fill_value.expand(tuple(size))
    return filled if dtype is None else filled.to(dtype)


def _full_like(input: Any, fill_value: Any, *, dtype: Any = None) -> Any:
    return _full(tuple(input.shape), fill_value, dtype=dtype or input.dtype)


def _constant(name: str, path: str, *samples: str) -> Op:
    return Op(name, path, Kind.CONSTANT, samples=samples)


ROWS: tuple[Op, ...] = (
    _constant("zeros", "zeros", "zeros(2, 3)", "x + zeros((2, 3))"),
    _constant("ones", "ones", "ones(2, 3)", "x + ones(3)"),
    _constant("eye", "eye", "eye(3)", "x @ eye(3, 4, dtype=torch.float64)"),
    _constant("arange", "arange", "arange(3)", "b*arange(1, 7, 2)"),
    _constant("linspace", "linspace", "b*linspace(0, 1, 3, dtype=torch.float64)"),
    _constant("logspace", "logspace", "b*logspace(0, 2, 3, dtype=torch.float64)"),
    Op(
        "tensor",
        "tensor",
        Kind.CONSTANT,
        samples=("b*tensor([1.0, 2.0, 3.0], dtype=torch.float64)",),
        note="copies values, so no derivative passes through it",
        lists=True,
    ),
    _constant("zeros_like", "zeros_like", "x + zeros_like(y)"),
    _constant("ones_like", "ones_like", "x*ones_like(x)"),
    _constant("new_zeros", "Tensor.new_zeros", "x + x.new_zeros(2, 3)", "x + b.new_zeros((2, 3))"),
    _constant("new_ones", "Tensor.new_ones", "x + x.new_ones(3)", "x*s.new_ones((2, 1))"),
    _constant(
        "new_full", "Tensor.new_full", "x*x.new_full((3,), 1.5)", "b + x.new_full((2, 1), 2)"
    ),
    Op(
        "full",
        "full",
        Kind.COMPOSITE,
        _full,
        ("full((2, 3), 1.5)", "b*full((3,), 0.5, dtype=torch.float64)"),
        note="torch cuts the graph where the value that fills is a tensor",
    ),
    Op(
        "full_like",
        "full_like",
        Kind.COMPOSITE,
        _full_like,
        ("x*full_like(x, 1.5)", "full_like(b, 2.0)"),
        note="torch cuts the graph where the value that fills is a tensor",
    ),
    _constant("tril_indices", "tril_indices", "tril_indices(2, 3)", "tril_indices(2, 3, -1)"),
    _constant("triu_indices", "triu_indices", "triu_indices(2, 3)", "triu_indices(2, 3, 1)"),
    _constant("one_hot", "nn.functional.one_hot", "one_hot(j)", "x*one_hot(j, num_classes=3)"),
)
