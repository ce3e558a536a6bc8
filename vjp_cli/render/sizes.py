"""Small, middle or large: how a J of some size is shown on a screen of some width."""

from enum import StrEnum

from vjp_cli.render.elide import MOST_COLUMNS, MOST_ROWS, is_pipe
from vjp_cli.render.grid import draw
from vjp_cli.render.screen import Screen
from vjp_cli.render.tables import jacobian_table
from vjp_cli.report import Report

# A matrix of numbers is read up to about a dozen rows of a dozen columns.
_MOST_ENTRIES = 144
# What a program reads from a pipe may be longer.
_MOST_PIPED = 10_000


class Size(StrEnum):
    """The layouts: every number, a picture with the worst entries, or a pattern with them."""

    SMALL = "small"
    MIDDLE = "middle"
    LARGE = "large"


def size_of(screen: Screen, report: Report, name: str) -> Size:
    """The layout for the J by one input, and for its vᵀJ where no J was built."""
    if screen.view.full:
        return Size.SMALL
    rows, columns = len(report.output.value.values), len(report.inputs[name].values)
    count = rows * columns
    if max(rows, columns) > MOST_COLUMNS:
        return Size.LARGE
    if report.jacobian is None:
        return Size.SMALL
    if is_pipe(screen.width):
        return Size.SMALL if count <= _MOST_PIPED else Size.MIDDLE
    if count > _MOST_ENTRIES or max(rows, columns) > MOST_ROWS:
        return Size.MIDDLE
    grids = draw(jacobian_table(report, name), screen.width, False, screen.spell)
    return Size.MIDDLE if any(grid.hidden for grid in grids) else Size.SMALL
