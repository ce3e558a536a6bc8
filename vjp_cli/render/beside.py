"""Tables side by side where the width allows it, below each other where it does not."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from vjp_cli.render.grid import Grid, draw
from vjp_cli.render.screen import Screen
from vjp_cli.render.tables import Table

_BETWEEN = "   "


def draw_tables(screen: Screen, tables: Iterable[Table]) -> None:
    """Draw the tables from left to right, and go on below where the line is full."""
    grids = [
        grid
        for table in tables
        for grid in draw(table, screen.width, screen.view.full, screen.spell)
    ]
    while grids:
        beside = [grids.pop(0)]
        while grids and _width([*beside, grids[0]]) <= screen.width:
            beside.append(grids.pop(0))
        _side_by_side(screen, beside)


def _width(grids: Sequence[Grid]) -> int:
    return sum(grid.width + len(_BETWEEN) for grid in grids) - len(_BETWEEN)


def _side_by_side(screen: Screen, grids: Sequence[Grid]) -> None:
    screen.line(screen.styled(()))
    for row in zip_longest(*(grid.lines for grid in grids)):
        line = screen.styled(())
        for grid, segments in zip(grids, row, strict=True):
            drawn = screen.styled(segments or ())
            line += drawn + (" " * (grid.width - drawn.cell_len) + _BETWEEN)
        screen.line(line)
    for grid in grids:
        for sentence in grid.hidden:
            screen.words(sentence)
