"""Which node of the tape is which step."""

import math
import sys
from collections import Counter
from contextlib import AbstractContextManager
from types import FrameType

from vjp_cli.chain.lines import Lines, user_frames
from vjp_cli.chain.parts import TracerParts, parts_of
from vjp_cli.chain.steps import Run, Step
from vjp_cli.exact.reach import ancestors
from vjp_cli.exact.tracing_program import Point, TapeObserver, tracer_of
from vjp_cli.expression import Expression
from vjp_cli.lazy import torch
from vjp_cli.numbers.scalar import to_float
from vjp_cli.program import Program
from vjp_cli.tracing.node import Node
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer


def nodes_of(program: Program, point: Point, run: Run, tape: Tape) -> tuple[Tape, dict[str, Node]]:
    """The tape of the program, and the node of each step and input by name.

    A step whose node is not certain is left out.

    Raises:
        Untraceable: the tracer cannot follow the program.
        OutOfTime: it takes too long.
    """
    trace = tracer_of(program, Point(point.inputs, point.wrt))
    if isinstance(program.body, Expression):
        recorder = TracerParts(tape)
        traced = trace(tape, observer=recorder)
        parts = parts_of(program.body, recorder, Tracer(tape, traced.output))
        found = {}
        if len(parts) == run.parts:
            for step in run.steps:
                value = parts[step.number].value
                if isinstance(value, Tracer):
                    found[step.name] = value.node
    else:
        lined = _LinedTape(tape.bits, tape.deadline)
        traced, tape = trace(lined, observer=_LineObserver(lined)), lined
        found = _matched(lined, traced.output, run)
    if run.steps:
        found[run.steps[-1].name] = traced.output
    return tape, {**found, **traced.leaves}


class _LinedTape(Tape):
    """A tape that knows which lines of the user's code made each node."""

    def __init__(self, bits: int, deadline: float | None) -> None:
        super().__init__(bits, deadline=deadline)
        self.outermost: FrameType | None = None
        self.made: dict[Node, set[tuple[str, int]]] = {}

    def _add(self, node: Node) -> Node:
        # a custom Function runs its forward: the line that called it counts as well
        self.made[node] = {(f.f_code.co_filename, f.f_lineno) for f in user_frames(self.outermost)}
        return super()._add(node)


class _LineObserver(TapeObserver):
    def __init__(self, tape: _LinedTape) -> None:
        super().__init__(tape)
        self._lined = tape

    def running(self) -> AbstractContextManager[None]:
        self._lined.outermost = sys._getframe(1)
        return super().running()


def _matched(tape: _LinedTape, output: Node, run: Run) -> dict[str, Node]:
    """The last node that a step's lines made with the step's numbers."""
    nodes = sorted(ancestors(output), key=lambda node: -node.serial)
    found: dict[str, Node] = {}
    for step in run.steps[:-1]:
        for node in nodes:
            if _in(tape.made.get(node, set()), step.lines) and _same(node, step):
                found[step.name] = node
                break
    often = Counter(found.values())
    return {name: node for name, node in found.items() if often[node] == 1}


def _in(made: set[tuple[str, int]], lines: Lines | None) -> bool:
    return lines is not None and any(
        file == lines.file and lines.first <= line <= lines.last for file, line in made
    )


def _same(node: Node, step: Step) -> bool:
    if node.shape != tuple(step.value.shape):
        return False
    here = torch.tensor([to_float(value) for value in node.values.tolist()], dtype=torch.float64)
    there = step.value.detach().cpu().double().reshape(-1)
    digits = math.sqrt(torch.finfo(step.value.dtype).eps)
    largest = float(there[there.isfinite()].abs().max()) if bool(there.isfinite().any()) else 0.0
    return torch.allclose(here, there, rtol=digits, atol=digits * largest, equal_nan=True)
