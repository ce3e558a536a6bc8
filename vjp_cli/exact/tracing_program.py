"""A program on a tape: inputs become leaves at their exact values, and the output a node."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from vjp_cli.errors import Place
from vjp_cli.exact.derivatives import Traced
from vjp_cli.exact.inner import gradients
from vjp_cli.exact.samples import Moved
from vjp_cli.lazy import flint, numpy, torch
from vjp_cli.numbers.scalar import Number, precision
from vjp_cli.numbers.sharing import exact_each
from vjp_cli.program import Observer, Program
from vjp_cli.tracing.arguments import plain_or_exact
from vjp_cli.tracing.constants import lift
from vjp_cli.tracing.gradients import use_gradients
from vjp_cli.tracing.node import Node, Values
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer
from vjp_cli.tracing.user_code import tracing

use_gradients(gradients)


class TapeObserver(Observer):
    """Notes on the tape which part of the expression is being computed; factories become exact."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._open: list[Place] = []

    def running(self) -> AbstractContextManager[None]:
        """What a user's code needs to run on tracers."""
        return tracing(self.tape)

    def lift(self, value: Any) -> Any:
        """A real tensor of a factory as exact constants."""
        return lift(self.tape, value)

    def enter(self, place: Place) -> None:
        """The nodes made from here on belong to this place."""
        self.tape.place = place

    def leave(self, place: Place, value: Any, arguments: tuple[Any, ...]) -> None:
        """The place is done."""
        self.tape.place = None


@dataclass(frozen=True)
class Point:
    """Where to trace: the inputs as tensors, which of them to differentiate by, and v."""

    inputs: "Mapping[str, torch.Tensor]"
    wrt: tuple[str, ...]
    v: "torch.Tensor | None" = None


class Trace(Protocol):
    """Runs a program on a tape.

    ``change`` may replace the numbers of a leaf first; ``observer`` watches instead of a plain one.
    """

    def __call__(
        self,
        tape: Tape,
        change: Callable[[Node], None] | None = None,
        observer: TapeObserver | None = None,
    ) -> Traced:
        """The program's tape."""


def tracer_of(program: Program, point: Point) -> Trace:
    """The function that runs the program at the point on a tape."""
    program = program.on_cpu()

    def trace(
        tape: Tape,
        change: Callable[[Node], None] | None = None,
        observer: TapeObserver | None = None,
    ) -> Traced:
        leaves = {name: _leaf(tape, name, value) for name, value in point.inputs.items()}
        if change is not None:
            for leaf in leaves.values():
                change(leaf)
        for name in point.wrt:
            leaves[name].active = True
        tracers = {name: Tracer(tape, leaf) for name, leaf in leaves.items()}
        output = program(tracers, observer or TapeObserver(tape))
        if isinstance(output, torch.Tensor):
            # a mask or an index: no derivative flows through it
            output = lift(tape, output.to(getattr(torch, program.dtype)))
        v = None if point.v is None else _leaf(tape, "v", point.v)
        active = {name: leaves[name] for name in point.wrt}
        return Traced(tape, output.node, active, tuple(leaves.values()), v)

    return trace


@dataclass(frozen=True)
class Element:
    """One element of an input, and the direction in which it is moved: real or imaginary."""

    name: str
    position: int
    imaginary: bool = False


def mover_of(
    program: Program, point: Point, element: Element, deadline: float, *, frozen: bool = False
) -> Callable[[Number, int], Moved]:
    """The function that evaluates the program with one input element moved by an exact shift.

    A complex output is laid out as real pairs. ``frozen``: the program as it is written, where it
    departs from its mathematics.
    """
    name, position = element.name, element.position
    held: dict[int, list[Values]] = {}
    program = program.on_cpu()

    def moved(shift: Number, bits: int) -> Moved:
        tape = Tape(bits, frozen=frozen, deadline=deadline)
        if shift == 0:
            held[bits] = tape.frozen_values
        elif frozen:
            tape.frozen_values, tape.holding = list(held[bits]), True
        leaves = {other: _leaf(tape, other, value) for other, value in point.inputs.items()}
        leaf = leaves[name]
        # the program may differentiate by any of them itself
        for other in point.wrt:
            leaves[other].active = True
        with precision(bits):
            step = flint.acb(0, shift) if element.imaginary else shift
            number = leaf.at(numpy.array([position]))[position]
            leaf.move(position, number + step)
        tracers = {other: Tracer(tape, node) for other, node in leaves.items()}
        output = program(tracers, TapeObserver(tape))
        if isinstance(output, torch.Tensor):
            output = lift(tape, output.to(getattr(torch, program.dtype)))
        if output.is_complex():
            output = torch.view_as_real(output)
        return Moved(output.node, leaf, position)

    return moved


def numbers_of(value: "torch.Tensor") -> list[Number]:
    """The exact numbers of a tensor, flat."""
    return exact_each(value.detach().cpu().reshape(-1).tolist())


def _leaf(tape: Tape, name: str, value: "torch.Tensor") -> Any:
    dtype = str(value.dtype).removeprefix("torch.")
    return tape.leaf(name, tuple(value.shape), dtype, plain_or_exact(value))
