"""Tables cut to what fits a page, for the formats that are documents."""

from collections.abc import Sequence
from dataclasses import dataclass

from vjp_cli.render.tables import Cell, Table

_COLUMNS = 12
_ROWS = 40
DOTS = "…"


@dataclass(frozen=True)
class Excerpt:
    """The names and cells of a table that are shown; dots stand for those left out.

    Attributes:
        hidden: what is left out, in words; "" for nothing.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    hidden: str = ""


def excerpt(table: Table, full: bool) -> Excerpt:
    """The first rows and columns of ``table`` and the last ones; all of them where ``full``."""
    rows, columns = len(table.rows), len(table.columns)
    shown_rows = kept(rows, rows if full else _ROWS)
    shown_columns = kept(columns, columns if full else _COLUMNS)

    def cell(row: int | None, column: int | None) -> Cell:
        return Cell(DOTS) if row is None or column is None else table.cell(row, column)

    return Excerpt(
        table.title,
        _names(table.columns, shown_columns),
        tuple(
            (name, tuple(cell(row, column) for column in shown_columns))
            for name, row in zip(_names(table.rows, shown_rows), shown_rows, strict=True)
        ),
        " and ".join(
            filter(
                None, (_hidden(rows, shown_rows, "row"), _hidden(columns, shown_columns, "column"))
            )
        ),
    )


def kept(count: int, most: int) -> list[int | None]:
    """The positions of ``count`` that are shown where ``most`` fit; None for those left out."""
    if count <= most:
        return list(range(count))
    return [*range(most - 2), None, count - 1]


def _names(names: Sequence[str], positions: Sequence[int | None]) -> tuple[str, ...]:
    return tuple(DOTS if k is None else names[k] for k in positions)


def _hidden(count: int, shown: Sequence[int | None], what: str) -> str:
    hidden = count - len(shown) + 1
    return f"{hidden} {what}s" if None in shown else ""
