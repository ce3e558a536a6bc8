"""A report as a LaTeX document that compiles by itself, in ASCII, with booktabs and amsmath."""

import unicodedata
from collections.abc import Iterator, Sequence

from vjp_cli.notation import latex_element, latex_greek, latex_number, latex_text, latex_where
from vjp_cli.render import View, lines
from vjp_cli.render.excerpt import DOTS, Excerpt, excerpt
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
from vjp_cli.render.tables import Cell, Table
from vjp_cli.report import FormulaGroup, Report

_HEAD = r"""\documentclass[a4paper]{article}
\IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{}
\usepackage[margin=20mm]{geometry}
\usepackage{amsmath,amssymb,booktabs}
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
\setlength{\fboxsep}{1.5pt}
\setcounter{MaxMatrixCols}{1000}
\emergencystretch=3em
\begin{document}
\raggedright
"""
_SIGNS = {
    "∂": r"\partial",
    "Σ": r"\Sigma",
    "·": r"\cdot",
    "ᵀ": "{}^{T}",
    "…": r"\ldots",
    "±": r"\pm",
    "×": r"\times",
    "≤": r"\leq",
    "≥": r"\geq",
    "⟨": r"\langle",
    "⟩": r"\rangle",
    "⁻": "{}^{-}",
    "√": r"\surd",
    "½": r"\tfrac12",
    "→": r"\to",
    "∞": r"\infty",
    "−": "-",
    **{sign: f"{{}}^{{{k}}}" for k, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
}


def render_latex(report: Report, view: View) -> str:
    """The report as a document; tables of more than a page are cut unless ``view.full``."""
    first = lines.headline(report)[0]
    parts = [_HEAD, rf"\section*{{{_text(str(report.verdict))}: {_code(first)}}}", ""]
    parts.append("\\\\\n".join(map(_text, summary(report))) + "\n")
    for number, section in enumerate(sections(report)):
        parts.append(rf"\subsection*{{{_text(section.title)}}}")
        for block in section.blocks:
            parts += _block(block, report, view)
        signs = legend(report)
        if number == len(report.problem.wrt) - 1 and signs:
            parts.append("\\quad ".join(map(_text, signs)) + "\n")
    return _ascii("\n".join([*parts, r"\end{document}", ""]))


def _block(block: Block, report: Report, view: View) -> Iterator[str]:
    match block:
        case Words(texts):
            yield "\\par\n".join(map(_text, texts)) + "\n"
        case Formulas(groups):
            yield from _formulas(groups)
        case Code(shown, _):
            text = "\\\\\n".join(_code(line) or "~" for line in shown)
            yield f"{{\\footnotesize {text}\\par}}\n"
        case Tables(tables):
            for table in tables:
                yield from _table(table, view.full)
        case Checks(checks):
            rows = [lines.check_line(check) for check in checks]
            cells = [[_text(r.label), _text(str(r.verdict)), _text(r.text)] for r in rows]
            spec = r"p{0.4\linewidth}lp{0.4\linewidth}"
            yield _tabular(spec, ("check", "verdict", ""), cells)
        case Findings(findings):
            for finding in findings:
                head, *details = lines.finding_lines(finding, report)
                said = [rf"\quad {_text(each.label)}: {_code(each.text)}" for each in details]
                yield "\\\\\n".join([rf"\textbf{{{_text(head.text)}}}", *said]) + "\n"


def _formulas(groups: Sequence[FormulaGroup]) -> Iterator[str]:
    rows = []
    for group in groups:
        count = rf" && \text{{{group.count} entries}}" if group.count > 1 else ""
        rows.append(f"{latex_where(group.where)} &= {group.latex}{count}")
    yield "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"
    definitions = [text for group in groups for text in group.definitions]
    if definitions:
        yield "where " + "; ".join(map(_code, definitions)) + "\n"


def _table(table: Table, full: bool) -> Iterator[str]:
    """J, and a column, as a matrix with names on both axes; several numbers for each as a table."""
    shown = excerpt(table, full)
    if not shown.rows or not shown.columns:
        yield f"{_text(shown.title)} has no entries.\n"
        return
    if len(shown.columns) > 1 and "[" not in "".join(shown.columns):
        header = [f"${_title(shown.title)}$", *map(_text, shown.columns)]
        rows = [(f"${_name(name)}$", *map(_cell, cells)) for name, cells in shown.rows]
        yield _tabular("l" + "r" * len(shown.columns), header, rows)
    else:
        yield _matrix(shown)
    if shown.hidden:
        yield _text(f"{shown.hidden} not shown") + "\n"


def _matrix(shown: Excerpt) -> str:
    """A matrix in parentheses with the names of its rows and columns beside it."""
    rows = [" & ".join(_number(cell) for cell in cells) for _, cells in shown.rows]
    names = r" \\ ".join(_name(name) for name, _ in shown.rows)
    body = " \\\\\n".join(rows)
    over = ""
    if any(shown.columns):
        over = r"\quad (" + ", ".join(map(_name, shown.columns)) + ")"
    size = r"\footnotesize" if len(shown.columns) > 8 else r"\normalsize"
    return (
        f"{{{size}\n\\[\n{_title(shown.title)} = "
        f"\\begin{{pmatrix}}\n{body}\n\\end{{pmatrix}}"
        f"\\begin{{matrix}} {names} \\end{{matrix}}{over}\n\\]}}"
    )


def _title(title: str) -> str:
    if title.startswith("∂"):
        return latex_where(title.replace("∂", "d"))
    written = {"J": "J", "Jᵀ": "J^{T}", "v": "v", "vᵀJ": "v^{T} J", "Jᵀv": "J^{T} v", "u": "u"}
    return written.get(title, rf"\text{{{_text(title)}}}")


def _name(name: str) -> str:
    if name == DOTS:
        return r"\cdots"
    return latex_element(name) if name.isidentifier() or "[" in name else rf"\text{{{_text(name)}}}"


def _cell(cell: Cell) -> str:
    return f"${_number(cell)}$"


def _number(cell: Cell) -> str:
    """A number for math; one with a sign beside it stands in a box."""
    if cell.structural:
        return r"\cdot"
    written = latex_number(cell.text) if _is_number(cell) else rf"\text{{{_text(cell.text)}}}"
    return rf"\boxed{{{written}}}^{{\text{{{_text(cell.mark)}}}}}" if cell.mark else written


def _is_number(cell: Cell) -> bool:
    value = cell.value
    return isinstance(value, (int, float)) and value == value and not isinstance(value, bool)


def _tabular(spec: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    shown = " \\\\\n".join(" & ".join(row) for row in rows)
    return (
        f"\\begin{{tabular}}{{{spec}}}\n\\toprule\n{' & '.join(header)} \\\\\n\\midrule\n"
        f"{shown} \\\\\n\\bottomrule\n\\end{{tabular}}\n"
    )


def _text(text: str) -> str:
    return latex_text(text)


def _code(text: str) -> str:
    """Typewriter that may be broken after a blank or a comma, and keeps the first blanks."""
    stripped = text.lstrip(" ")
    written = _text(stripped).replace(",", r",\allowbreak{}")
    return rf"\texttt{{{'~' * (len(text) - len(stripped))}{written}}}" if text else ""


def _ascii(document: str) -> str:
    """The document without letters that a font may not have."""
    return "".join(sign if sign.isascii() else _spelt(sign) for sign in document)


def _spelt(sign: str) -> str:
    if sign in _SIGNS:
        return rf"\ensuremath{{{_SIGNS[sign]}}}"
    name = unicodedata.name(sign, "")
    if name.startswith("GREEK SMALL LETTER ") and (greek := latex_greek(name.split()[-1].lower())):
        return rf"\ensuremath{{{greek}}}"
    return rf"\texttt{{U+{ord(sign):04X}}}"
