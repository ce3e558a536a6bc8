"""Where in the expression a NaN, an infinity or a false 0 enters the backward pass.

Every operation is asked for the cotangents it hands on, given the one that reaches it. The first
one, from the output back, that makes a bad number out of good ones is the cause.
"""

import math
import time
from dataclasses import dataclass
from typing import Any

from vjp_cli.checks.steps import Step, TensorSteps, TracerSteps
from vjp_cli.derivatives.seeding import gradients
from vjp_cli.errors import Place
from vjp_cli.exact import reverse
from vjp_cli.exact.reach import inputs_behind
from vjp_cli.exact.tracing_program import Point, tracer_of
from vjp_cli.lazy import numpy, torch
from vjp_cli.numbers.scalar import Number, is_finite, is_zero, to_float
from vjp_cli.program import Program
from vjp_cli.tracing.node import Index, Node, OutOfTime
from vjp_cli.tracing.tape import Tape

_BITS = 320
# Walks are made for vᵀJ and for this many single rows of J at most.
MOST_WALKS = 6


@dataclass(frozen=True)
class Event:
    """A bad number that one operation makes in the backward pass.

    Attributes:
        node: the operand, on the tape, whose cotangent is bad.
        positions: its bad elements.
        words: the cause, for people.
    """

    kind: str
    place: Place
    node: Node
    positions: Index
    words: str


class Causes:
    """Finds the causes for the entries of one problem."""

    def __init__(self, program: Program, point: Point, deadline: float) -> None:
        self.program = program
        self.point = point
        self.deadline = deadline
        self._walks: dict[int | None, list[tuple[Event, dict[str, Index]]]] = {}

    def of(self, name: str, element: int, row: int | None, torch_number: float) -> Event | None:
        """The event behind a bad entry of vᵀJ (row None) or of one row of J.

        None when no single operation is to blame.
        """
        kind = "nan" if math.isnan(torch_number) else "inf" if torch_number else "zero"
        for event, behind in self._events(row):
            if event.kind == kind and element in behind.get(name, ()):
                return event
        return None

    def in_vjp(self) -> list[Event]:
        """All that enters on the way back of vᵀJ."""
        return [event for event, _ in self._events(None)]

    def _events(self, row: int | None) -> list[tuple[Event, dict[str, Index]]]:
        if row not in self._walks:
            if len(self._walks) >= MOST_WALKS or time.monotonic() > self.deadline:
                return []
            try:
                self._walks[row] = self._walk(row)
            except (OutOfTime, RuntimeError):
                self._walks[row] = []
        return self._walks[row]

    def _walk(self, row: int | None) -> list[tuple[Event, dict[str, Index]]]:
        recorder = TensorSteps()
        leaves = {
            name: value.detach().clone().requires_grad_(name in self.point.wrt)
            for name, value in self.point.inputs.items()
        }
        output = self.program(leaves, recorder)
        v = _unit(output, row) if row is not None else self.point.v
        assert v is not None
        flow = _Flow(output, recorder.steps, v)
        exact_flow = _ExactFlow(self.program, self.point, v, self.deadline)
        if len(exact_flow.steps) != len(recorder.steps):
            return []
        found = []
        pairs = list(zip(recorder.steps, exact_flow.steps, strict=True))
        for step, traced in reversed(pairs):
            for event in _events_of(step, traced, flow, exact_flow):
                behind = inputs_behind([(event.node, event.positions)])
                named = {exact_flow.names[leaf]: part for leaf, part in behind.items()}
                found.append((event, named))
        return found


def _unit(output: "torch.Tensor", row: int) -> "torch.Tensor":
    unit = torch.zeros(output.numel(), dtype=output.dtype, device=output.device)
    unit[row] = 1
    return unit.reshape(output.shape)


class _Flow:
    """torch's cotangent of every value of an evaluation."""

    def __init__(self, output: "torch.Tensor", steps: list[Step], v: "torch.Tensor") -> None:
        self.output = output
        values = {
            id(value): value
            for step in steps
            for value in (*step.results, *step.operands)
            if value.requires_grad
        }
        found = gradients(output, list(values.values()), v)
        self._cotangents = dict(zip(values, found, strict=True))

    def at(self, value: "torch.Tensor") -> "torch.Tensor | None":
        """The cotangent that reaches a value; None where none does."""
        return self._cotangents.get(id(value))

    def handed_on(self, step: Step) -> "list[torch.Tensor | None]":
        """The cotangents that one operation hands on to its operands."""
        wanted = [operand for operand in step.operands if operand.requires_grad]
        reached = [
            (result, self.at(result)) for result in step.results if self.at(result) is not None
        ]
        if not wanted or not reached:
            return [None] * len(step.operands)
        parts = iter(
            torch.autograd.grad(
                [result for result, _ in reached],
                wanted,
                [cotangent for _, cotangent in reached],
                retain_graph=True,
                allow_unused=True,
            )
        )
        return [next(parts) if operand.requires_grad else None for operand in step.operands]


