"""Entries as records: CSV, TSV, and aligned columns for awk."""

import csv
from collections.abc import Iterable, Iterator
from io import StringIO

from vjp_cli.errors import clean
from vjp_cli.render import View
from vjp_cli.render.entries import Entry, entries
from vjp_cli.render.numbers import full
from vjp_cli.render.tables import element
from vjp_cli.report import Number, Report

COLUMNS = (
    "of",
    "output_index",
    "input",
    "input_index",
    "value",
    "truth",
    "left",
    "right",
    "difference",
    "verdict",
)
_PLAIN = ("of", "output", "input", "value", "truth", "difference", "verdict")
# what makes a spreadsheet take a text for a formula
_FORMULA = ("=", "+", "-", "@")


def render_csv(report: Report, view: View) -> str:
    """A header and a line for each entry, quoted by RFC 4180, with the line ends of a shell."""
    return _separated(report, view, ",")


def render_tsv(report: Report, view: View) -> str:
    """The same with tabs."""
    return _separated(report, view, "\t")


def render_plain(report: Report, view: View) -> str:
    """A line for each entry in aligned columns; ``-`` stands for none, no field has blanks."""
    rows = [_PLAIN, *map(_plain, entries(report, view.max_entries))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  ".join(field.ljust(width) for field, width in zip(row, widths, strict=True)).rstrip()
        + "\n"
        for row in rows
    )


def _separated(report: Report, view: View, separator: str) -> str:
    out = StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_rows(entries(report, view.max_entries)))
    return out.getvalue()


def _rows(found: Iterable[Entry]) -> Iterator[tuple[str, ...]]:
    for entry in found:
        yield (
            entry.of,
            _index(entry.output_index),
            _text(entry.input),
            _index(entry.input_index),
            *map(_number, (entry.value, entry.truth, entry.left, entry.right, entry.difference)),
            _text(entry.verdict or ""),
        )


def _plain(entry: Entry) -> tuple[str, ...]:
    truth = _number(entry.truth)
    if entry.left is not None or entry.right is not None:
        truth = f"{_number(entry.left) or 'none'}|{_number(entry.right) or 'none'}"
    row = (
        entry.of,
        element(entry.output, entry.output_index),
        element(entry.input, entry.input_index),
        _number(entry.value),
        truth,
        _number(entry.difference),
        entry.verdict or "",
    )
    # the parameters of a module may have any name
    return tuple("_".join(clean(field).split()) or "-" for field in row)


def _index(indices: tuple[int, ...]) -> str:
    """``0 1``: no comma, so that it needs no quotes."""
    return " ".join(map(str, indices))


def _number(value: Number | None) -> str:
    return "" if value is None else full(value)


def _text(text: str) -> str:
    """A text that no spreadsheet evaluates, and no terminal."""
    text = clean(text)
    return f"'{text}" if text.startswith(_FORMULA) else text
