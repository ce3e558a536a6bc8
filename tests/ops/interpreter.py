"""A tensor-like that computes with the rules of the operation table alone.

It stands where the program's tracer stands: torch's functions reach it through
``__torch_function__``, composites unfold, and moves and sums go by way of positions. Whatever is
elementwise is left to torch, so that autograd can differentiate the whole.
"""

import importlib
import pkgutil
from typing import Any

import torch
from torch.utils._pytree import tree_map

import vjp_cli.ops
from tests.ops.samples import torch_function
from vjp_cli.ops.table import Kind, Op

EVERY_ROW: tuple[Op, ...] = tuple(
    row
    for module in pkgutil.iter_modules(vjp_cli.ops.__path__)
    if module.name != "catalog"
    for row in getattr(importlib.import_module(f"vjp_cli.ops.{module.name}"), "ROWS", ())
)
BY_NAME = {name: op for op in EVERY_ROW for name in op.names}
BY_FUNCTION = {torch_function(op.torch): op for op in EVERY_ROW}
# operators and conversions, which the program reaches without a row's name
OPERATORS = (
    *("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "rdiv", "pow", "rpow"),
    *("matmul", "rmatmul", "neg", "invert", "lt", "le", "gt", "ge", "eq", "ne", "and", "or"),
    *("getitem", "mod"),
)
CONVERSIONS = ("to", "conj", "double")
SPELLING = {"truediv": "true_divide", "getitem": "", "mod": "remainder"}


class Interpreted:
    """A real tensor whose operations are those of the table."""

    def __init__(self, value: torch.Tensor) -> None:
        self.value = value
        self.shape, self.ndim, self.dtype = value.shape, value.ndim, value.dtype
        self.device = value.device

    def numel(self) -> int:
        return self.value.numel()

    def __getattr__(self, name: str) -> Any:
        method = getattr(torch.Tensor, name)
        if not callable(method):
            return Interpreted(getattr(self.value, name))
        return lambda *args, **kwargs: call(method, (self, *args), kwargs)

    def __bool__(self) -> bool:
        raise TypeError("a traced value has no truth value")

    __hash__ = None

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None):
        return call(function, args, kwargs or {})


def _operator(dunder: str) -> Any:
    return lambda *args: call(getattr(torch.Tensor, dunder), args, {})


for _name in OPERATORS:
    setattr(Interpreted, f"__{_name}__", _operator(f"__{_name}__"))


def call(function: Any, args: Any, kwargs: Any) -> Any:
    """What the row of a torch function gives; an operation without a row is an error."""
    name = function.__name__.replace("linalg_", "linalg.")
    bare = name.strip("_")
    op = BY_FUNCTION.get(function) or BY_NAME.get(name) or BY_NAME.get(SPELLING.get(bare, bare))
    if op is not None:
        return apply(op, *args, **kwargs)
    if bare not in OPERATORS + CONVERSIONS:
        raise NotImplementedError(f"no row for {function}")
    return _wrapped(function(*_unwrapped(args), **_unwrapped(kwargs)), (args, kwargs))


def apply(op: Op, *args: Any, **kwargs: Any) -> Any:
    """The result of a row on interpreted and real arguments."""
    if op.kind is Kind.COMPOSITE:
        return op.rule(*args, **kwargs)
    if op.kind in (Kind.MOVE, Kind.SUM):
        return _by_position(op, args, kwargs)
    function = torch_function(op.torch)
    return _wrapped(function(*_unwrapped(args), **_unwrapped(kwargs)), (args, kwargs))


def _by_position(op: Op, args: Any, kwargs: Any) -> Any:
    bank = [torch.zeros(1, dtype=torch.float64)]

    def placed(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor) or not leaf.is_floating_point():
            return leaf
        start = sum(len(part) for part in bank)
        bank.append(leaf.reshape(-1).to(torch.float64))
        return torch.arange(start, start + leaf.numel()).reshape(leaf.shape)

    if op.name == "where":  # the one move that takes numbers beside tensors
        args = [torch.tensor(arg).double() if isinstance(arg, int | float) else arg for arg in args]
    positions = tree_map(placed, _unwrapped((args, kwargs)))
    rule = torch_function(op.torch) if op.rule is None else op.rule
    places = rule(*positions[0], **positions[1])
    values = torch.cat(bank)

    def gathered(leaf: torch.Tensor) -> Interpreted:
        assert leaf.dtype is torch.int64
        assert leaf.numel() == 0 or (leaf.min() >= 0 and leaf.max() < len(values))
        return Interpreted(values[leaf].sum(-1) if op.kind is Kind.SUM else values[leaf])

    return tree_map(gathered, places)


def _unwrapped(tree: Any) -> Any:
    return tree_map(lambda leaf: leaf.value if isinstance(leaf, Interpreted) else leaf, tree)


def _wrapped(result: Any, source: Any) -> Any:
    """Floating results of interpreted arguments are interpreted, masks and indices are real."""
    found: list[bool] = []
    tree_map(lambda leaf: found.append(isinstance(leaf, Interpreted)), source)
    return tree_map(
        lambda leaf: (
            Interpreted(leaf)
            if any(found) and isinstance(leaf, torch.Tensor) and leaf.is_floating_point()
            else leaf
        ),
        result,
    )
