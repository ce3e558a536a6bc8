"""A program on a tape: inputs become leaves at their exact values, and the output a node."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vjp_cli.errors import Place
from vjp_cli.exact.derivatives import Traced
from vjp_cli.lazy import torch
from vjp_cli.numbers.scalar import Number, exact
from vjp_cli.program import Observer, Program
from vjp_cli.tracing.rules import lift
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer, Untraceable

if TYPE_CHECKING:
    from torch import Tensor


class TapeObserver(Observer):
    """Notes on the tape which part of the expression is being computed; factories become exact."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._open: list[Place] = []

    def lift(self, value: Any) -> Any:
        """A real tensor of a factory as exact constants."""
        return lift(self.tape, value)

    def enter(self, place: Place) -> None:
        """The nodes made from here on belong to this place."""
        self.tape.place = place

    def leave(self, place: Place, value: Any) -> None:
        """The place is done."""
        self.tape.place = None


@dataclass(frozen=True)
class Point:
    """Where to trace: the inputs as tensors, which of them to differentiate by, and v.

    Attributes:
        shifts: exact numbers to use instead of the tensors' own, for the inputs named.
    """

    inputs: "Mapping[str, Tensor]"
    wrt: tuple[str, ...]
    v: "Tensor | None" = None


def tracer_of(program: Program, point: Point) -> Callable[[Tape], Traced]:
    """The function that runs the program at the point on a tape."""

    def trace(tape: Tape) -> Traced:
        leaves = {name: _leaf(tape, name, value) for name, value in point.inputs.items()}
        for name in point.wrt:
            leaves[name].active = True
        tracers = {name: Tracer(tape, leaf) for name, leaf in leaves.items()}
        output = program(tracers, TapeObserver(tape))
        if isinstance(output, torch.Tensor):
            # a mask or an index: no derivative flows through it
            output = lift(tape, output.to(getattr(torch, program.dtype)))
        v = None if point.v is None else _leaf(tape, "v", point.v)
        active = {name: leaves[name] for name in point.wrt}
        return Traced(tape, output.node, active, v)

    return trace


def numbers_of(value: "Tensor") -> list[Number]:
    """The exact numbers of a real tensor, flat."""
    return [exact(number) for number in value.detach().cpu().reshape(-1).tolist()]


def _leaf(tape: Tape, name: str, value: "Tensor") -> Any:
    if value.is_complex():
        raise Untraceable("complex numbers")
    dtype = str(value.dtype).removeprefix("torch.")
    return tape.leaf(name, tuple(value.shape), dtype, numbers_of(value))
