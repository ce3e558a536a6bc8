"""A tensor-like that torch functions accept: it records what they would do.

torch hands every call that meets a ``Tracer`` to ``__torch_function__``; the operation table says
which row the called function is, and the row's kind how to trace it. A tracer has a shape, a dtype
and a device like a tensor, its operators and its methods.
"""

import operator
from collections.abc import Callable, Iterator
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.numbers.dtypes import is_complex_dtype
from vjp_cli.numbers.scalar import exact
from vjp_cli.tracing.node import Node
from vjp_cli.tracing.tape import Tape


class Untraceable(Exception):
    """The tracer met something it cannot follow; the message names it."""


# Set by ``rules``: torch function, positional and keyword arguments -> result. The rules need this
# class and this class needs the rules; of the two, the tracer is the one that can wait.
_dispatch: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]


def use_rules(dispatch: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]) -> None:
    """Install the function that traces one torch call."""
    global _dispatch
    _dispatch = dispatch


class Tracer:
    """A node of a tape, in the role of a tensor."""

    def __init__(self, tape: Tape, node: Node) -> None:
        self.tape = tape
        self.node = node
        # whether another tracer may show the same memory: then a write would have to reach it too
        self.shares = False

    @classmethod
    def __torch_function__(
        cls,
        function: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Trace one call of a torch function."""
        return _dispatch(function, args, kwargs or {})

    # -- what a tensor is asked for -------------------------------------------------------------

    @property
    def shape(self) -> "torch.Size":
        """The shape."""
        return torch.Size(self.node.shape)

    @property
    def dtype(self) -> "torch.dtype":
        """The dtype that torch's result would have."""
        return getattr(torch, self.node.dtype)  # type: ignore[no-any-return]

    @property
    def device(self) -> "torch.device":
        """Exact numbers live on the CPU."""
        return torch.device("cpu")

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.node.shape)

    @property
    def requires_grad(self) -> bool:
        """Whether a derivative flows through it."""
        return self.node.active

    @property
    def data(self) -> Any:
        """The same values, cut from the graph."""
        return _dispatch(torch.Tensor.detach, (self,), {})

    @property
    def real(self) -> Any:
        """The real part."""
        return _dispatch(torch.real, (self,), {})

    @property
    def imag(self) -> Any:
        """The imaginary part."""
        return _dispatch(torch.imag, (self,), {})

    @property
    def T(self) -> Any:
        """The axes in reverse order."""
        return self.permute(*range(self.ndim - 1, -1, -1))

    @property
    def mT(self) -> Any:
        """The last two axes swapped."""
        return self.transpose(-2, -1)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or one axis of it."""
        return self.shape if dim is None else self.shape[dim]

    def dim(self) -> int:
        """The number of axes."""
        return self.ndim

    def numel(self) -> int:
        """The number of elements."""
        return self.node.size

    def is_floating_point(self) -> bool:
        """Whether the values are real; masks and indices are tensors, never tracers."""
        return not self.is_complex()

    def is_complex(self) -> bool:
        """Whether the values are complex."""
        return is_complex_dtype(self.node.dtype)

    @property
    def is_nested(self) -> bool:
        """Tensors of tensors are not traced."""
        return False

    def __len__(self) -> int:
        if not self.node.shape:
            raise TypeError("len() of a 0-d tensor")
        return self.node.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter([self[k] for k in range(len(self))])

    def __getitem__(self, index: Any) -> Any:
        return _dispatch(torch.Tensor.__getitem__, (self, index), {})

    def __setitem__(self, index: Any, value: Any) -> None:
        self._become(written(self, index, value))

    def _become(self, result: Any) -> "Tracer":
        """Write into this tensor: from now on it is another node.

        Raises:
            Untraceable: another tensor may show the same memory.
        """
        if self.shares:
            raise Untraceable("a write into a tensor that has views, or is one")
        if result.shape != self.shape:
            raise Untraceable("a write that changes a shape")
        self.node = result.node
        return self

    def __getattr__(self, name: str) -> Any:
        if name.endswith("_") and not name.startswith("_") and hasattr(torch.Tensor, name[:-1]):
            # x.add_(y) writes x.add(y) into x
            return lambda *args, **kwargs: self._become(
                getattr(self, name.removesuffix("_"))(*args, **kwargs)
            )
        method = getattr(torch.Tensor, name, None)
        if not callable(method) or name.startswith("__"):
            raise AttributeError(f"the tracer has no attribute {name!r}")
        return lambda *args, **kwargs: _dispatch(method, (self, *args), kwargs)


def repeats_draws(value: Any) -> bool:
    """Whether random numbers drawn now are those that torch draws: constants of the program."""
    return isinstance(value, Tracer) and value.tape.repeats_draws


def written(target: Tracer, index: Any, value: Any) -> Tracer:
    """``target`` with ``target[index] = value`` done."""
    tape, node = target.tape, target.node
    positions = torch.arange(1, node.size + 1).reshape(node.shape)
    if isinstance(value, Tracer):
        source = value.node
    else:
        numbers = torch.as_tensor(value, dtype=target.dtype)
        flat = [exact(number) for number in numbers.reshape(-1).tolist()]
        source = tape.constant(tuple(numbers.shape), node.dtype, flat)
    start = node.size + 1
    positions[index] = torch.arange(start, start + source.size).reshape(source.shape)
    flat_index = positions.reshape(-1).numpy()
    return Tracer(tape, tape.move([node, source], flat_index, node.shape, node.dtype))


def _in_place(name: str) -> Callable[[Tracer, Any], Any]:
    return lambda self, other: self._become(_dispatch(getattr(torch, name), (self, other), {}))


def _forward(name: str) -> Callable[[Tracer, Any], Any]:
    return lambda self, other: _dispatch(getattr(torch, name), (self, other), {})


def _reflected(name: str) -> Callable[[Tracer, Any], Any]:
    return lambda self, other: _dispatch(getattr(torch, name), (other, self), {})


def _unary(name: str) -> Callable[[Tracer], Any]:
    return lambda self: _dispatch(getattr(torch, name), (self,), {})


_OPERATORS = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "matmul": "matmul",
}
for _dunder, _name in _OPERATORS.items():
    setattr(Tracer, f"__{_dunder}__", _forward(_name))
    setattr(Tracer, f"__r{_dunder}__", _reflected(_name))
for _dunder in ("add", "sub", "mul", "truediv", "pow"):
    setattr(Tracer, f"__i{_dunder}__", _in_place(_OPERATORS[_dunder]))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    assert hasattr(operator, _name)
    setattr(Tracer, f"__{_name}__", _forward(_name))
for _dunder, _name in (("neg", "neg"), ("abs", "abs"), ("pos", "positive")):
    setattr(Tracer, f"__{_dunder}__", _unary(_name))
Tracer.__hash__ = object.__hash__  # type: ignore[method-assign]
