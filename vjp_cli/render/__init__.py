"""From a report to text, in one of the formats."""

import pkgutil
from dataclasses import dataclass

from vjp_cli.render.formats import FORMATS
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
        max_entries: J is written in full up to this many entries, and by coordinates beyond.
    """

    width: int = 80
    color: bool = False
    unicode: bool = True
    full: bool = False
    max_entries: int = 1_000_000


def render(report: Report, fmt: Format, view: View) -> str:
    """``report`` in the format ``fmt``; the text ends with one newline."""
    renderer = pkgutil.resolve_name(FORMATS[fmt].renderer)
    text: str = renderer(report, view)
    return text
