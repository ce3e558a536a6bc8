"""From a report to text: one row for each output format."""

import pkgutil
from dataclasses import dataclass

from vjp_cli.report import Report
from vjp_cli.settings import Format


@dataclass(frozen=True)
class View:
    """How a text will be looked at.

    Attributes:
        width: the columns of the screen; a large number when nothing should be cut.
        color: whether colour codes may appear. They are never the only sign.
        unicode: whether characters outside ASCII may appear.
        full: nothing is left out, however many rows and columns there are.
        max_entries: JSON nests J up to this many entries, and lists coordinates beyond.
    """

    width: int = 80
    color: bool = False
    unicode: bool = True
    full: bool = False
    max_entries: int = 1_000_000


# Named, not imported: rich is loaded only for the format that needs it.
RENDERERS: dict[Format, str] = {
    Format.TABLE: "vjp_cli.render.terminal:render_terminal",
    Format.JSON: "vjp_cli.render.json:render_json",
}


def render(report: Report, fmt: Format, view: View) -> str:
    """``report`` in the format ``fmt``; the text ends with one newline."""
    renderer = pkgutil.resolve_name(RENDERERS[fmt])
    text: str = renderer(report, view)
    return text
