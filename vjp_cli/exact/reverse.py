"""Reverse accumulation over the tape, for all rows of J in one pass.

An adjoint is a list of entries (row of J, element of the node, value): the sparse columns of
∂y/∂node. One pass visits the nodes from the output back, so the local derivatives of an element are
evaluated once however many rows use them, and what no row reaches costs nothing. The entries that
arrive at an input are its Jacobian, and their places are its pattern. With a single row seeded by v
the same pass is vᵀJ.

Values are nodes of the same tape, made by the same operations: a derivative can be differentiated
again, and its formula read off like any other (Griewank and Walther, Evaluating Derivatives, 2nd
ed., section 3.3: vector reverse mode).
"""

import math
from collections.abc import Collection
from typing import Any

from vjp_cli.exact.arrivals import Arrivals, Entries, arrive, combined, increasing
from vjp_cli.exact.reach import ancestors
from vjp_cli.lazy import numpy
from vjp_cli.numbers.formula import formula, slots
from vjp_cli.numbers.scalar import exact, is_zero
from vjp_cli.settings import LIMITS
from vjp_cli.tracing.node import NO_FORMULA, Index, Node, NodeKind, TooManyEntries
from vjp_cli.tracing.tape import Tape, not_finite


def jacobian(tape: Tape, output: Node) -> dict[Node, Entries]:
    """Every row of ∂output/∂leaf for every active leaf that the output depends on.

    Raises:
        TooManyEntries: on the way back there are more than can be held.
    """
    everything = numpy.arange(output.size)
    ones = tape.constant((output.size,), output.dtype, numpy.ones(output.size))
    return accumulate(tape, output, Entries(everything, everything, ones))


def product(
    tape: Tape,
    output: Node,
    v: Node,
    watched: Collection[Node] = (),
    within: Collection[Node] | None = None,
) -> dict[Node, Entries]:
    """vᵀJ as the derivative of Σ v_i·y_i: an output with v_i exactly 0 contributes nothing.

    One of a v that is itself differentiated does contribute: its derivative by v_i is not 0.
    """
    if v.active:
        taken = numpy.arange(v.size)
    elif v.waits:
        taken = numpy.flatnonzero(~v.near.is_zero)
    else:
        taken = numpy.array([k for k, x in enumerate(v.values.tolist()) if not is_zero(x)], int)
    seeds = tape.move([v], taken + 1, (len(taken),), v.dtype)
    rows = numpy.zeros(len(taken), int)
    return accumulate(tape, output, Entries(rows, taken, seeds), watched, within)


def accumulate(
    tape: Tape,
    output: Node,
    seeds: Entries,
    watched: Collection[Node] = (),
    within: Collection[Node] | None = None,
) -> dict[Node, Entries]:
    """The entries that arrive at every active leaf when ``seeds`` leave from the output.

    Those that arrive at ``watched`` nodes are given too. ``within``: go through these nodes only.

    Raises:
        TooManyEntries: a step has more of them than can be held, of several rows.
    """
    arrivals: dict[Node, Arrivals] = {}
    arrive(arrivals, output, seeds)
    # a single row costs no more than y itself did
    most = LIMITS.exact_entries if seeds.rows.max(initial=0) else math.inf
    found: dict[Node, Entries] = {}
    for node in _from_output_back(output):
        arrived = arrivals.pop(node, None)
        if arrived is None or not node.active or (within is not None and node not in within):
            continue
        tape.place = node.place
        entries = combined(tape, node, arrived)
        if node.kind is NodeKind.LEAF or node in watched:
            found[node] = entries
        if len(entries.rows) * _width(node) > most:
            raise TooManyEntries
        if node.kind is not NodeKind.LEAF:
            _PROPAGATE[node.kind](tape, node, entries, arrivals)
    tape.place = None
    return found


def _width(node: Node) -> int:
    """How many entries one entry of the node becomes, at each parent."""
    if node.kind is NodeKind.OPAQUE:
        return max(parent.size for parent in node.parents)
    return int(node.maps[0].shape[-1]) if node.maps and node.maps[0].ndim > 1 else 1


def _from_output_back(output: Node) -> list[Node]:
    """The ancestors of the output, children before parents."""
    return sorted(ancestors(output), key=lambda node: -node.serial)


