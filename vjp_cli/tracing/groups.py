"""Groups of elements that share a formula, and how they are composed and joined."""

from dataclasses import dataclass
from typing import Any

from vjp_cli.lazy import numpy, sympy
from vjp_cli.numbers.formula import slots
from vjp_cli.numbers.scalar import Number, is_rational, to_float
from vjp_cli.tracing.node import Index, Node


@dataclass(frozen=True)
class Group:
    """Elements that share a formula.

    Attributes:
        formula: a SymPy expression in ``slots(leaves.shape[1])``.
        elements: flat positions in the node.
        leaves: for each element the number of the leaf that each placeholder stands for.
    """

    formula: Any
    elements: Index
    leaves: Index


def membership(node: Node, groups: list[Group]) -> tuple[Index, Index]:
    """For each element of a node its group, and its row in that group."""
    group_of = numpy.full(node.size, -1)
    row_of = numpy.zeros(node.size, dtype=int)
    for k, group in enumerate(groups):
        group_of[group.elements] = k
        row_of[group.elements] = numpy.arange(len(group.elements))
    return group_of, row_of


def substituted(
    formula: Any, formulas: list[Any], columns: list[Index], elements: Index
) -> list[Group]:
    """One group for each way in which leaves coincide, with coinciding placeholders made one."""
    leaves = numpy.concatenate(columns, axis=1)
    width = leaves.shape[1]
    # the first placeholder with the same leaf, for each placeholder
    first = numpy.zeros_like(leaves)
    for k in range(width):
        first[:, k] = numpy.argmax(leaves[:, : k + 1] == leaves[:, k : k + 1], axis=1)
    if len(first) and (first == first[0]).all():
        patterns, membership = first[:1], numpy.zeros(len(first), dtype=int)
    else:
        patterns, membership = numpy.unique(first, axis=0, return_inverse=True)
    groups = []
    for number, pattern in enumerate(patterns.tolist() if width else [[]]):
        rows = numpy.flatnonzero(membership.ravel() == number) if width else slice(None)
        kept = [k for k in range(width) if pattern[k] == k]
        renamed = {k: slots(len(kept))[kept.index(pattern[k])] for k in range(width)}
        start = 0
        replaced = []
        for part, column in zip(formulas, columns, strict=True):
            own = slots(column.shape[1])
            table = {place: renamed[start + k] for k, place in enumerate(own)}
            replaced.append(part.xreplace(table))
            start += column.shape[1]
        table = dict(zip(slots(len(formulas)), replaced, strict=True))
        # both substitutions use the same placeholders: this one must see the formula's own only
        result = formula.xreplace(table)
        groups.append(Group(result, elements[rows], leaves[rows][:, kept]))
    return groups


def merged(groups: list[Group]) -> list[Group]:
    """Groups with equal formulas joined, the largest first."""
    joined: dict[Any, list[Group]] = {}
    for group in groups:
        joined.setdefault((group.formula, group.leaves.shape[1]), []).append(group)
    result = [
        Group(
            formula,
            numpy.concatenate([part.elements for part in parts]),
            numpy.concatenate([part.leaves for part in parts]),
        )
        for (formula, _), parts in joined.items()
    ]
    return sorted(result, key=lambda group: -len(group.elements))


def literal(value: Number) -> Any:
    """A number as SymPy shows it: short rationals exactly, others as the float they are."""
    if is_rational(value) and (value.q == 1 or value.q <= 16):
        return sympy.Rational(int(value.p), int(value.q))
    return sympy.Float(to_float(value), 17)
