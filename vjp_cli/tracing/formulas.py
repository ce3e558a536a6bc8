"""Formulas for people: one line for each group of entries, ``dy[i]/dx[i] = 4*x[i] + 8``."""

from collections.abc import Sequence
from typing import Any

from vjp_cli.lazy import numpy, sympy
from vjp_cli.notation import latex_element, latex_text
from vjp_cli.numbers.formula import slots
from vjp_cli.report import FormulaGroup
from vjp_cli.tracing.groups import Group
from vjp_cli.tracing.node import Index, Node, NodeKind, Shape
from vjp_cli.tracing.templates import WRITTEN_SUM, Named, Reader

# Lines beyond this many are not made: a formula that differs everywhere explains nothing.
MOST_LINES = 12
_LETTERS = "ijklmnpqrst"
_LONGEST = 200


class FormulaWriter:
    """Writes the formulas of one tape's nodes with the names of the inputs."""

    def __init__(self, output: str, written_sum: int = WRITTEN_SUM) -> None:
        self.output = output
        self.reader = Reader(written_sum)

    def values(self, node: Node) -> tuple[FormulaGroup, ...]:
        """``y[i] = …`` for a node."""
        lines = []
        for group in self.reader.read(node)[:MOST_LINES]:
            indices = _Indices(len(group.elements))
            where = f"{self.output}{indices.of(_coordinates(group.elements, node.shape))}"
            lines.append(self._line(where, group, indices))
        return tuple(filter(None, lines))

    def jacobian(
        self,
        node: Node,
        places: tuple[Index, Index],
        shapes: tuple[Shape, Shape],
        name: str,
        chosen: Index,
    ) -> tuple[FormulaGroup, ...]:
        """``dy[i]/dx[j] = …`` for the node that holds the entries of J at (rows, columns).

        Args:
            node: holds the entries.
            places: the rows and columns.
            shapes: of the output and of the input.
            name: of the input.
            chosen: the entries to write.
        """
        lines = []
        for whole in self.reader.read(node)[:MOST_LINES]:
            group = _restricted(whole, chosen, node.size)
            if not len(group.elements):
                continue
            indices = _Indices(len(group.elements))
            row, column = (
                indices.of(_coordinates(place[group.elements], shape))
                for place, shape in zip(places, shapes, strict=True)
            )
            lines.append(self._line(f"d{self.output}{row}/d{name}{column}", group, indices))
        return tuple(filter(None, lines))

    def _line(self, where: str, group: Group, indices: "_Indices") -> FormulaGroup | None:
        """The line; None when the right side needs an index that the left side does not have."""
        letters = indices.letters
        names = []
        used: list[Named] = []
        for k in range(group.leaves.shape[1]):
            owner = self.reader.owner(int(group.leaves[0, k]))
            own = group.leaves[:, k] - owner.start
            if (own < 0).any() or (own >= owner.node.size).any():
                names.append(f"{owner.name}[...]")
            else:
                names.append(owner.name + indices.of(_axes(owner, own)))
            used.append(owner)
        if indices.letters != letters:
            return None
        if len(used) == 1 and group.formula == slots(1)[0] and self._sum_of(used[0]):
            # the entry is the sum itself: no name is needed
            words = self._sum_of(used[0])
            written = rf"\text{{{latex_text(words)}}}"
            return FormulaGroup(where, len(group.elements), words, written)
        symbols = [_symbol(name) for name in names]
        shown = group.formula.xreplace(dict(zip(slots(len(names)), symbols, strict=True)))
        return FormulaGroup(
            where=where,
            count=len(group.elements),
            formula=_cut(text(shown)),
            latex=latex(shown),
            definitions=tuple(dict.fromkeys(filter(None, map(self._definition, used)))),
        )

    def _definition(self, named: Named) -> str:
        """What an intermediate name stands for; "" for an input."""
        node = named.node
        if node.kind is NodeKind.LEAF:
            return ""
        indices = _Indices(node.size)
        where = named.name + indices.of(_axes(named, numpy.arange(node.size)))
        if node.kind is NodeKind.CONSTANT:
            return f"{named.name} is a constant array of the expression"
        made = "" if node.place is None else f" in {node.place.text}"
        words = self._sum_of(named)
        if words:
            return f"{where} = {words}{made}"
        kind = {NodeKind.SUM: "a sum", NodeKind.PRODUCT: "a sum of products"}.get(
            node.kind, "an intermediate value"
        )
        return f"{where} = {kind}{made}"

    def _sum_of(self, named: Named) -> str:
        """``sum of exp(x)`` for an intermediate whose terms are all alike; "" for others."""
        node = named.node
        if node.kind is not NodeKind.SUM or len(node.parents) != 1:
            return ""
        terms = self.reader.read(node.parents[0])
        return f"sum of {self._term(terms[0])}" if len(terms) == 1 else ""

    def _term(self, group: Group) -> str:
        symbols = [
            _symbol(self.reader.owner(int(group.leaves[0, k])).name)
            for k in range(group.leaves.shape[1])
        ]
        return _cut(
            text(group.formula.xreplace(dict(zip(slots(len(symbols)), symbols, strict=True))))
        )


