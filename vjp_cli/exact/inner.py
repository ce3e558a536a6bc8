"""Gradients that a traced function takes itself: reverse accumulation on its own tape."""

from typing import Any

from vjp_cli.exact import reverse
from vjp_cli.lazy import numpy
from vjp_cli.numbers.formula import formula, slots
from vjp_cli.numbers.scalar import exact
from vjp_cli.tracing.arguments import as_node
from vjp_cli.tracing.node import Node
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer


def gradients(
    tape: Tape, outputs: list[Tracer], inputs: list[Tracer], cotangents: list[Any] | None
) -> list[Tracer]:
    """The gradient of Σ over the outputs by each input, as values that can be differentiated."""
    place = tape.place
    totals: list[Node | None] = [None] * len(inputs)
    for k, output in enumerate(outputs):
        v = _cotangent(tape, output.node, None if cotangents is None else cotangents[k])
        found = reverse.product(tape, output.node, v, [source.node for source in inputs])
        for j, source in enumerate(inputs):
            part = _dense(tape, source.node, found.get(source.node))
            before = totals[j]
            totals[j] = part if before is None else _added(tape, before, part)
    tape.place = place
    return [Tracer(tape, node) for node in totals if node is not None]


def _added(tape: Tape, left: Node, right: Node) -> Node:
    one, other = slots(2)
    here = numpy.arange(left.size)
    rule = formula(one + other, 2)
    return tape.elementwise(rule, [left, right], [here, here], left.shape, left.dtype)


def _cotangent(tape: Tape, output: Node, given: Any) -> Node:
    if given is None:
        return tape.constant(output.shape, output.dtype, [exact(1)] * output.size)
    return as_node(tape, given, output.dtype)


def _dense(tape: Tape, source: Node, entries: reverse.Entries | None) -> Node:
    """The entries as an array of the input's shape, 0 where nothing arrived."""
    index = numpy.zeros(source.size, dtype=int)
    if entries is None:
        nothing = tape.constant((1,), source.dtype, [exact(0)])
        return tape.move([nothing], index, source.shape, source.dtype)
    index[entries.positions] = numpy.arange(1, len(entries.positions) + 1)
    return tape.move([entries.values], index, source.shape, source.dtype)
