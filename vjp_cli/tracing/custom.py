"""A custom ``autograd.Function`` is traced through its forward: its backward is on trial."""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.tracing.arguments import find_tape
from vjp_cli.tracing.positions import flatten
from vjp_cli.tracing.tracer import Tracer


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


def applied() -> Any:
    """The ``apply`` that ``Function.apply`` ends in: it calls ``forward`` where a tracer comes in.

    To stand in the class between ``Function`` and its base in C, so that a ``swish = Swish.apply``
    of an earlier time comes here, too.
    """
    between = torch.autograd.function._SingleLevelFunction
    without = between.setup_context

    def apply(function: Any, *args: Any, **kwargs: Any) -> Any:
        tracers = [value for value in flatten(args) if isinstance(value, Tracer)]
        if not tracers:
            return super(between, function).apply(*args, **kwargs)
        ctx = Context(tuple(isinstance(v, Tracer) and v.requires_grad for v in args))
        tape = find_tape(args)
        outside, tape.unbroken = tape.unbroken, True
        try:
            if function.setup_context is without:
                return function.forward(ctx, *args, **kwargs)
            result = function.forward(*args, **kwargs)
            function.setup_context(ctx, args, result)
        finally:
            tape.unbroken = outside
        return result

    return classmethod(apply)
