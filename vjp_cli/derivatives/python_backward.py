"""The backwards in torch's graph that were written in Python, and so are on trial themselves."""

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from vjp_cli.derivatives.graph import behind
from vjp_cli.lazy import torch


@dataclass(frozen=True)
class PythonBackward:
    """The backward of one custom ``autograd.Function``, by name and place; it is never run here.

    Attributes:
        function: the class.
        file: as Python knows it, "" where it does not.
        line: the first line of the backward, its decorators included.
        arguments: for each input the positions, among what the Function was called with, that
            depend on it; only where there is no other Function.
    """

    function: type
    file: str = ""
    line: int = 0
    arguments: Mapping[str, tuple[int, ...]] = field(default_factory=dict, compare=False)

    @property
    def name(self) -> str:
        """The name of the Function."""
        return self.function.__name__


def python_backwards(
    output: "torch.Tensor", leaves: "Mapping[str, torch.Tensor]"
) -> tuple[PythonBackward, ...]:
    """Every custom Function behind ``output``, once each however often it was called."""
    names = {id(leaf): name for name, leaf in leaves.items()}
    custom = torch.autograd.function.BackwardCFunction
    nodes = [node for node in behind(output.grad_fn) if isinstance(node, custom)]
    found = [_described(node) for node in nodes]
    if len(set(found)) != 1:
        return tuple(dict.fromkeys(found))
    arguments: dict[str, tuple[int, ...]] = {}
    for node in nodes:
        for name, position in _arguments(node, names):
            arguments[name] = tuple(sorted({*arguments.get(name, ()), position}))
    return (replace(found[0], arguments=arguments),)


def _described(node: Any) -> PythonBackward:
    function = getattr(type(node), "_forward_cls", type(node))
    method = getattr(function, "backward", None)
    if getattr(method, "__qualname__", "").startswith("_SingleLevelFunction."):
        # the Function has its backward under the other name
        method = getattr(function, "vjp", None)
    # once_differentiable wraps the user's own
    code = getattr(inspect.unwrap(method), "__code__", None) if callable(method) else None
    if code is None:
        return PythonBackward(function)
    return PythonBackward(function, code.co_filename, code.co_firstlineno)


def _arguments(node: Any, names: Mapping[int, str]) -> Iterator[tuple[str, int]]:
    """Each input with the position of an argument through which it is reached."""
    # an edge for each tensor, but only those with a gradient lead on
    edges = [parent for parent, _ in node.next_functions if parent is not None]
    positions = [k for k, needed in enumerate(node.needs_input_grad) if needed]
    if len(edges) != len(positions):
        return
    for position, edge in zip(positions, edges, strict=True):
        for end in behind(edge):
            name = names.get(id(getattr(end, "variable", None)))
            if name is not None:
                yield name, position
