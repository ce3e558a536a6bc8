"""The exact local Jacobians: the tape is cut at the steps, so that each is a function of its own.

The node of a step is copied with the nodes between it and its predecessors, which become leaves
named after them. What is differentiated is then what the step says, and the formula has their
names.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from vjp_cli.chain.nodes import nodes_of
from vjp_cli.chain.steps import Run
from vjp_cli.errors import VjpError
from vjp_cli.exact import reverse
from vjp_cli.exact.arrivals import Entries
from vjp_cli.exact.derivatives import ComplexProgram
from vjp_cli.exact.reach import inputs_behind
from vjp_cli.exact.tracing_program import Point
from vjp_cli.lazy import numpy
from vjp_cli.numbers.scalar import to_float
from vjp_cli.program import Program
from vjp_cli.report import Array, FormulaGroup
from vjp_cli.tracing.formulas import FormulaWriter
from vjp_cli.tracing.node import Node, NodeKind, OutOfTime
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Untraceable

_BITS = 320
# a predecessor enters a step at a few places at most
_WRITTEN_SUM = 4


@dataclass(frozen=True)
class ExactLocal:
    """The exact ∂step/∂predecessor: None at a tie or a singularity."""

    truth: Array[Any]
    formulas: tuple[FormulaGroup, ...]


class ExactSteps:
    """The nodes of the steps on one tape.

    Attributes:
        reason: why there is none.
    """

    def __init__(self, program: Program, point: Point, run: Run, deadline: float) -> None:
        self.reason = ""
        self._tape = Tape(_BITS, deadline=deadline)
        self._nodes: Mapping[str, Node] = {}
        try:
            self._tape, self._nodes = nodes_of(program, point, run, self._tape)
            if self._tape.is_complex:
                raise ComplexProgram("complex numbers")
        except (Untraceable, ComplexProgram, VjpError) as error:
            self._nodes, self.reason = {}, f"the tracer cannot follow {error}"
        except OutOfTime:
            self._nodes, self.reason = {}, "timeout"

    def of(self, name: str, predecessors: list[str]) -> dict[str, ExactLocal]:
        """For each predecessor; {} where the tape has no such step, or other predecessors."""
        node = self._nodes.get(name)
        ends = {self._nodes[n]: n for n in predecessors if n in self._nodes}
        if node is None or len(ends) < len(predecessors):
            return {}
        try:
            return self._differentiated(name, node, ends)
        except OutOfTime:
            return {}

    def _differentiated(
        self, name: str, node: Node, ends: dict[Node, str]
    ) -> dict[str, ExactLocal]:
        copies = _severed(node, ends)
        leaves = {copies[end]: label for end, label in ends.items() if end in copies}
        others = [n for n in copies if n.kind is NodeKind.LEAF and n.active and n not in ends]
        if len(leaves) < len(ends) or others:
            return {}
        entries = reverse.jacobian(self._tape, copies[node])
        # the ties of the run are those of the copies
        noted = [(copies.get(d.node, d.node), d.positions) for d in self._tape.doubts]
        own = set(copies.values())
        doubtful = inputs_behind([(n, positions) for n, positions in noted if n in own])
        writer = FormulaWriter(name, _WRITTEN_SUM)
        found = {}
        for leaf, label in leaves.items():
            columns = set(doubtful.get(leaf, numpy.zeros(0, int)).tolist())
            found[label] = _local(writer, (node, leaf), label, entries.get(leaf), columns)
        return found


def _severed(node: Node, ends: Mapping[Node, str]) -> dict[Node, Node]:
    """Copies of a node and of what lies between it and the ends, which become leaves."""
    between: set[Node] = set()
    waiting = [node]
    while waiting:
        candidate = waiting.pop()
        if candidate not in between:
            between.add(candidate)
            if candidate not in ends:
                waiting += candidate.parents
    copies: dict[Node, Node] = {}
    for each in sorted(between, key=lambda candidate: candidate.serial):
        if each in ends:
            copy = Node(NodeKind.LEAF, each.shape, each.dtype, each.values, name=ends[each])
            copy.serial = each.serial
        else:
            copy = replace(each, parents=tuple(copies[parent] for parent in each.parents))
        # what a step is made from may itself be constant in the inputs, as floor(x) is
        copy.active = each in ends or any(parent.active for parent in copy.parents)
        copies[each] = copy
    return copies


def _local(
    writer: FormulaWriter,
    nodes: tuple[Node, Node],
    label: str,
    entries: Entries | None,
    doubtful: set[int],
) -> ExactLocal:
    step, leaf = nodes
    numbers: list[float | None] = [0.0] * (step.size * leaf.size)
    for row in range(step.size):
        for column in doubtful:
            numbers[row * leaf.size + column] = None
    shape = (*step.shape, *leaf.shape)
    if entries is None:
        return ExactLocal(Array(shape, tuple(numbers)), ())
    places = zip(entries.rows.tolist(), entries.positions.tolist(), strict=True)
    for (row, column), value in zip(places, entries.values.values.tolist(), strict=True):
        number = to_float(value)
        if column not in doubtful:
            numbers[row * leaf.size + column] = None if math.isnan(number) else number
    chosen = [k for k, c in enumerate(entries.positions.tolist()) if c not in doubtful]
    formulas = writer.jacobian(
        entries.values, (entries.rows, entries.positions), (step.shape, leaf.shape), label, chosen
    )
    return ExactLocal(Array(shape, tuple(numbers)), formulas)
