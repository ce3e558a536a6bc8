"""A report in Markdown with tables as GitHub, GitLab and most others read them."""

import re
from collections.abc import Iterator, Sequence

from vjp_cli.errors import clean
from vjp_cli.render import View, lines
from vjp_cli.render.excerpt import excerpt
from vjp_cli.render.sections import (
    Block,
    Checks,
    Code,
    Findings,
    Formulas,
    Tables,
    Words,
    legend,
    sections,
    summary,
)
from vjp_cli.render.spelling import in_ascii
from vjp_cli.render.tables import Cell, Table
from vjp_cli.report import Report

# what Markdown, or HTML inside of it, acts on anywhere in a line
_ACTIVE = re.compile(r"([\\`*_\[\]<>|~#&$])")


def render_markdown(report: Report, view: View) -> str:
    """The report as a document; tables of more than a page are cut unless ``view.full``."""
    blocks = [f"# {report.verdict}: {code(lines.headline(report)[0])}"]
    blocks.append("\n".join(f"- {_text(line)}" for line in summary(report)))
    for number, section in enumerate(sections(report)):
        blocks.append(f"## {_text(section.title)}")
        for block in section.blocks:
            blocks += _block(block, report, view)
        signs = legend(report)
        if number == len(report.problem.wrt) - 1 and signs:
            blocks.append(" · ".join(code(sign[0]) + _text(sign[1:]) for sign in signs))
    document = "\n\n".join(blocks) + "\n"
    return document if view.unicode else in_ascii(document)


def code(text: str) -> str:
    """``text`` as code, in more backticks than it has in a row."""
    text = clean(text)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def _text(text: str) -> str:
    return _ACTIVE.sub(r"\\\1", clean(text))


def _block(block: Block, report: Report, view: View) -> Iterator[str]:
    match block:
        case Words(texts):
            yield _items([_text(text) for text in texts])
        case Formulas(groups):
            yield _fenced(lines.formula_lines(groups), "text")
        case Code(shown, shell):
            yield _fenced(shown, "sh" if shell else "text")
        case Tables(tables):
            for table in tables:
                yield from _table(table, view.full)
        case Checks(checks):
            rows = [lines.check_line(check) for check in checks]
            cells = [(_text(r.label), str(r.verdict), _text(r.text)) for r in rows]
            yield _grid(("check", "verdict", ""), cells, "---")
        case Findings(findings):
            for finding in findings:
                head, *details = lines.finding_lines(finding, report)
                said = [f"  - {each.label}: {code(each.text)}" for each in details]
                yield "\n".join([f"- **{_text(head.text)}**", *said])


def _items(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else "\n".join(f"- {text}" for text in texts)


def _fenced(shown: Sequence[str], language: str) -> str:
    shown = [clean(line) for line in shown]
    longest = max((len(run) for line in shown for run in re.findall("`+", line)), default=0)
    fence = "`" * max(longest + 1, 3)
    return "\n".join([f"{fence}{language}", *shown, fence])


def _table(table: Table, full: bool) -> Iterator[str]:
    shown = excerpt(table, full)
    rows = [(_name(name), *map(_cell, cells)) for name, cells in shown.rows]
    yield _grid([_text(shown.title), *map(_name, shown.columns)], rows, "--:")
    if shown.hidden:
        yield f"{_text(shown.hidden)} not shown (`--full`, `--format csv`)"


def _name(text: str) -> str:
    """Elements as code; the words of a column as words."""
    return code(text).replace("|", r"\|") if "[" in text else _text(text)


def _cell(cell: Cell) -> str:
    text = _text(cell.text)
    return f"**{text}** {_text(cell.mark)}" if cell.mark else text


def _grid(header: Sequence[str], rows: Sequence[Sequence[str]], rule: str) -> str:
    rules = ["---", *[rule] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, rules, *rows))
