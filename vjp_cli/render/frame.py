"""A picture of a matrix with names on its edges, like those of a table."""

from collections.abc import Sequence

from vjp_cli.render.grid import BAR, Segment, cell_width

Line = tuple[Segment, ...]


def framed(
    lines: Sequence[Sequence[Segment]], title: str, rows: Sequence[str], ends: tuple[str, str]
) -> list[Line]:
    """``lines`` below the names of the first and the last column, beside the names of rows.

    Args:
        lines: cells of the picture, all lines of one width.
        title: for the corner.
        rows: a name for each line, "" for none.
        ends: the names of the first and the last column.
    """
    width = sum(cell_width(text) for text, _ in lines[0])
    label = max(map(cell_width, (title, *rows)))
    first, last = ends
    gap = width - cell_width(first) - cell_width(last)
    header = first if first == last else f"{first}{' ' * gap if gap > 1 else ' … '}{last}"
    rule = "─" * (label + 1) + "┼" + "─" * (max(width, cell_width(header)) + 1)

    def named(name: str) -> Segment:
        return name + " " * (label - cell_width(name)), "name"

    return [
        (named(title), (BAR, "rule"), (header, "name")),
        ((rule, "rule"),),
        *((named(n), (BAR, "rule"), *line) for n, line in zip(rows, lines, strict=True)),
    ]
