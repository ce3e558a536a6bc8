"""Which rows and columns of a table are shown where not all of them fit."""

from collections.abc import Callable, Sequence

# Longer tables are cut, to as many rows as show what is in them; a pipe has no screen to fill.
MOST_ROWS = 40
_FIRST_ROWS = 10
# Beyond this a matrix is no longer read, even where the width would allow it.
MOST_COLUMNS = 400
# So few columns are shown one below the other rather than left out.
FEW_COLUMNS = 4
# No screen is as wide as this.
_SCREEN = 10_000
GAP = 2

Widths = Callable[[int], int]


def rows_shown(count: int, room: int) -> list[int | None]:
    """The rows to show of ``count``; None stands for those left out."""
    if count <= (MOST_COLUMNS if is_pipe(room) else MOST_ROWS):
        return list(range(count))
    return [*range(_FIRST_ROWS), None, count - 1]


def is_pipe(room: int) -> bool:
    """Whether so many columns are those of a pipe or a file, which has no width."""
    return room > _SCREEN


def columns_shown(count: int, width: Widths, room: int) -> list[int | None]:
    """The columns to show of ``count``, the first ones and the last; None for those left out.

    Args:
        count: at least 2.
        width: the width of a column; asked only for those that may be shown.
        room: the width there is. Where it is too small for the first and the last column they are
            shown all the same: a line too long is better than no number.
    """
    fitting = _fitting(range(min(count, MOST_COLUMNS)), width, room)
    if fitting == count:
        return list(range(count))
    reserved = width(count - 1) + len(more(count)) + 2 * GAP
    first = max(1, _fitting(range(min(fitting, count - 2)), width, room - reserved))
    return [*range(first), *([None] if first + 1 < count else []), count - 1]


def chunks(count: int, width: Widths, room: int) -> list[list[int]]:
    """All of ``count`` columns, cut into groups that fit ``room``; at least one in each group."""
    groups: list[list[int]] = []
    start = 0
    while start < count:
        end = start + max(1, _fitting(range(start, count), width, room))
        groups.append(list(range(start, end)))
        start = end
    return groups


def more(hidden: int) -> str:
    """How a place is labelled that stands for what is left out."""
    return f"… {hidden} more"


def hidden_line(hidden: int, what: str) -> str:
    """The sentence that says what is left out, and where to see it."""
    plural = "" if hidden == 1 else "s"
    return f"{hidden} more {what}{plural} not shown (--full, --json)"


def _fitting(columns: Sequence[int], width: Widths, room: int) -> int:
    """How many of ``columns``, from the first, fit side by side."""
    total = -GAP
    for count, column in enumerate(columns):
        total += width(column) + GAP
        if total > room:
            return count
    return len(columns)
