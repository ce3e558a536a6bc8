"""Tables as lines of characters: names on both axes, decimal points below each other.

A line is a list of segments, (text, role); the role is ``name``, ``rule``, a verdict or nothing,
and says what a screen may colour. Widths are measured here, and what does not fit is left out in
whole columns and rows, with a count.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from vjp_cli.render.elide import (
    FEW_COLUMNS,
    GAP,
    chunks,
    columns_shown,
    hidden_line,
    more,
    rows_shown,
)
from vjp_cli.render.numbers import align
from vjp_cli.render.tables import Axis, Cell, Table
from vjp_cli.report import Verdict

Segment = tuple[str, str]
Spell = Callable[[str], str]

BAR = " │ "


@dataclass(frozen=True)
class Grid:
    """A drawn table: lines of one width, and a sentence for each way in which it was cut."""

    lines: tuple[tuple[Segment, ...], ...]
    width: int
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Column:
    """A header and its cells, all of one width."""

    cells: tuple[Segment, ...]
    width: int


def draw(table: Table, room: int, full: bool, spell: Spell) -> list[Grid]:
    """``table`` drawn in ``room`` characters; with ``full`` in as many grids as it takes."""
    count = len(table.columns)
    if not table.rows or not count:
        shape = f" ({len(table.rows)}x{count})" if isinstance(table.columns, Axis) else ""
        text = spell(f"{table.title} has no entries{shape}")
        return [Grid((((text, ""),),), cell_width(text))]
    rows = list(range(len(table.rows))) if full else rows_shown(len(table.rows), room)
    names = _names(table, rows, spell)

    @cache
    def column(index: int) -> _Column:
        return _cells(table, rows, index, spell)

    def width(index: int) -> int:
        return column(index).width

    room -= names.width + len(BAR)
    if full or count <= FEW_COLUMNS:
        sentences = _sentences(table, rows, 0)
        groups = chunks(count, width, room)
        return [_grid(names, [column(k) for k in group], sentences) for group in groups]
    shown = columns_shown(count, width, room)
    hidden = count - len(shown) + 1 if None in shown else 0
    columns = [_gap(hidden, len(rows), spell) if k is None else column(k) for k in shown]
    return [_grid(names, columns, _sentences(table, rows, hidden))]


def cell_width(text: str) -> int:
    """The columns of a screen that ``text`` takes."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


def _grid(names: _Column, columns: Sequence[_Column], hidden: tuple[str, ...]) -> Grid:
    width = sum(column.width + GAP for column in columns) - GAP
    rule = "─" * (names.width + 1) + "┼" + "─" * (width + 1)
    lines = [
        (name, (BAR, "rule"), *_spaced([column.cells[line] for column in columns]))
        for line, name in enumerate(names.cells)
    ]
    return Grid((lines[0], ((rule, "rule"),), *lines[1:]), len(rule), hidden)


def _spaced(cells: Sequence[Segment]) -> list[Segment]:
    """``cells`` with gaps between them, neighbours of one role joined: a few long segments."""
    spaced = [segment for cell in cells for segment in ((" " * GAP, ""), cell)][1:]
    return [
        ("".join(text for text, _ in run), role)
        for role, run in groupby(spaced, key=lambda segment: segment[1])
    ]


def _names(table: Table, rows: Sequence[int | None], spell: Spell) -> _Column:
    hidden = more(len(table.rows) - len(rows) + 1)
    texts = [table.title, *(hidden if row is None else table.rows[row] for row in rows)]
    spelt = [spell(text) for text in texts]
    width = max(map(cell_width, spelt))
    return _Column(
        tuple((text + " " * (width - cell_width(text)), "name") for text in spelt), width
    )


def _cells(table: Table, rows: Sequence[int | None], index: int, spell: Spell) -> _Column:
    cells = [Cell("…") if row is None else table.cell(row, index) for row in rows]
    texts = align([spell(cell.text) for cell in cells])
    if any(cell.mark for cell in cells):
        wide = max(len(cell.mark) for cell in cells)
        texts = [_marked(text, cell.mark, wide) for text, cell in zip(texts, cells, strict=True)]
    header = spell(table.columns[index])
    width = max(cell_width(header), len(texts[0]))
    roles = [cell.verdict if cell.verdict is not Verdict.OK else "" for cell in cells]
    return _Column(
        (
            (" " * (width - cell_width(header)) + header, "name"),
            *((text.rjust(width), role) for text, role in zip(texts, roles, strict=True)),
        ),
        width,
    )


def _marked(text: str, mark: str, width: int) -> str:
    """``text`` with the mark beside its last digit."""
    number = text.rstrip()
    return f"{number} {mark}".ljust(len(text) + 1 + width)


def _gap(hidden: int, rows: int, spell: Spell) -> _Column:
    """The column that stands for the ``hidden`` ones."""
    label, dots = spell(more(hidden)), spell("…")
    return _Column(((label, "name"), *[(dots.center(len(label)), "")] * rows), len(label))


def _sentences(table: Table, rows: Sequence[int | None], columns: int) -> tuple[str, ...]:
    hidden = {"column": columns, "row": len(table.rows) - len(rows) + 1 if None in rows else 0}
    return tuple(
        f"{table.title}: {hidden_line(count, what)}" for what, count in hidden.items() if count
    )
