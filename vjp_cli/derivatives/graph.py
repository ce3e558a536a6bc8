"""Torch's graph of one output: its nodes, and what their names tell about costs."""

from collections import deque
from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple


def behind(end: Any) -> Iterator[Any]:
    """All nodes of the graph from one of them on, each once."""
    seen: set[Any] = set()
    waiting = deque([end])
    while waiting:
        node = waiting.popleft()
        if node is None or node in seen:
            continue
        seen.add(node)
        yield node
        waiting.extend(parent for parent, _ in node.next_functions)


class Traits(NamedTuple):
    """What a backward pass through a graph will do.

    Attributes:
        alike: whether a batch of cotangents goes through the very formulas that one goes through.
        products: whether matrix products are among them, which gain by a large batch.
        widest: the most elements of a cotangent on the way.
    """

    alike: bool
    products: bool
    widest: int


def traits(output: Any) -> Traits:
    """The traits of the graph behind ``output``."""
    names, widest = set(), 0
    for node in behind(output.grad_fn):
        names.add(node.name().rstrip("0123456789"))
        for each in getattr(node, "_input_metadata", ()):
            widest = max(widest, prod(each.shape))
    return Traits(names <= _ALIKE, bool(names & _PRODUCTS), widest)


_PRODUCTS = {
    f"{name}Backward"
    for name in ("Mv", "Mm", "Addmm", "Addmv", "Bmm", "Baddbmm", "Linear", "Dot", "Convolution")
}
# element by element, data movement, sums and products: their formulas have no branch that torch
# takes in another way under vmap (as those of prod, norm and cumprod have)
_ALIKE = {"torch::autograd::AccumulateGrad"} | {
    f"{name}Backward"
    for name in (
        *("Add", "Sub", "Rsub", "Mul", "Div", "Neg", "Reciprocal", "Pow", "Sqrt", "Rsqrt"),
        *("Exp", "Expm1", "Log", "Log1P", "Log2", "Log10", "Exp2", "Sin", "Cos", "Tan"),
        *("Sinh", "Cosh", "Tanh", "Asin", "Acos", "Atan", "Asinh", "Acosh", "Atanh"),
        *("Sigmoid", "LogSigmoid", "Erf", "Erfc", "Abs", "Relu", "Softplus", "Silu", "Gelu"),
        *("Sum", "Mean", "Softmax", "LogSoftmax", "Logsumexp", "Mv", "Mm", "Dot"),
        *("Slice", "Select", "Index", "View", "Reshape", "UnsafeView", "Permute", "T"),
        *("Transpose", "Unsqueeze", "Squeeze", "Expand", "Cat", "Stack", "Flip", "Roll"),
        *("Clone", "Alias", "ReshapeAlias", "ToCopy", "Unbind", "Split", "Where"),
    )
}
