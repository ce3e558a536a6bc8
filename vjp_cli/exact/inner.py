"""Gradients that a traced function takes itself: reverse accumulation on its own tape."""

from collections.abc import Sequence
from typing import Any

from vjp_cli.exact import reverse
from vjp_cli.exact.arrivals import Entries
from vjp_cli.exact.reach import ancestors
from vjp_cli.lazy import numpy
from vjp_cli.numbers.dtypes import is_complex_dtype
from vjp_cli.numbers.formula import formula, slots
from vjp_cli.numbers.scalar import exact
from vjp_cli.tracing.arguments import as_node
from vjp_cli.tracing.node import Node
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer, Untraceable


def gradients(
    tape: Tape, outputs: Sequence[Tracer], inputs: Sequence[Tracer], cotangents: Sequence[Any]
) -> list[Tracer | None]:
    """The gradient of Σ over the outputs by each input, as values that can be differentiated.

    A cotangent is None for 1; a gradient is None where the program's graph has no path.

    Raises:
        Untraceable: complex numbers, whose formulas have values and no derivatives.
    """
    place = tape.place
    sources = [source.node for source in inputs]
    totals: dict[int, Node] = {}
    for output, cotangent in zip(outputs, cotangents, strict=True):
        within = _between(output.node, sources)
        if output.node not in within:
            continue
        if any(is_complex_dtype(node.dtype) for node in within):
            raise Untraceable("a gradient inside the function, of complex numbers")
        v = _cotangent(tape, output.node, cotangent)
        found = reverse.product(tape, output.node, v, sources, within)
        for j, source in enumerate(sources):
            if source in within:
                part = _dense(tape, source, found.get(source))
                before = totals.get(j)
                totals[j] = part if before is None else _added(tape, before, part)
    tape.place = place
    return [Tracer(tape, totals[j]) if j in totals else None for j in range(len(sources))]


def _between(output: Node, sources: Sequence[Node]) -> set[Node]:
    """The nodes on the paths of the program's graph from a source to the output."""
    found: set[Node] = set()
    for node in sorted(ancestors(output), key=lambda candidate: candidate.serial):
        behind = not node.cut and any(parent in found for parent in node.parents)
        if node in sources or behind:
            found.add(node)
    reached, waiting = set[Node](), [output] if output in found else []
    while waiting:
        node = waiting.pop()
        if node not in reached:
            reached.add(node)
            # behind a cut lies what the program does not see
            waiting.extend(() if node.cut else (p for p in node.parents if p in found))
    return reached


def _added(tape: Tape, left: Node, right: Node) -> Node:
    one, other = slots(2)
    here = numpy.arange(left.size)
    rule = formula(one + other, 2)
    return tape.elementwise(rule, [left, right], [here, here], left.shape, left.dtype)


def _cotangent(tape: Tape, output: Node, given: Any) -> Node:
    if given is None:
        return tape.constant(output.shape, output.dtype, [exact(1)] * output.size)
    return as_node(tape, given, output.dtype)


def _dense(tape: Tape, source: Node, entries: Entries | None) -> Node:
    """The entries as an array of the input's shape, 0 where nothing arrived."""
    index = numpy.zeros(source.size, dtype=int)
    if entries is None:
        nothing = tape.constant((1,), source.dtype, [exact(0)])
        return tape.move([nothing], index, source.shape, source.dtype)
    index[entries.positions] = numpy.arange(1, len(entries.positions) + 1)
    return tape.move([entries.values], index, source.shape, source.dtype)
