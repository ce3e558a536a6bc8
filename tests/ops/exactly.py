"""One expression by torch and by the exact side, as numbers that can be compared."""

import time
from dataclasses import dataclass

import torch

from vjp_cli.exact.derivatives import ExactSide, exact_side
from vjp_cli.exact.tracing_program import Point, tracer_of
from vjp_cli.expression import parse
from vjp_cli.numbers.scalar import to_float
from vjp_cli.program import Program


@dataclass(frozen=True)
class Sides:
    """y and vᵀJ for a generic v, from both sides; ``exact`` is the whole answer."""

    y: torch.Tensor
    exact_y: torch.Tensor
    vjp: dict[str, torch.Tensor]
    exact_vjp: dict[str, torch.Tensor]
    exact: ExactSide


def both_sides(expression: str, given: dict[str, torch.Tensor]) -> Sides:
    """Evaluate and differentiate by every floating-point input that the expression names.

    An input that torch's y does not depend on has the vᵀJ 0.
    """
    program, names = _program(expression, given)
    inputs = {name: given[name].detach().requires_grad_() for name in names}
    y = program(inputs)
    v = torch.linspace(0.5, 1.7, y.numel(), dtype=y.dtype).reshape(y.shape)
    found = torch.autograd.grad(y, list(inputs.values()), v, materialize_grads=True)
    side = exact(expression, given, v)
    exact_y = as_tensor(side.traced.output.values.tolist(), tuple(y.shape))
    assert side.vjp is not None
    exact_vjp = {n: as_tensor(side.vjp[n].values.tolist(), tuple(given[n].shape)) for n in names}
    return Sides(y.detach(), exact_y, dict(zip(names, found, strict=True)), exact_vjp, side)


def exact(
    expression: str, given: dict[str, torch.Tensor], v: torch.Tensor | None = None
) -> ExactSide:
    """The exact side alone."""
    program, names = _program(expression, given)
    point = Point({name: given[name].detach() for name in names}, tuple(names), v)
    return exact_side(tracer_of(program, point), jacobian=False, deadline=time.monotonic() + 60.0)


def _program(expression: str, given: dict[str, torch.Tensor]) -> tuple[Program, list[str]]:
    parsed = parse(expression)
    names = [name for name in parsed.names if given[name].is_floating_point()]
    return Program(parsed, {n: given[n] for n in parsed.names if n not in names}), names


def as_tensor(numbers: list[object], shape: tuple[int, ...]) -> torch.Tensor:
    values = torch.tensor([to_float(number) for number in numbers], dtype=torch.float64)
    return values.reshape(shape)