class _ExactFlow:
    """The exact value and cotangent of every value of an evaluation."""

    def __init__(self, program: Program, point: Point, v: "torch.Tensor", deadline: float) -> None:
        tape = Tape(_BITS, deadline=deadline)
        recorder = TracerSteps(tape)
        traced = tracer_of(program, Point(point.inputs, point.wrt, v))(tape, observer=recorder)
        self.steps = recorder.steps
        self.names = {leaf: name for name, leaf in traced.leaves.items()}
        nodes = {
            value.node
            for step in self.steps
            for value in (*step.operands, *step.results)
            if hasattr(value, "node")
        }
        assert traced.v is not None
        self._entries = (
            reverse.product(tape, traced.output, traced.v, nodes) if traced.output.active else {}
        )

    def cotangent(self, node: Node) -> dict[int, Number]:
        """The exact cotangent by element; elements that nothing reaches are left out."""
        entries = self._entries.get(node)
        if entries is None:
            return {}
        return dict(zip(entries.positions.tolist(), entries.values.values.tolist(), strict=True))


def _events_of(step: Step, traced: Step, flow: _Flow, exact_flow: _ExactFlow) -> list[Event]:
    """The bad numbers that one operation makes out of good ones."""
    arriving = [flow.at(result) for result in step.results]
    if all(cotangent is None for cotangent in arriving):
        return []
    # what arrives bad was made by an operation nearer to the output; infinities can make a NaN
    came = [c for c in arriving if c is not None]
    known = {
        "nan": any(bool(c.isnan().any()) for c in came),
        "inf": any(not bool(c.isfinite().all()) for c in came),
    }
    events = []
    handed = flow.handed_on(step)
    for operand, part, tracer in zip(step.operands, handed, traced.operands, strict=True):
        if part is None or not hasattr(tracer, "node"):
            continue
        flat = part.detach().reshape(-1)
        node: Node = tracer.node
        for kind, bad in (("nan", flat.isnan()), ("inf", flat.isinf())):
            positions = bad.nonzero().reshape(-1).cpu().numpy()
            if len(positions) and not known[kind]:
                events.append(_event(kind, step, operand, node, positions))
        lost = _lost(flat, exact_flow.cotangent(node), arriving, step)
        if len(lost):
            events.append(_event("zero", step, operand, node, lost))
    return events


def _lost(
    handed: "torch.Tensor", truth: dict[int, Number], arriving: list[Any], step: Step
) -> Index:
    """Elements that get 0 though something arrives and the exact cotangent is not 0.

    Rounding and underflow can do that to a cotangent that is small beside what arrives, and to any
    where numbers are extreme; a 0 in place of an ordinary number is another fault.
    """
    sizes = [float(c.abs().max()) for c in arriving if c is not None and c.numel()]
    if not any(sizes):
        return numpy.zeros(0, dtype=int)
    unit = torch.finfo(handed.dtype).eps
    largest = math.inf if _extreme(step) else math.sqrt(unit) * max(1.0, *sizes)
    zeros = (handed == 0).nonzero().reshape(-1).tolist()
    lost = [
        k
        for k in zeros
        if k in truth
        and is_finite(truth[k])
        and not is_zero(truth[k])
        and abs(to_float(truth[k])) <= largest
    ]
    return numpy.array(lost, dtype=int)


def _extreme(step: Step) -> bool:
    """Whether squares or quotients of the operation's numbers can leave the range of the dtype."""
    for value in (*step.operands, *step.results):
        flat = value.detach().abs().reshape(-1)
        limits = torch.finfo(flat.dtype)
        nonzero = flat[flat != 0]
        if bool((flat > math.sqrt(limits.max)).any() or (nonzero < math.sqrt(limits.tiny)).any()):
            return True
    return False


def _event(kind: str, step: Step, operand: "torch.Tensor", node: Node, positions: Index) -> Event:
    at = float(operand.detach().reshape(-1)[int(positions[0])])
    text = step.place.text
    overflow = any(not bool(result.detach().isfinite().all()) for result in step.results)
    words = {
        "nan": f"NaN enters in the backward pass of '{text}' where its operand is {at:g}: "
        "0 times infinity, or a derivative that is not a number there",
        "inf": f"the derivative of '{text}' overflows where its operand is {at:g}",
        "zero": f"'{text}' loses the derivative where its operand is {at:g}: "
        + ("its value overflows" if overflow else "it is rounded away"),
    }[kind]
    return Event(kind, step.place, node, positions, words)
