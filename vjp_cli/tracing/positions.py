"""Data movement without rules: torch's own function runs on tensors of positions."""

from collections.abc import Callable
from typing import Any

from vjp_cli.lazy import numpy, torch
from vjp_cli.ops.table import Op
from vjp_cli.tracing.arguments import as_node, result_dtype
from vjp_cli.tracing.elementwise import Args, Kwargs
from vjp_cli.tracing.node import Node
from vjp_cli.tracing.registry import torch_function
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer


class Positions:
    """The data arguments of one call, replaced by tensors of their elements' positions from 1."""

    def __init__(self, tape: Tape, op: Op) -> None:
        self.tape = tape
        self.op = op
        self.nodes: list[Node] = []
        self.dtype = ""

    def call(self, args: Args, kwargs: Kwargs) -> Any:
        """What torch's function (or the row's rule) makes of the positions."""
        function = self.op.rule or torch_function(self.op)
        data = [value for value in flatten((args, kwargs)) if is_data(value)]
        self.dtype = result_dtype(data)
        return function(
            *[self.replace(value) for value in args],
            **{key: self.replace(value) for key, value in kwargs.items()},
        )

    def replace(self, value: Any, in_list: bool = False) -> Any:
        """An argument with its data replaced by positions; in a list of data, all tensors are."""
        if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
            data = any(is_data(item) for item in value)
            return type(value)(self.replace(item, data) for item in value)
        if not is_data(value) and not (in_list and isinstance(value, torch.Tensor)):
            return value
        start = 1 + sum(node.size for node in self.nodes)
        node = as_node(self.tape, value, self.dtype)
        self.nodes.append(node)
        return torch.arange(start, start + node.size).reshape(node.shape)

    def moved(self, index: "torch.Tensor") -> Tracer:
        """The elements at these positions."""
        shape = tuple(index.shape)
        flat = index.reshape(-1).numpy()
        return Tracer(self.tape, self.tape.move(self.nodes, flat, shape, self.dtype))

    def summed(self, index: "torch.Tensor") -> Tracer:
        """The sums over the last axis of the elements at these positions."""
        shape = tuple(index.shape[:-1])
        rows = index.reshape(-1, index.shape[-1]) if index.numel() else _no_terms(index)
        return Tracer(self.tape, self.tape.sum(self.nodes, rows.numpy(), shape, self.dtype))


def _no_terms(index: "torch.Tensor") -> "torch.Tensor":
    return index.new_zeros((int(numpy.prod(index.shape[:-1], dtype=int)), 0))


def is_data(value: Any) -> bool:
    """Whether an argument holds numbers of the function (not a mask, an index or a parameter)."""
    return isinstance(value, Tracer) or (
        isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())
    )


def flatten(value: Any) -> list[Any]:
    """The values in nested lists, tuples and dicts, in order."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (list, tuple)):
        return [inner for item in value for inner in flatten(item)]
    return [value]


def each_tensor(result: Any, wrap: Callable[["torch.Tensor"], Tracer]) -> Any:
    """The result with every tensor in it wrapped; tuples keep their field names."""
    if isinstance(result, torch.Tensor):
        return wrap(result)
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*[each_tensor(item, wrap) for item in result])
    return tuple(each_tensor(item, wrap) for item in result)
