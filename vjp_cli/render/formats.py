"""The formats of a report: a row for each, and what the name of a file says."""

from dataclasses import dataclass

from vjp_cli.settings import Format


@dataclass(frozen=True)
class FormatRow:
    """How a format is written.

    Attributes:
        renderer: the function from (report, view) to text. Named, not imported: rich is loaded only
            for the format that needs it.
        suffixes: the names of files that are written so where no format is asked for.
    """

    renderer: str
    suffixes: tuple[str, ...]


FORMATS: dict[Format, FormatRow] = {
    Format.TABLE: FormatRow("vjp_cli.render.terminal:render_terminal", (".txt",)),
    Format.PLAIN: FormatRow("vjp_cli.render.records:render_plain", ()),
    Format.JSON: FormatRow("vjp_cli.render.json:render_json", (".json",)),
    # one line is what JSON is written on anyway
    Format.JSONL: FormatRow("vjp_cli.render.json:render_json", (".jsonl", ".ndjson")),
    Format.CSV: FormatRow("vjp_cli.render.records:render_csv", (".csv",)),
    Format.TSV: FormatRow("vjp_cli.render.records:render_tsv", (".tsv",)),
    Format.MARKDOWN: FormatRow("vjp_cli.render.markdown:render_markdown", (".md", ".markdown")),
    Format.LATEX: FormatRow("vjp_cli.render.latex:render_latex", (".tex",)),
    Format.HTML: FormatRow("vjp_cli.render.html.page:render_html", (".html", ".htm")),
}


def format_by_suffix(path: str) -> Format | None:
    """The format that the end of a file's name stands for."""
    name = path.lower()
    for fmt, row in FORMATS.items():
        if name.endswith(row.suffixes):
            return fmt
    return None
