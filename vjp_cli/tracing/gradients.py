"""Gradients inside a traced function: ``autograd.grad``, ``backward``, and where a graph begins."""

from collections.abc import Callable, Sequence
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.tracing.constants import root
from vjp_cli.tracing.cuts import cut
from vjp_cli.tracing.positions import flatten
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer, Untraceable, fresh

# outputs, inputs, cotangents (None for 1) -> the gradients as tracers, None where no path leads;
# installed by the exact side, which is built on the tape that this module belongs to
Gradients = Callable[
    [Tape, Sequence[Tracer], Sequence[Tracer], Sequence[Any]], "list[Tracer | None]"
]
_gradients: Gradients


def use_gradients(gradients: Gradients) -> None:
    """Install reverse accumulation for gradients that a function takes itself."""
    global _gradients
    _gradients = gradients


def gradients(
    outputs: Sequence[Any], inputs: Sequence[Tracer], cotangents: Sequence[Any]
) -> list[Tracer | None]:
    """The gradient of Σ cotangent·output by each input; None where the graph has no path.

    Raises:
        Untraceable: an input is no tensor of the function.
    """
    pairs = [
        (output, cotangent)
        for output, cotangent in zip(outputs, cotangents, strict=True)
        if isinstance(output, Tracer)
    ]
    if not all(isinstance(source, Tracer) for source in inputs):
        raise Untraceable("a gradient by something else than a tensor of the function")
    tape = inputs[0].tape
    return _gradients(tape, [o for o, _ in pairs], inputs, [c for _, c in pairs])


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    **options: Any,
) -> tuple[Any, ...]:
    """``torch.autograd.grad`` of tracers.

    Raises:
        RuntimeError: as torch does, for an input that is not used, or has no graph.
    """
    if options.pop("is_grads_batched", False):
        return _batched(outputs, inputs, grad_outputs, create_graph=create_graph, **options)
    ends, sources = _many(outputs), _many(inputs)
    if any(isinstance(source, Tracer) and not source.requires_grad for source in sources):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    weights = (None,) * len(ends) if grad_outputs is None else _many(grad_outputs)
    found = gradients(ends, sources, weights)
    zeros = options.get("materialize_grads")
    if any(part is None for part in found) and not (options.get("allow_unused") or zeros):
        raise RuntimeError(
            "One of the differentiated Tensors appears to not have been used in the graph. Set "
            "allow_unused=True if this is the desired behavior."
        )
    return tuple(
        _kept(part, create_graph, "autograd.grad")
        if part is not None
        # torch gives None, or what ``materialize_grads`` asks for
        else torch.zeros_like(source)
        if zeros
        else None
        for part, source in zip(found, sources, strict=True)
    )


def _batched(outputs: Any, inputs: Any, grad_outputs: Any, **options: Any) -> tuple[Any, ...]:
    """One gradient for each of the rows of the cotangents, stacked."""
    rows = zip(*(weight.unbind(0) for weight in _many(grad_outputs)), strict=True)
    found = [grad(outputs, inputs, row, **options) for row in rows]
    columns = zip(*found, strict=True)
    return tuple(None if column[0] is None else torch.stack(column) for column in columns)


def _kept(gradient: Tracer, create_graph: bool, name: str) -> Tracer:
    if create_graph:
        return gradient
    return cut(gradient.tape, gradient, f"{name} without create_graph cuts the graph")


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
    **_: Any,
) -> None:
    """``y.backward()`` inside the function: gradients are added to the ``grad`` of its leaves."""
    ends = _many(tensors)
    [tape, *_rest] = [end.tape for end in ends if isinstance(end, Tracer)]
    roots = [one for one in tape.roots if one.requires_grad] if inputs is None else _many(inputs)
    weights = (None,) * len(ends) if grad_tensors is None else _many(grad_tensors)
    for leaf, part in zip(roots, gradients(ends, roots, weights), strict=True):
        if part is not None:
            arrived = _kept(part, create_graph, "backward")
            leaf.grad = arrived if leaf.grad is None else leaf.grad + arrived


def require(tracer: Tracer, requires_grad: bool = True) -> Tracer:
    """``x.requires_grad_()``: the program's graph begins here, if none is behind it.

    Raises:
        Untraceable: ``requires_grad_(False)`` of a tensor with a graph.
    """
    if not requires_grad:
        if tracer.requires_grad:
            raise Untraceable("requires_grad_(False)")
        return tracer
    if not tracer.requires_grad:
        tracer.node = fresh(tracer).node
        root(tracer)
    return tracer


def retain(tracer: Tracer) -> None:
    """``x.retain_grad()``: a backward inside leaves a gradient here too."""
    if not any(one is tracer for one in tracer.tape.roots):
        tracer.tape.roots.append(tracer)


def _many(value: Any) -> tuple[Any, ...]:
    return tuple(flatten(value))
