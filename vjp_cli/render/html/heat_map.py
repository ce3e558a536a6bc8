"""J as a heat map with v and the product along its sides, in one picture."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from vjp_cli.render.html.svg import icon, label, mark, picture, rectangle, titled
from vjp_cli.render.numbers import full, rounded, short
from vjp_cli.render.tables import Cell, Table
from vjp_cli.report import Verdict

# more cells than these are no longer told apart
MOST_ROWS = 40
MOST_COLUMNS = 32
# so many columns have room for numbers
_NUMBERED = 10
LEVELS = 5
# a number beside J is written even where J has no room for its own
_BESIDE = 74.0
_LETTER = 7.3
_GAP = 18
_HEAD = 26


@dataclass(frozen=True)
class Side:
    """Numbers along an edge of J: v, or the product."""

    name: str
    cells: Sequence[Cell]


def heat_map(
    jacobian: Table, by_output: Sequence[Side], by_input: Sequence[Side], turned: bool
) -> str:
    """The picture.

    Args:
        jacobian: the table of J, of at most ``MOST_ROWS`` x ``MOST_COLUMNS``; turned, that of Jᵀ.
        by_output: what has a number for each output: v.
        by_input: what has one for each element of the input: vᵀJ.
        turned: whether the outputs are columns.
    """
    beside, below = (by_input, by_output) if turned else (by_output, by_input)
    return _Map(jacobian, beside, below).drawn()


class _Map:
    def __init__(self, table: Table, beside: Sequence[Side], below: Sequence[Side]) -> None:
        self.table, self.beside, self.below = table, beside, below
        columns = len(table.columns)
        self.numbers = columns <= _NUMBERED
        self.width, self.height = (74.0, 34.0) if self.numbers else (24.0, 22.0)
        names = [*table.rows, *(side.name for side in below)]
        self.left = max(len(name) for name in names) * _LETTER + 12
        # names over narrow columns are turned
        longest = max((len(name) for name in table.columns), default=0)
        self.top = float(_HEAD if self.numbers else longest * _LETTER + 12)
        self.most = max((_size(cell) for cell in self._all()), default=0.0)

    def _all(self) -> Iterator[Cell]:
        for row in range(len(self.table.rows)):
            for column in range(len(self.table.columns)):
                yield self.table.cell(row, column)

    def drawn(self) -> str:
        rows, columns = len(self.table.rows), len(self.table.columns)
        parts = [*self._names(), *self._matrix(), *self._beside(), *self._below()]
        right = self.left + columns * self.width
        width = right + len(self.beside) * (_BESIDE + _GAP) + 8
        height = self.top + rows * self.height + len(self.below) * (self.height + _GAP) + 8
        name = (
            f"{self.table.title}: {rows} rows, {columns} columns; the table below has the numbers"
        )
        return picture(name, (width, height), parts)

    def _names(self) -> Iterator[str]:
        yield label(self.table.title, self.left - 8, self.top - 9, "name", "end", "strong")
        for row, name in enumerate(self.table.rows):
            yield label(name, self.left - 8, self._y(row) + self.height / 2 + 4, "name", "end")
        for column, name in enumerate(self.table.columns):
            x = self._x(column) + self.width / 2
            if self.numbers:
                yield label(name, x, self.top - 9, "name", "middle")
            else:
                turned = label(name, 0, 4, "name")
                yield f'<g transform="translate({x:g} {self.top - 6:g}) rotate(-90)">{turned}</g>'

    def _matrix(self) -> Iterator[str]:
        for row, output in enumerate(self.table.rows):
            for column, of in enumerate(self.table.columns):
                cell = self.table.cell(row, column)
                place = self._x(column), self._y(row)
                yield self._cell(
                    f"{output}, {of}", cell, place, (self.width, _class(cell, self.most))
                )

    def _beside(self) -> Iterator[str]:
        x = self.left + len(self.table.columns) * self.width + _GAP
        for side in self.beside:
            yield label(side.name, x + _BESIDE / 2, self.top - 9, "name", "middle", "strong")
            for row, (name, cell) in enumerate(zip(self.table.rows, side.cells, strict=True)):
                yield self._cell(
                    f"{side.name} at {name}", cell, (x, self._y(row)), (_BESIDE, "side")
                )
            x += _BESIDE + _GAP

    def _below(self) -> Iterator[str]:
        y = self._y(len(self.table.rows)) + _GAP
        for side in self.below:
            yield label(side.name, self.left - 8, y + self.height / 2 + 4, "name", "end", "strong")
            for column, (name, cell) in enumerate(zip(self.table.columns, side.cells, strict=True)):
                # without room for numbers the colours say which are large
                look = "side" if self.numbers else _class(cell, max(map(_size, side.cells)))
                place = self._x(column), y
                yield self._cell(f"{side.name} at {name}", cell, place, (self.width, look))
            y += self.height + _GAP

    def _cell(
        self, name: str, cell: Cell, place: tuple[float, float], look: tuple[float, str]
    ) -> str:
        (x, y), (width, classes) = place, look
        parts = [rectangle((x + 1, y + 1), (width - 2, self.height - 2), classes)]
        if width > 60 or cell.structural:
            written = brief(cell)
            size = "tiny" if len(written) > 11 else "small" if len(written) > 9 else ""
            middle = x + width / 2, y + self.height / 2 + 4
            on_dark = "light" if classes.endswith(str(LEVELS)) else ""
            parts.append(label(written, *middle, "number", "middle", size, on_dark))
        if cell.verdict is not Verdict.OK:
            parts.append(rectangle((x + 2, y + 2), (width - 4, self.height - 4), "frame"))
            parts.append(mark(cell.verdict, x + width - 9, y + 9))
        return titled(f"{name}: {_words(cell)}", *parts)

    def _x(self, column: int) -> float:
        return self.left + column * self.width

    def _y(self, row: int) -> float:
        return self.top + row * self.height


def key(cells: Iterable[Cell]) -> str:
    """What the colours, and the shapes that appear, mean."""
    shown = list(cells)
    most = max(map(_size, shown), default=0.0)
    parts = []
    if most:
        levels = range(1, LEVELS + 1)
        signed = not any(isinstance(cell.value, complex) for cell in shown)
        swatches = [f"n{k}" for k in reversed(levels)] if signed else []
        swatches += [f"p{k}" for k in levels]
        drawn = "".join(rectangle((12.0 * k, 0), (12, 12), each) for k, each in enumerate(swatches))
        size = f'width="{12 * len(swatches)}" height="12"'
        scale = f'<svg class="map" {size} aria-hidden="true">{drawn}</svg>'
        parts.append(f"<span>{f'−{short(most)}' if signed else 0} {scale} {short(most)}</span>")
    if any(cell.structural for cell in shown):
        parts.append("<span>·&#160; structural zero</span>")
    seen = {cell.verdict for cell in shown} - {Verdict.OK}
    for verdict in sorted(seen, key=lambda each: -each.severity):
        parts.append(f'<span class="{verdict}">{icon(verdict)}{verdict}</span>')
    return f'<p class="key">{"".join(parts)}</p>'


def _class(cell: Cell, most: float) -> str:
    if cell.structural:
        return "none"
    size = _size(cell)
    if not size:
        odd = not isinstance(cell.value, (int, float)) or cell.value != 0
        return "odd" if odd else "zero"
    assert isinstance(cell.value, (int, float, complex))
    level = level_of(size, most)
    # a complex number has no sign
    return f"{'n' if isinstance(cell.value, (int, float)) and cell.value < 0 else 'p'}{level}"


def brief(cell: Cell) -> str:
    """The number in so few digits that it stays within its cell; the others are on hover."""
    if cell.structural or cell.value is None or isinstance(cell.value, str):
        return cell.text
    return rounded(cell.value, 2 if isinstance(cell.value, complex) else 4)


def level_of(size: float, most: float) -> int:
    """1 to ``LEVELS`` on a logarithmic scale: half a decade below the largest is one less."""
    # a quotient of the two may be infinite
    return max(1, LEVELS - int(2 * (math.log10(most) - math.log10(size))))


def _size(cell: Cell) -> float:
    """The absolute value; 0 for what has none or is not finite."""
    value = cell.value
    if value is None or isinstance(value, str):
        return 0.0
    size = abs(value)
    return size if math.isfinite(size) else 0.0


def _words(cell: Cell) -> str:
    """The number with all its digits, and its verdict."""
    if cell.structural:
        return "structural zero"
    number = cell.text if cell.value is None or isinstance(cell.value, str) else full(cell.value)
    return number if cell.verdict is Verdict.OK else f"{number} ({cell.verdict})"