def _axes(named: Named, own: Index) -> list[Any]:
    """The coordinates of elements of a named array; none for an intermediate of one element."""
    if named.node.size == 1 and named.node.kind is not NodeKind.LEAF:
        return []
    return _coordinates(own, named.node.shape)


def _restricted(group: Group, chosen: Index, count: int) -> Group:
    if len(chosen) == count:
        return group
    inside = numpy.isin(group.elements, chosen)
    return Group(group.formula, group.elements[inside], group.leaves[inside])


class _Indices:
    """Letters for the coordinates that vary over a group of ``count`` entries."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._known: list[tuple[str, Index]] = []

    @property
    def letters(self) -> int:
        """How many letters are in use."""
        return len(self._known)

    def of(self, coordinates: Sequence[Index]) -> str:
        """``[i,j+1,0]``: each coordinate as a number, or as a letter plus a number."""
        return f"[{','.join(map(self._one, coordinates))}]" if coordinates else ""

    def _one(self, column: Index) -> str:
        if (column == column[0]).all():
            return str(int(column[0]))
        for letter, known in self._known:
            if ((column - known) == column[0] - known[0]).all():
                return _offset(letter, int(column[0] - known[0]))
            if ((column + known) == column[0] + known[0]).all():
                return f"{int(column[0] + known[0])}-{letter}"
        if len(self._known) == len(_LETTERS):
            return "*"
        # a letter counts from 0, whatever the first coordinate is
        letter = _LETTERS[len(self._known)]
        self._known.append((letter, column))
        return letter


def _offset(letter: str, offset: int) -> str:
    return letter if offset == 0 else f"{letter}{offset:+d}"


def _coordinates(flat: Index, shape: Shape) -> list[Any]:
    return list(numpy.unravel_index(flat, shape)) if shape else []


def _symbol(name: str) -> Any:
    # real, as the placeholders are; only ever printed, so it may be called E or I
    return sympy.Symbol(name, real=True)


def _cut(formula: str) -> str:
    return formula if len(formula) <= _LONGEST else formula[: _LONGEST - 1] + "…"


def latex(expression: Any) -> str:
    """A SymPy expression for LaTeX, by the names of ``_symbol``; in ASCII where it is long."""
    names = {symbol: latex_element(symbol.name) for symbol in expression.free_symbols}
    shown = expression.xreplace({each: _short(each) for each in expression.atoms(sympy.Float)})
    written = str(sympy.latex(shown, symbol_names=names))
    # half a formula is no LaTeX
    if len(written) <= 2 * _LONGEST:
        return written
    return rf"\texttt{{{latex_text(_cut(text(expression)))}}}"


def _short(number: Any) -> Any:
    """A float with just the digits of its shortest form, which is what LaTeX prints of it."""
    digits = repr(float(number))
    return sympy.Float(digits, len(digits.partition("e")[0].replace(".", "").strip("-0")) or 1)


def text(expression: Any) -> str:
    """A SymPy expression in ASCII, floats in their shortest form."""
    floats = {number: sympy.Symbol(repr(float(number))) for number in expression.atoms(sympy.Float)}
    # evaluate=False would reorder nothing, but a negative float as a symbol keeps its own sign
    return str(expression.xreplace(floats)).replace("+ -", "- ")
