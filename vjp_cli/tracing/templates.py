"""Templates: one SymPy formula shared by the many elements of a node that were computed alike.

A reading of a node is a list of groups; each has a formula in placeholders, the elements it covers,
and for each of them the leaves that the placeholders stand for. Groups are composed from those of
the parents by substitution, so SymPy's work grows with the number of distinct formulas, never with
the number of elements. Long sums, and formulas past a size, become named intermediates.

Templates are for people (formulas) and for structure. Judged numbers never come from them: what
SymPy composes it also simplifies, ``sqrt(x**2)`` into ``Abs(x)``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from vjp_cli.lazy import numpy, sympy
from vjp_cli.numbers.formula import slots
from vjp_cli.numbers.scalar import Number, exact, is_rational
from vjp_cli.tracing.evaluation import parents_first
from vjp_cli.tracing.groups import Group, literal, membership, merged, substituted
from vjp_cli.tracing.node import Index, Node, NodeKind

# A sum of at most so many elements, or of so many products, is written out; longer ones get names.
WRITTEN_SUM = 2
WRITTEN_PRODUCTS = 4
# A constant array of at most so many different values is written as numbers.
WRITTEN_VALUES = 4
# A formula with more leaves or operations than this gets a name.
MOST_LEAVES = 8
MOST_OPERATIONS = 40
# A node whose elements have more different formulas than this gets a name.
MOST_GROUPS = 24


@dataclass
class Named:
    """A run of leaf numbers with a name: an input, a constant array, or an intermediate.

    Attributes:
        start: the leaf number of its first element.
        node: what it names.
    """

    name: str
    start: int
    node: Node


class Reader:
    """Reads the templates of nodes of one tape; readings are shared between calls."""

    def __init__(self, written_sum: int = WRITTEN_SUM) -> None:
        self.named: list[Named] = []
        self._written = {NodeKind.SUM: written_sum, NodeKind.PRODUCT: WRITTEN_PRODUCTS}
        self._readings: dict[Node, list[Group]] = {}
        self._count = 0
        self._next_name = 0

    def read(self, node: Node) -> list[Group]:
        """The groups of a node, largest first."""
        for ancestor in parents_first(node, self._readings.__contains__):
            self._readings[ancestor] = self._reading(ancestor)
        return self._readings[node]

    def owner(self, leaf: int) -> Named:
        """What a leaf number belongs to."""
        return next(n for n in reversed(self.named) if n.start <= leaf)

    def _reading(self, node: Node) -> list[Group]:
        if node.kind is NodeKind.LEAF:
            return self._name(node, node.name)
        if node.kind is NodeKind.CONSTANT:
            return self._constants(node)
        if node.kind is NodeKind.OPAQUE:
            return self._name(node, self._fresh())
        if node.kind is NodeKind.MOVE:
            return merged(self._moved(node))
        if node.kind is NodeKind.ELEMENTWISE:
            assert node.formula is not None
            if node.formula.expression.has(sympy.Derivative, sympy.Subs):
                # a derivative without a closed form; SymPy refuses to substitute into it
                return self._name(node, self._fresh())
            parts = list(zip(node.parents, node.maps, strict=True))
            used = list(node.formula.used)
            groups = self._composed(node, [parts[k] for k in used], _pick(node.formula, used))
        elif node.maps[0].shape[1] <= self._written[node.kind] and node.size:
            groups = self._written_sum(node)
        else:
            return self._name(node, self._fresh())
        return groups if self._short(groups) else self._name(node, self._fresh())

    def _short(self, groups: list[Group]) -> bool:
        return len(groups) <= MOST_GROUPS and all(
            group.leaves.shape[1] <= MOST_LEAVES
            and sympy.count_ops(group.formula) <= MOST_OPERATIONS
            for group in groups
        )

    def _fresh(self) -> str:
        self._next_name += 1
        return f"s{self._next_name}"

    def _name(self, node: Node, name: str) -> list[Group]:
        self.named.append(Named(name, self._count, node))
        leaves = numpy.arange(self._count, self._count + node.size).reshape(-1, 1)
        self._count += node.size
        if not node.size:
            return []
        return [Group(slots(1)[0], numpy.arange(node.size), leaves)]

    def _constants(self, node: Node) -> list[Group]:
        """A few distinct values are written as numbers; an array of many is a named leaf."""
        places = _alike(node)
        if len(places) > WRITTEN_VALUES:
            return self._name(node, f"c{len(self.named)}")
        return [
            Group(literal(value), elements, numpy.zeros((len(elements), 0), dtype=int))
            for value, elements in places
        ]

    def _moved(self, node: Node) -> list[Group]:
        index = node.maps[0]
        groups = []
        zeros = numpy.flatnonzero(index == 0)
        if len(zeros):
            groups.append(Group(sympy.Integer(0), zeros, numpy.zeros((len(zeros), 0), dtype=int)))
        start = 1
        for parent in node.parents:
            for group in self._readings[parent]:
                row = numpy.full(parent.size, -1)
                row[group.elements] = numpy.arange(len(group.elements))
                inside = numpy.flatnonzero((index >= start) & (index < start + parent.size))
                rows = row[index[inside] - start]
                elements = inside[rows >= 0]
                if len(elements):
                    leaves = group.leaves[rows[rows >= 0]]
                    groups.append(Group(group.formula, elements, leaves))
            start += parent.size
        return groups

    def _written_sum(self, node: Node) -> list[Group]:
        """A short sum (of products) as one formula."""
        width = node.maps[0].shape[1]
        places = slots(width * len(node.maps))
        if node.kind is NodeKind.PRODUCT:
            parts = [
                (parent, index[:, k])
                for k in range(width)
                for parent, index in zip(node.parents, node.maps, strict=True)
            ]
            total = sympy.Add(*[places[2 * k] * places[2 * k + 1] for k in range(width)])
        else:
            gathered = [_column(node, k) for k in range(width)]
            for column in gathered:
                self._readings[column] = merged(self._moved(column))
            parts = [(column, numpy.arange(node.size)) for column in gathered]
            total = sympy.Add(*places)
        return self._composed(node, parts, total)

    def _composed(
        self, node: Node, parts: Sequence[tuple[Node, Index]], formula: Any
    ) -> list[Group]:
        """Substitute the parents' templates into a formula of ``slots(len(parts))``."""
        if not parts:
            elements = numpy.arange(node.size)
            return [Group(formula, elements, numpy.zeros((node.size, 0), dtype=int))]
        memberships = [membership(parent, self._readings[parent]) for parent, _ in parts]
        keys = [group[index] for (group, _), (_, index) in zip(memberships, parts, strict=True)]
        found: list[Group] = []
        for combination in product(*[range(len(self._readings[parent])) for parent, _ in parts]):
            chosen = numpy.flatnonzero(
                numpy.logical_and.reduce(
                    [key == k for key, k in zip(keys, combination, strict=True)]
                )
            )
            if not len(chosen):
                continue
            formulas = []
            columns = []
            for (parent, index), (_, row), k in zip(parts, memberships, combination, strict=True):
                group = self._readings[parent][k]
                formulas.append(group.formula)
                columns.append(group.leaves[row[index[chosen]]])
            found.extend(substituted(formula, formulas, columns, chosen))
            if len(found) > 4 * MOST_GROUPS:
                break
        return merged(found)


def _alike(node: Node) -> list[tuple[Number, Index]]:
    """The different numbers of a constant, each with its elements."""
    if node.source is not None:
        found, inverse = numpy.unique(node.source, return_inverse=True)
        few = found[: WRITTEN_VALUES + 1].tolist()
        return [(exact(value), numpy.flatnonzero(inverse == k)) for k, value in enumerate(few)]
    places: dict[Any, list[int]] = {}
    values = node.values.tolist()
    for k, value in enumerate(values):
        places.setdefault(value if is_rational(value) else str(value), []).append(k)
    return [(values[elements[0]], numpy.array(elements)) for elements in places.values()]


def _pick(formula: Any, used: list[int]) -> Any:
    """The formula in the first ``len(used)`` placeholders."""
    places = slots(formula.arity)
    return formula.expression.xreplace(
        dict(zip([places[k] for k in used], slots(len(used)), strict=True))
    )


def _column(node: Node, k: int) -> Node:
    """The k-th terms of a sum as a move."""
    return Node(NodeKind.MOVE, node.shape, node.dtype, None, node.parents, (node.maps[0][:, k],))
