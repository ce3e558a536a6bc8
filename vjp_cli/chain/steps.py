"""The steps of one evaluation by torch: values with a gradient, and where they are in the graph."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from vjp_cli.chain.graph import Edge, edge_of, edges_behind
from vjp_cli.chain.lines import LineRecorder, Lines
from vjp_cli.chain.parts import Part, TensorParts, parts_of
from vjp_cli.errors import LimitError, Place
from vjp_cli.expression import Expression
from vjp_cli.lazy import torch
from vjp_cli.program import Program

# each has a local Jacobian, and nobody reads more
MOST_STEPS = 200


@dataclass(frozen=True)
class Step:
    """A value of the evaluation.

    Attributes:
        source: what makes it, for people; "" for an input.
        edge: where its gradient enters the graph.
        value: its numbers, as they were when it was made.
        place: of an expression, what it was computed from.
        number: of an expression, which of its parts it is.
        lines: of a function, where it was made.
    """

    name: str
    source: str
    edge: Edge
    value: "torch.Tensor"
    place: Place | None = None
    number: int = 0
    lines: Lines | None = None


@dataclass(frozen=True)
class Run:
    """One evaluation: its steps in order, the output last, then its inputs.

    Attributes:
        parts: how many parts the expression had.
        operations: what the backward functions of an expression belong to, for people.
    """

    steps: tuple[Step, ...]
    inputs: tuple[Step, ...]
    parts: int = 0
    operations: Mapping[Any, str] = field(default_factory=dict)


def run(program: Program, inputs: "Mapping[str, torch.Tensor]", wrt: tuple[str, ...]) -> Run:
    """Evaluate the program on leaves of its own.

    Raises:
        VjpError: it failed.
        LimitError: it has too many steps.
    """
    leaves = {n: x.detach().clone().requires_grad_(n in wrt) for n, x in inputs.items()}
    # an input that is written in place has another place in the graph afterwards
    starts = tuple(Step(n, "", edge_of(leaves[n]), inputs[n].detach()) for n in wrt)
    known = {step.edge for step in starts}
    if isinstance(program.body, Expression):
        recorder = TensorParts()
        output = program(leaves, recorder)
        made = parts_of(program.body, recorder, output)
        steps, parts, operations = _of_parts(made), len(made), _operations(recorder)
    else:
        lines = LineRecorder()
        output = program(leaves, lines)
        steps, parts, operations = _of_lines(lines, output), 0, {}
    if not _has_gradient(output) or edge_of(output) in known:
        return Run((), starts, parts)
    behind = edges_behind(edge_of(output))
    found = _once(step for step in steps if step.edge not in known and step.edge in behind)
    if len(found) > MOST_STEPS:
        raise LimitError(
            f"the chain has {len(found)} steps; the limit is {MOST_STEPS}",
            "give names to the values that matter: a = ...; b = ... a ...",
        )
    names = _named(found, {*program.body.names, *inputs}, program.body.output)
    return Run(tuple(names), starts, parts, operations)


def _of_parts(parts: list[Part]) -> list[Step]:
    return [
        Step(part.name, part.place.text, edge_of(part.value), part.value, part.place, k)
        for k, part in enumerate(parts)
        if _has_gradient(part.value)
    ]


def _operations(recorder: TensorParts) -> dict[Any, str]:
    """The text of the operation that made each part of the graph."""
    found: dict[Any, str] = {}
    for step in recorder.steps:
        for result in step.results:
            waiting = [result.grad_fn]
            while waiting:
                node = waiting.pop()
                if node is not None and node not in found and node.next_functions:
                    found[node] = step.place.text
                    waiting += [other for other, _ in node.next_functions]
    return found


def _of_lines(recorder: LineRecorder, output: "torch.Tensor") -> list[Step]:
    made = recorder.steps(output) if _has_gradient(output) else []
    return [Step(m.name, m.source, m.edge, m.value, lines=m.lines) for m in made]


def _has_gradient(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad and value.is_floating_point()


def _once(steps: Iterable[Step]) -> list[Step]:
    """Of several names for one value the first."""
    found: dict[Edge, Step] = {}
    for step in steps:
        found.setdefault(step.edge, replace(step, value=step.value.detach()))
    return list(found.values())


def _named(steps: list[Step], inputs: set[str], output: str) -> list[Step]:
    """Every step with a name of its own: ``t1`` where it has none, ``y#2`` of a second y."""
    taken, named = set(inputs), []
    given = {step.name for step in steps}
    free = (name for k in count(1) if (name := f"t{k}") not in given | inputs | {output})
    for step in steps[:-1]:
        name = step.name or next(free)
        if name == output or name in taken:
            name = next(n for k in count(2) if (n := f"{name}#{k}") not in taken)
        taken.add(name)
        named.append(replace(step, name=name))
    return [*named, replace(steps[-1], name=output)]
