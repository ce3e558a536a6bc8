"""The blocks of a section as HTML."""

from collections.abc import Iterator, Sequence

from vjp_cli.render import View, lines
from vjp_cli.render.excerpt import excerpt
from vjp_cli.render.html.elements import scrolled, tabulated, verdict, words
from vjp_cli.render.html.heat_map import MOST_COLUMNS, MOST_ROWS, Side, heat_map, key
from vjp_cli.render.html.mathml import equation
from vjp_cli.render.html.spy import spy, spy_key
from vjp_cli.render.html.svg import icon, text
from vjp_cli.render.html.worst import worst_entries
from vjp_cli.render.sections import Block, Checks, Code, Findings, Formulas, Section, Tables, Words
from vjp_cli.render.tables import Cell, Table, transposed
from vjp_cli.report import Finding, FormulaGroup, Report, Verdict

# more findings than these are no longer read
_MOST_FINDINGS = 40
# a module has hundreds of parameters, and a picture some 300 kB
_PICTURES = 12
# a longer table is opened by who wants it
_SHORT = 14


def block(part: Block, report: Report, view: View) -> Iterator[str]:
    """One block, in elements that stand below each other."""
    match part:
        case Words(texts):
            yield words(texts)
        case Formulas(groups):
            yield from map(_formula, groups)
        case Code(shown, _):
            yield scrolled("pre", "\n".join(map(text, shown)), "lines")
        case Tables(tables):
            yield from (grid(table, view) for table in tables)
        case Checks(checks):
            rows = [lines.check_line(check) for check in checks]
            cells = [[text(r.label), verdict(r.verdict), text(r.text)] for r in rows]
            yield tabulated("checks", ["check", "verdict", "compared"], cells, "bare")
        case Findings(findings):
            yield from (_finding(finding, report) for finding in findings[:_MOST_FINDINGS])
            if len(findings) > _MOST_FINDINGS:
                yield words((f"{len(findings) - _MOST_FINDINGS} more findings (--json)",))


def jacobian(report: Report, name: str, section: Section, view: View) -> Iterator[str]:
    """The section of one input: a picture of J, v and the product, then their numbers in tables."""
    for part in section.blocks:
        if not isinstance(part, Tables):
            yield from block(part, report, view)
            continue
        if report.jacobian is not None:
            yield _figure(report, name, part.tables)
        first, others = part.tables[:1], part.tables[1:]
        *rest, product = others or first
        if product.title not in ("J", "Jᵀ", "v"):
            made = grid(product, view)
            name_of = f"<summary>{product.title}, all {len(product.rows)} numbers</summary>"
            short = len(product.rows) <= _SHORT
            yield made if short else f"<details>{name_of}{made}</details>"
        hidden = [table for table in (*first, *rest) if table is not product]
        tables = "".join(grid(table, view) for table in hidden if len(table.columns))
        if tables:
            yield f"<details><summary>The numbers as tables</summary>{tables}</details>"
        yield from worst_entries(report, name)


def _figure(report: Report, name: str, tables: Sequence[Table]) -> str:
    shown, turned = tables[0], transposed(report)
    rows, columns = len(shown.rows), len(shown.columns)
    if not rows * columns:
        return words((f"J has no entries: {rows} rows, {columns} columns.",))
    if report.problem.wrt.index(name) >= _PICTURES:
        return words((f"Only the first {_PICTURES} inputs have a picture.",))
    if rows > MOST_ROWS or columns > MOST_COLUMNS:
        return scrolled("figure", spy(report, name), "picture of J") + spy_key(report, name)
    by_output = [side for table in tables[1:] if table.title == "v" for side in _sides(table, 0)]
    # the product has its exact value and the difference in two more columns
    by_input = [side for table in tables[1:] if table.title != "v" for side in _sides(table, 2)]
    drawn = heat_map(shown, by_output, by_input, turned)
    made = scrolled("figure", drawn, "picture of J, v and their product")
    return made + key(cell for row in range(rows) for cell in _row(shown, row))


def _sides(table: Table, others: int) -> Iterator[Side]:
    """A side for each column but the last ``others``; of several, each has its number."""
    count = len(table.columns) - others
    for k in range(count):
        number = table.columns[k].removeprefix("v ") if count > 1 else ""
        cells = [table.cell(row, k) for row in range(len(table.rows))]
        yield Side(f"{table.title} {number}".rstrip(), cells)


def grid(table: Table, view: View) -> str:
    """A table of numbers, cut unless ``view.full``."""
    shown = excerpt(table, view.full)
    rows = [[text(name), *map(_number, cells)] for name, cells in shown.rows]
    more = f"{shown.hidden} not shown (--full, --format csv)" if shown.hidden else ""
    made = tabulated(shown.title, ["", *map(text, shown.columns)], rows, "numbers")
    return made + (f'<p class="quiet">{text(more)}</p>' if more else "")


def _row(table: Table, row: int) -> Iterator[Cell]:
    return (table.cell(row, column) for column in range(len(table.columns)))


def _number(cell: Cell) -> str:
    shown = text(cell.text)
    if cell.sign:
        return f"{shown} <span>{text(cell.sign)}</span>"
    if cell.verdict is Verdict.OK:
        return f'<span class="none">{shown}</span>' if cell.structural else shown
    said = f'<span class="verdict {cell.verdict}" title="{cell.verdict}">'
    return f"{said}{shown}{icon(cell.verdict)}</span>"


def _formula(group: FormulaGroup) -> str:
    count = f'<span class="quiet">{group.count} entries</span>' if group.count > 1 else ""
    named = ", ".join(f"<code>{text(each)}</code>" for each in group.definitions)
    where = f'<p class="quiet">where {named}</p>' if named else ""
    made = scrolled("div", equation(group), "formula")
    return f'<div class="formula">{made}{count}</div>{where}'


def _finding(finding: Finding, report: Report) -> str:
    head, *details = lines.finding_lines(finding, report)
    said = "".join(
        f"<dt>{each.label}</dt><dd>{_said(each.label, each.text)}</dd>" for each in details
    )
    return (
        f'<article class="finding {finding.verdict}"><h3>{icon(finding.verdict)}'
        f"{text(head.text)}</h3><dl>{said}</dl></article>"
    )


def _said(label: str, content: str) -> str:
    return text(content) if label == "cause" else f"<code>{text(content)}</code>"
