"""Tensors that are made and not computed: factories, and real tensors among tracers."""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Op
from vjp_cli.tracing.arguments import as_node
from vjp_cli.tracing.cuts import cut
from vjp_cli.tracing.elementwise import Args, Kwargs
from vjp_cli.tracing.positions import flatten, is_data
from vjp_cli.tracing.registry import torch_function
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer, fresh


def trace_constant(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    """A factory: torch itself makes the values; a tracer argument only lends shape and dtype."""
    result = torch_function(op)(
        *[_shell(value) for value in args], **{key: _shell(v) for key, v in kwargs.items()}
    )
    return lift(tape, result)


def trace_tensor(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    """``torch.tensor`` of numbers that were computed copies them, and cuts the graph."""
    if not any(isinstance(value, Tracer) for value in flatten((args, kwargs))):
        return trace_constant(tape, op, args, kwargs)
    data = kwargs["data"] if "data" in kwargs else args[-1]
    result = cut(tape, _stacked(tape, data), "torch.tensor copies values, which cuts the graph")
    dtype = kwargs.get("dtype")
    result = result if dtype is None else result.to(dtype)
    return root(fresh(result)) if kwargs.get("requires_grad") else result


def _stacked(tape: Tape, value: Any) -> Tracer:
    """A nested list of tracers and numbers as one tracer."""
    if not isinstance(value, (list, tuple)):
        return Tracer(tape, as_node(tape, value, "float64"))
    parts = [_stacked(tape, item) for item in value]
    return torch.stack(parts)  # type: ignore[return-value, arg-type]


def _shell(value: Any) -> Any:
    return torch.empty(value.shape, dtype=value.dtype) if isinstance(value, Tracer) else value


def lift(tape: Tape, value: Any) -> Any:
    """A tensor of numbers as a constant tracer: exact arithmetic from here on."""
    if not (isinstance(value, torch.Tensor) and is_data(value)):
        return value
    made = Tracer(tape, as_node(tape, value, str(value.dtype).removeprefix("torch.")))
    return root(fresh(made)) if value.requires_grad else made


def root(tracer: Tracer) -> Tracer:
    """A tensor at which the program's graph begins: ``backward`` leaves a gradient there."""
    tracer.is_root = True
    tracer.tape.roots.append(tracer)
    return tracer