def _through_elementwise(
    tape: Tape, node: Node, entries: Entries, arrivals: dict[Node, Arrivals]
) -> None:
    assert node.formula is not None
    here = numpy.arange(len(entries.positions))
    elements, back = entries.positions, here
    if not increasing(elements):
        elements, back = numpy.unique(elements, return_inverse=True)
    for k in node.formula.used:
        parent = node.parents[k]
        if not parent.active:
            continue
        local = node.formula.derivative(k)
        if local.constant is not None and local.constant == 1:
            values = entries.values
        elif local.constant is not None:
            factor = formula(local.expression * slots(1)[0], 1)
            values = tape.elementwise(factor, [entries.values], [here], here.shape, node.dtype)
        else:
            maps = [index[elements] for index in node.maps]
            derivative = tape.elementwise(local, node.parents, maps, elements.shape, node.dtype)
            tape.doubt(node, elements[not_finite(derivative)], "the local derivative is not finite")
            values = tape.scaled(entries.values, derivative, (here, back))
        targets = node.maps[k][entries.positions]
        arrive(arrivals, parent, Entries(entries.rows, targets, values))


def _through_move(tape: Tape, node: Node, entries: Entries, arrivals: dict[Node, Arrivals]) -> None:
    targets = node.maps[0][entries.positions]
    here = numpy.arange(len(targets))
    _distribute(tape, node, Entries(entries.rows, targets, entries.values), here, arrivals)


def _through_sum(tape: Tape, node: Node, entries: Entries, arrivals: dict[Node, Arrivals]) -> None:
    targets = node.maps[0][entries.positions]
    count, width = targets.shape
    source = numpy.repeat(numpy.arange(count), width)
    spread = Entries(numpy.repeat(entries.rows, width), targets.ravel(), entries.values)
    _distribute(tape, node, spread, source, arrivals)


def _distribute(
    tape: Tape, node: Node, entries: Entries, source: Index, arrivals: dict[Node, Arrivals]
) -> None:
    """Send entries whose positions count over all parents from 1 (0: nowhere) to each parent.

    ``source`` says which element of ``entries.values`` each entry takes.
    """
    start = 1
    for parent in node.parents:
        if parent.active:
            inside = (entries.positions >= start) & (entries.positions < start + parent.size)
            chosen = source[inside]
            values = tape.move([entries.values], chosen + 1, chosen.shape, node.dtype)
            targets = entries.positions[inside] - start
            arrive(arrivals, parent, Entries(entries.rows[inside], targets, values))
        start += parent.size


def _through_product(
    tape: Tape, node: Node, entries: Entries, arrivals: dict[Node, Arrivals]
) -> None:
    width = node.maps[0].shape[1]
    source = numpy.repeat(numpy.arange(len(entries.rows)), width)
    rows = numpy.repeat(entries.rows, width)
    for parent, other, own, others in (
        (node.parents[0], node.parents[1], node.maps[0], node.maps[1]),
        (node.parents[1], node.parents[0], node.maps[1], node.maps[0]),
    ):
        if parent.active:
            factor = others[entries.positions].ravel()
            values = tape.scaled(entries.values, other, (source, factor))
            targets = own[entries.positions].ravel()
            arrive(arrivals, parent, Entries(rows, targets, values))


def _through_opaque(
    tape: Tape, node: Node, entries: Entries, arrivals: dict[Node, Arrivals]
) -> None:
    """No formula: a NaN stands for every entry, and slopes of the whole function decide."""
    tape.doubt(node, numpy.unique(entries.positions), NO_FORMULA)
    rows = numpy.unique(entries.rows)
    for parent in node.parents:
        if parent.active:
            shape = (len(rows) * parent.size,)
            unknown = tape.constant(shape, node.dtype, [exact(math.nan)] * shape[0])
            everywhere = numpy.tile(numpy.arange(parent.size), len(rows))
            arrive(arrivals, parent, Entries(numpy.repeat(rows, parent.size), everywhere, unknown))


_PROPAGATE: dict[NodeKind, Any] = {
    NodeKind.ELEMENTWISE: _through_elementwise,
    NodeKind.MOVE: _through_move,
    NodeKind.SUM: _through_sum,
    NodeKind.PRODUCT: _through_product,
    NodeKind.OPAQUE: _through_opaque,
}
