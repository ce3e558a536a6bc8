"""The custom ``autograd.Function``s of a graph, and what their forward and backward really do.

torch checks and corrects what a backward returns: it casts dtypes, sums broadcast axes, and stops
with a message about an index where it cannot. Here the raw values are seen.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.replacing import replaced


def defines(function: type, name: str) -> bool:
    """Whether a Function overrides a static method of ``autograd.Function``."""
    return getattr(function, name) is not getattr(torch.autograd.Function, name)


@dataclass
class Pull:
    """One call of a backward.

    Attributes:
        results: what it returned, before torch looked at it; None when it raised.
        changed: what it wrote into, in words: ``grad_output``, ``its saved tensors``, ``ctx.x``.
    """

    results: tuple[Any, ...] | None = None
    changed: tuple[str, ...] = ()


@dataclass
class Call:
    """One call of a Function.

    Attributes:
        arguments: of its forward, without ctx.
        needed: ``ctx.needs_input_grad``.
        written: the positions of tensors that forward wrote into and did not mark as dirty.
        pulls: the calls of its backward so far.
    """

    function: type
    arguments: tuple[Any, ...]
    outputs: tuple[Any, ...] = ()
    needed: tuple[bool, ...] = ()
    written: tuple[int, ...] = ()
    pulls: list[Pull] = field(default_factory=list)


class Watch:
    """The calls of some Functions, in the order in which their forwards ended."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._by_context: dict[int, Call] = {}
        self._contexts: list[Any] = []

    def forward(self, function: type, original: Callable[..., Any]) -> Callable[..., Any]:
        """The forward that notes what it is given and what it writes into."""
        separate = defines(function, "setup_context")

        def forward(*given: Any, **options: Any) -> Any:
            arguments = given if separate else given[1:]
            before = [_copy(value) for value in arguments]
            result = original(*given, **options)
            outputs = result if isinstance(result, tuple) else (result,)
            changed = [k for k, value in enumerate(arguments) if not _same(value, before[k])]
            call = Call(function, arguments, outputs, written=tuple(changed))
            self.calls.append(call)
            if not separate:
                self.meet(given[0], call)
            return result

        return forward

    def setup_context(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """The ``setup_context`` that tells which ctx belongs to the last forward."""

        def setup_context(ctx: Any, inputs: Any, output: Any) -> Any:
            original(ctx, inputs, output)
            self.meet(ctx, self.calls[-1])

        return setup_context

    def meet(self, ctx: Any, call: Call) -> None:
        """``ctx`` is that of ``call``."""
        dirty = {id(tensor) for tensor in getattr(ctx, "dirty_tensors", None) or ()}
        call.written = tuple(k for k in call.written if id(call.arguments[k]) not in dirty)
        call.needed = tuple(ctx.needs_input_grad)
        self._by_context[id(ctx)] = call
        # kept alive, so that no other ctx gets its id
        self._contexts.append(ctx)

    def backward(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """The backward that notes what it returns and what it writes into."""

        def backward(ctx: Any, *cotangents: Any) -> Any:
            pull = Pull()
            call = self._by_context.get(id(ctx))
            if call is not None:
                call.pulls.append(pull)
            held = _held(ctx, cotangents)
            before = [(words, value, _copy(value)) for words, value in held]
            try:
                result = original(ctx, *cotangents)
            finally:
                changed = (words for words, value, copy in before if not _same(value, copy))
                pull.changed = tuple(dict.fromkeys(changed))
            pull.results = result if isinstance(result, tuple) else (result,)
            return result

        return backward


def _held(ctx: Any, cotangents: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    """The tensors that a backward can reach through its arguments."""
    for cotangent in cotangents:
        yield "grad_output", cotangent
    # torch refuses to hand out a saved tensor that was written into; the backward will hear it
    with contextlib.suppress(RuntimeError):
        for tensor in ctx.saved_tensors:
            yield "its saved tensors", tensor
    for name, value in vars(ctx).items():
        yield f"ctx.{name}", value


def _copy(value: Any) -> Any:
    """A tensor's numbers, and how often it was written into; None for anything else."""
    if not isinstance(value, torch.Tensor):
        return None
    return value.detach().clone(), value._version


def _same(value: Any, before: Any) -> bool:
    """Whether a tensor was left alone (NaN equals NaN); anything else is not looked at."""
    if before is None:
        return True
    copy, version = before
    now = value.detach()
    # the counter misses what goes through .data or NumPy, the numbers what writes them again
    if value._version != version or now.shape != copy.shape or now.dtype != copy.dtype:
        return False
    return bool(((now == copy) | ((now != now) & (copy != copy))).all())


@contextlib.contextmanager
def watching(functions: Iterable[type]) -> Iterator[Watch]:
    """Watch what these Functions do; they are as they were at the end."""
    watch = Watch()
    with contextlib.ExitStack() as stack:
        for function in functions:
            stack.enter_context(
                _static(function, "forward", watch.forward(function, _of(function, "forward")))
            )
            if defines(function, "setup_context"):
                wrapped = watch.setup_context(_of(function, "setup_context"))
                stack.enter_context(_static(function, "setup_context", wrapped))
            # torch calls the other name of backward where that is the one overridden
            name = "vjp" if defines(function, "vjp") else "backward"
            stack.enter_context(_static(function, name, watch.backward(_of(function, name))))
        yield watch


def _of(function: type, name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(function, name)
    return found


def _static(
    owner: type, name: str, value: Callable[..., Any]
) -> contextlib.AbstractContextManager[None]:
    return replaced(owner, name, staticmethod(value))
