"""A tensor-like that torch functions accept: it records what they would do.

torch hands every call that meets a ``Tracer`` to ``__torch_function__``; the operation table says
which row the called function is, and the row's kind how to trace it. A tracer has a shape, a dtype
and a device like a tensor, its operators and its methods.
"""

import operator
from collections.abc import Callable, Iterator
from typing import Any
from weakref import ref

from vjp_cli.lazy import torch
from vjp_cli.numbers.scalar import exact
from vjp_cli.tracing import memory
from vjp_cli.tracing.node import Node, NodeKind
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tensor_like import TensorLike


class Untraceable(Exception):
    """The tracer met something it cannot follow; the message names it.

    Attributes:
        line: where in the user's code (``model.py line 12``); "" where that is not known.
    """

    line = ""

    def __str__(self) -> str:
        words = super().__str__()
        return f"{words} ({self.line})" if self.line else words


# Set by ``rules``: torch function, positional and keyword arguments -> result. The rules need this
# class and this class needs the rules; of the two, the tracer is the one that can wait.
_dispatch: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]


def use_rules(dispatch: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]) -> None:
    """Install the function that traces one torch call."""
    global _dispatch
    _dispatch = dispatch


class Tracer(TensorLike):
    """A node of a tape, in the role of a tensor.

    Attributes:
        grad: what a ``backward`` inside the function left here.
        is_root: whether it is a leaf to such a ``backward``.
        memory: what may share its memory; None for what is alone.
        is_number: whether it stands for a Python number, which leaves the dtype to others.
    """

    is_number = False

    def __init__(self, tape: Tape, node: Node) -> None:
        self.tape = tape
        self._node = node
        self.grad: Tracer | None = None
        self.is_root = node.kind is NodeKind.LEAF and node.active
        self.memory: memory.Memory | None = None
        # what was written into memory that this one may show, and could not be followed
        self._lost: ref[Tracer] | None = None
        self._lost_line = ""
        # which tensor this is an item of, and its index
        self._item_of: tuple[ref[Tracer], Any] | None = None
        if self.is_root:
            tape.roots.append(self)

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

    @property
    def node(self) -> Node:
        """The node that this tensor is now.

        Raises:
            Untraceable: something was written into a tensor that may share its memory.
        """
        if self._lost is not None:
            words = "a write into a tensor that has views, or is one, and their use afterwards"
            error = Untraceable(words)
            error.line = self._lost_line
            raise error
        return self._node

    @node.setter
    def node(self, node: Node) -> None:
        self._node = node

    def __len__(self) -> int:
        if not self._node.shape:
            raise TypeError("len() of a 0-d tensor")
        return self._node.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter([self[k] for k in range(len(self))])

    def __getitem__(self, index: Any) -> Any:
        item = _dispatch(torch.Tensor.__getitem__, (self, index), {})
        if isinstance(item, Tracer) and item is not self:
            item._item_of = (ref(self), index)
        return item

    def __setitem__(self, index: Any, value: Any) -> None:
        if self._lost is not None and self._lost() is value and _is_item(value, self, index):
            # out[i] += 1: the item was written, and now comes back to the place it came from
            self._lost = None
        self._become(written(self, index, value))

    def _become(self, result: Any) -> "Tracer":
        """Write into this tensor: from now on it is another node, and what shares memory is lost.

        Raises:
            Untraceable: the write cannot be followed.
        """
        node = self.node
        if result.shape != self.shape:
            raise Untraceable("a write that changes a shape")
        if result.dtype != self.dtype:
            result = result.to(self.dtype)
        self.node = result.node
        if not torch.is_grad_enabled() and not self.tape.unbroken and node.active and not node.cut:
            if self.node is not node and not self.is_root:
                raise Untraceable("a write under no_grad into a tensor with a graph")
            self.node = fresh(self).node
        for other in memory.others(self):
            other._lost = ref(self)
            other._lost_line = self.tape.line()
        return self

    def _reshaped(self, result: "Tracer") -> "Tracer":
        self.node = result.node
        return self

    def __getattr__(self, name: str) -> Any:
        if name in _OTHER_SHAPE:
            return lambda *args, **kwargs: self._reshaped(
                getattr(self, name.removesuffix("_"))(*args, **kwargs)
            )
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


# what changes the shape of a tensor, and writes nothing into the memory behind it
_OTHER_SHAPE = frozenset({"squeeze_", "unsqueeze_", "t_", "transpose_", "swapaxes_", "swapdims_"})


def _is_item(value: Any, owner: Tracer, index: Any) -> bool:
    if value._item_of is None:
        return False
    tensor, place = value._item_of
    return tensor() is owner and place is index


def fresh(source: Tracer) -> Tracer:
    """The same elements as a node of their own, by which gradients inside can be taken."""
    tape, node = source.tape, source.node
    index = torch.arange(1, node.size + 1).numpy()
    copy = tape.move([node], index, node.shape, node.dtype)
    copy.active, copy.cut = True, False
    return Tracer(tape, copy)


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
for _dunder in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(Tracer, f"__i{_dunder}__", _in_place(_OPERATORS[_dunder]))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    assert hasattr(operator, _name)
    setattr(Tracer, f"__{_name}__", _forward(_name))
for _dunder, _name in (("neg", "neg"), ("abs", "abs"), ("pos", "positive")):
    setattr(Tracer, f"__{_dunder}__", _unary(_name))
Tracer.__hash__ = object.__hash__  # type: ignore[method-assign]
