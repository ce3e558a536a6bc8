"""The exact second derivative: of ⟨vᵀJ(x), w⟩ by x and by v, as a double backward gives it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vjp_cli.exact.derivatives import ExactSide, Traced, exact_side
from vjp_cli.exact.inner import gradients
from vjp_cli.exact.tracing_program import Point, tracer_of
from vjp_cli.lazy import torch
from vjp_cli.numbers.scalar import Number
from vjp_cli.program import Program
from vjp_cli.tracing.node import Node
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer

COTANGENT = "the cotangent"
"""The name of v among the inputs; no input can have it."""


@dataclass(frozen=True)
class SecondOrder:
    """What the exact side knows of ⟨vᵀJ, w⟩.

    Attributes:
        side: its derivatives: a J of one row for each input, and for ``COTANGENT``.
        first: vᵀJ itself, flat, for each input.
    """

    side: ExactSide
    first: Mapping[str, list[Number]]


def second_order(
    program: Program, point: Point, w: "Mapping[str, torch.Tensor]", deadline: float
) -> SecondOrder:
    """Differentiate ⟨vᵀJ, w⟩ by the inputs and by v.

    Args:
        program: the function.
        point: where, with a v that is nowhere 0 (what has no weight is left out of vᵀJ).
        w: for each input a tensor of its shape.
        deadline: no run is begun after it.

    Raises:
        OutOfTime: nothing was ready at the deadline.
        Untraceable: the tracer cannot follow the program.
    """
    first: dict[str, list[Number]] = {}
    trace_first = tracer_of(program, point)

    def trace(tape: Tape) -> Traced:
        traced = trace_first(tape)
        assert traced.v is not None
        traced.v.active = True
        leaves: dict[str, Node] = {**traced.leaves, COTANGENT: traced.v}
        sources = [Tracer(tape, traced.leaves[name]) for name in point.wrt]
        ends, weights = [Tracer(tape, traced.output)], [Tracer(tape, traced.v)]
        found = gradients(tape, ends, sources, weights)
        pulled: list[Any] = [
            torch.zeros_like(source) if part is None else part  # type: ignore[arg-type]
            for part, source in zip(found, sources, strict=True)
        ]
        first.update({n: g.node.values.tolist() for n, g in zip(point.wrt, pulled, strict=True)})
        parts: list[Any] = [
            torch.sum(torch.mul(g, w[name].cpu()))
            for name, g in zip(point.wrt, pulled, strict=True)
        ]
        total: Any = torch.sum(torch.stack(parts))
        return Traced(tape, total.node, leaves, (*traced.inputs, traced.v), None)

    return SecondOrder(exact_side(trace, jacobian=True, deadline=deadline), first)
