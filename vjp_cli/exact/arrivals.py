"""What reverse accumulation carries: entries of derivatives, and how those at one place add up."""

from dataclasses import dataclass, field

from vjp_cli.lazy import numpy
from vjp_cli.tracing.node import Index, Node
from vjp_cli.tracing.tape import Tape


@dataclass(frozen=True)
class Entries:
    """Entries of ∂y/∂node: ``values`` is a node of shape (len(rows),)."""

    rows: Index
    positions: Index
    values: Node


@dataclass
class Arrivals:
    """What has arrived at one node so far."""

    rows: list[Index] = field(default_factory=list)
    positions: list[Index] = field(default_factory=list)
    values: list[Node] = field(default_factory=list)


def arrive(arrivals: dict[Node, Arrivals], node: Node, entries: Entries) -> None:
    """Note entries of a node through which a derivative flows."""
    if node.active and len(entries.rows):
        arrived = arrivals.setdefault(node, Arrivals())
        arrived.rows.append(entries.rows)
        arrived.positions.append(entries.positions)
        arrived.values.append(entries.values)


def combined(tape: Tape, node: Node, arrived: Arrivals) -> Entries:
    """The arrivals with equal (row, position) added up, in the order of row and position."""
    rows = numpy.concatenate(arrived.rows)
    positions = numpy.concatenate(arrived.positions)
    places = rows * node.size + positions
    if len(arrived.values) == 1 and increasing(places):
        return Entries(rows, positions, arrived.values[0])
    keys, group = numpy.unique(places, return_inverse=True)
    if len(keys) == len(rows):
        order = numpy.argsort(group)
        values = tape.move(arrived.values, order + 1, (len(order),), node.dtype)
        return Entries(rows[order], positions[order], values)
    index = ragged(group, len(keys))
    values = tape.sum(arrived.values, index, (len(keys),), node.dtype)
    return Entries(keys // node.size, keys % node.size, values)


def increasing(numbers: Index) -> bool:
    """Whether they are sorted and all different, which they nearly always are."""
    return bool((numbers[1:] > numbers[:-1]).all())


def ragged(group: Index, count: int) -> Index:
    """For each of ``count`` groups the members (counted from 1), padded with 0 to equal length."""
    order = numpy.argsort(group, kind="stable")
    sizes = numpy.bincount(group, minlength=count)
    within = numpy.arange(len(group)) - numpy.repeat(numpy.cumsum(sizes) - sizes, sizes)
    index = numpy.zeros((count, int(sizes.max(initial=0))), dtype=int)
    index[group[order], within] = order + 1
    return index
