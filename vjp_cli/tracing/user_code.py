"""Ordinary torch code on tracers: what has to be replaced while a user's function is traced.

A custom ``autograd.Function`` is traced through its ``forward`` alone, since its ``backward`` is
what is on trial. Factories give exact constants. Gradients inside the function (``autograd.grad``,
``torch.func.grad``) are reverse accumulation on the same tape, so they can be differentiated again.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.catalog import ROWS
from vjp_cli.ops.table import Kind
from vjp_cli.tracing import rules, tracer
from vjp_cli.tracing.positions import flatten
from vjp_cli.tracing.registry import row, torch_function
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer, Untraceable

# outputs, inputs, cotangents (None for 1) -> the gradients as tracers; installed by the exact side,
# which is built on the tape that this module belongs to
Gradients = Callable[[Tape, list[Tracer], list[Tracer], list[Any] | None], list[Tracer]]
_gradients: Gradients


def use_gradients(gradients: Gradients) -> None:
    """Install reverse accumulation for gradients that a function takes itself."""
    global _gradients
    _gradients = gradients


# moves whose result never shows the memory of an argument
_COPIES = frozenset(
    {"clone", "cat", "stack", "flip", "roll", "gather", "index_select", "masked_select", "repeat"}
    | {"take", "tile", "tril", "triu", "where", "double", "float", "half", "bfloat16", "to"}
)


class Context:
    """The ``ctx`` of a custom Function's forward: it keeps everything and promises nothing."""

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self.saved_tensors: tuple[Any, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for the backward, which is never called here."""
        self.saved_tensors = tensors

    save_for_forward = save_for_backward

    def mark_dirty(self, *tensors: Any) -> None:
        """What is written in place is traced as what it becomes."""

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """The derivative of the mathematics is judged, whatever is marked."""

    def set_materialize_grads(self, value: bool) -> None:
        """Of no meaning without a backward."""


@contextlib.contextmanager
def tracing(tape: Tape) -> Iterator[None]:
    """Replace what does not reach a tracer by itself; everything is put back at the end."""
    suspended = _Suspended()
    tape.repeats_draws = True
    with contextlib.ExitStack() as stack:
        stack.enter_context(_replaced(torch.autograd.Function, "apply", _applied()))
        stack.enter_context(_replaced(torch.autograd, "grad", _grad(torch.autograd.grad)))
        functional = torch.func
        stack.enter_context(_replaced(functional, "grad", _functional_grad(functional.grad)))
        for name in ("vjp", "jvp", "jacrev", "jacfwd", "hessian", "vmap"):
            refused = _refused(f"torch.func.{name}", getattr(functional, name))
            stack.enter_context(_replaced(functional, name, refused))
        stack.enter_context(suspended.rules())
        stack.enter_context(_factories(tape, suspended))
        yield


@contextlib.contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    before = owner.__dict__.get(name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if before is None:
            delattr(owner, name)
        else:
            setattr(owner, name, before)


def _tracers(values: Any) -> list[Tracer]:
    return [value for value in flatten(values) if isinstance(value, Tracer)]


def _applied() -> Any:
    """``Function.apply`` that calls ``forward`` (and ``setup_context``) where a tracer comes in."""
    original = torch.autograd.Function.__dict__["apply"]
    without = torch.autograd.function._SingleLevelFunction.setup_context

    def apply(function: Any, *args: Any, **kwargs: Any) -> Any:
        if not _tracers(args):
            return original.__get__(None, function)(*args, **kwargs)
        ctx = Context(tuple(isinstance(value, Tracer) for value in args))
        if function.setup_context is without:
            return function.forward(ctx, *args, **kwargs)
        result = function.forward(*args, **kwargs)
        function.setup_context(ctx, args, result)
        return result

    return classmethod(apply)


def _grad(original: Callable[..., Any]) -> Callable[..., Any]:
    def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, *args: Any, **kw: Any) -> Any:
        ends, sources = _tracers(_many(outputs)), _tracers(_many(inputs))
        if not ends:
            return original(outputs, inputs, grad_outputs, *args, **kw)
        if len(sources) != len(_many(inputs)):
            raise Untraceable("autograd.grad by something else than a tensor of the function")
        weights = None if grad_outputs is None else list(_many(grad_outputs))
        return tuple(_gradients(ends[0].tape, ends, sources, weights))

    return grad


def _many(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


def _functional_grad(original: Callable[..., Any]) -> Callable[..., Any]:
    def grad(function: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Any:
        plain = original(function, argnums, has_aux)

        def gradient(*args: Any, **kwargs: Any) -> Any:
            if not _tracers(args):
                return plain(*args, **kwargs)
            if has_aux or not isinstance(argnums, int):
                raise Untraceable("torch.func.grad with several arguments or has_aux")
            source = args[argnums]
            fresh = _fresh(source)
            result = function(*args[:argnums], fresh, *args[argnums + 1 :], **kwargs)
            return _gradients(source.tape, [result], [fresh], None)[0]

        return gradient

    return grad


def _fresh(source: Tracer) -> Tracer:
    """The same elements as a node of their own, so that only paths through it count."""
    tape, node = source.tape, source.node
    index = tracer_positions(node.size)
    copy = tape.move([node], index, node.shape, node.dtype)
    copy.active = True
    return Tracer(tape, copy)


def tracer_positions(size: int) -> Any:
    """Every element in order, counted from 1."""
    return torch.arange(1, size + 1).numpy()


def _refused(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if _tracers(args):
            raise Untraceable(name)
        made = original(function, *args, **kwargs)

        def call(*inner: Any, **options: Any) -> Any:
            if _tracers(inner):
                raise Untraceable(name)
            return made(*inner, **options)

        return call if callable(made) else made

    return wrapper


class _Suspended:
    """Whether torch is being called by a rule of ours, which wants real tensors."""

    def __init__(self) -> None:
        self.depth = 0

    @contextlib.contextmanager
    def rules(self) -> Iterator[None]:
        """Trace calls with the factories' mode suspended."""

        def dispatch(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            self.depth += 1
            try:
                result = rules.dispatch(function, args, kwargs)
            finally:
                self.depth -= 1
            found = row(function)
            if found is not None and found[0].kind is Kind.MOVE and found[0].name not in _COPIES:
                # a view, or what may be one: writes into either would have to reach the other
                for part in _tracers((args, list(kwargs.values()), result)):
                    part.shares = True
            return result

        tracer.use_rules(dispatch)
        try:
            yield
        finally:
            tracer.use_rules(rules.dispatch)


def _of_torch(frame: FrameType) -> bool:
    """Whether torch's own Python code runs: it asks its constants whether they are tensors."""
    return str(frame.f_globals.get("__name__", "")).startswith("torch.")


def _factories(tape: Tape, suspended: _Suspended) -> Any:
    """A mode in which torch's factories give exact constants."""
    made = {torch_function(op) for op in ROWS if op.kind is Kind.CONSTANT}

    class Factories(torch.overrides.TorchFunctionMode):
        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            result = function(*args, **(kwargs or {}))
            if suspended.depth or function not in made or _of_torch(sys._getframe(1)):
                return result
            return rules.lift(tape, result)

    return Factories()
