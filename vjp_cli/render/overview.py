"""The section of an input whose J is too large to be read: a picture, norms, the worst entries."""

from collections.abc import Sequence

from vjp_cli.render.beside import draw_tables
from vjp_cli.render.elide import MOST_ROWS
from vjp_cli.render.frame import Line
from vjp_cli.render.heat import heat
from vjp_cli.render.jacobian_entries import entries_of
from vjp_cli.render.screen import Screen
from vjp_cli.render.sizes import Size
from vjp_cli.render.spy import spy
from vjp_cli.render.summary import (
    norms_line,
    sample_table,
    sight_lines,
    worst_lines,
    worst_table,
    worst_vjp_table,
)
from vjp_cli.render.tables import transposed
from vjp_cli.report import Report

# a picture gains nothing from more columns, and a pipe has no end of them
_WIDEST = 120


def draw_overview(screen: Screen, report: Report, name: str, size: Size) -> None:
    """What stands in the place of the J by one input."""
    entries = entries_of(report, name)
    title, room = "Jᵀ" if transposed(report) else "J", min(screen.width, _WIDEST)
    if size is Size.LARGE:
        picture, sentence = spy(entries, room, title)
        legend = [sentence]
    else:
        picture, legend = heat(entries, room, title)
    _picture(screen, picture)
    worst = worst_table(entries)
    sentences = [*legend, norms_line(entries), *worst_lines(entries)]
    if worst is None and bool((entries.errors == 0).any()):
        sentences.append("no entry differs from its truth, rounded to a double")
    for words in filter(None, sentences):
        screen.words(words)
    tables = [worst] if worst is not None else []
    if size is Size.LARGE:
        tables.append(sample_table(entries))
    draw_tables(screen, tables)


def draw_worst_vjp(screen: Screen, report: Report, name: str) -> None:
    """The worst entries of a vᵀJ that is too long to be shown."""
    if len(report.inputs[name].values) > MOST_ROWS and not screen.view.full:
        worst = worst_vjp_table(report, name)
        draw_tables(screen, [] if worst is None else [worst])


def draw_sight(screen: Screen, report: Report, name: str, size: Size) -> None:
    """Of a large J: what was compared, and how well."""
    if size is not Size.LARGE:
        return
    for words in sight_lines(report, name):
        screen.words(words)


def _picture(screen: Screen, lines: Sequence[Line]) -> None:
    screen.line(screen.styled(()))
    for line in lines:
        screen.line(screen.styled(line))
