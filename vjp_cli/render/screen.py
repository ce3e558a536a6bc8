"""The screen that a report is drawn on: characters, widths and colours, by way of rich."""

from collections.abc import Sequence
from io import StringIO

from rich.console import Console
from rich.text import Text

from vjp_cli.errors import clean
from vjp_cli.render import View
from vjp_cli.render.grid import Segment
from vjp_cli.render.spelling import in_ascii
from vjp_cli.report import Verdict

_STYLES: dict[str, str] = {
    **dict.fromkeys((Verdict.WRONG, Verdict.NAN, Verdict.SATURATED, Verdict.MISSING), "bold red"),
    **dict.fromkeys((Verdict.IMPRECISE, Verdict.UNCHECKED, Verdict.UNDEFINED), "yellow"),
    **dict.fromkeys((Verdict.KINK, Verdict.POLE, Verdict.BY_DESIGN), "cyan"),
    Verdict.OK: "green",
    "name": "bold",
    "rule": "dim",
    "": "",
}
NARROWEST = 20
_MOST_LINES = 12


class Screen:
    """Lines on their way to the reader: spelt in the character set, wrapped, coloured."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.width = max(view.width, NARROWEST)
        self._out = StringIO()
        self._console = Console(
            file=self._out,
            width=self.width,
            force_terminal=view.color,
            color_system="standard" if view.color else None,
            # settled here, so that rich asks no variable of the environment
            height=25,
            no_color=False,
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
        )

    def spell(self, text: str, escape: bool = True) -> str:
        """``text`` without anything that a terminal acts on, in ASCII where the view asks for it.

        There only signs are replaced where ``escape`` is False, and letters stay as they are.
        """
        if text.isascii() and text.isprintable():
            return text
        text = clean(text)
        return text if self.view.unicode else in_ascii(text, escape)

    def words(self, text: str, *label: Segment, indent: int = 2) -> None:
        """A paragraph behind ``label``, or below it where there is no room, wrapped."""
        start = Text(" " * indent).append_text(self.styled(label))
        if label and start.cell_len > self.width // 2:
            self.line(start)
            start = Text(" " * (indent + 2))
        room = max(self.width - start.cell_len, NARROWEST)
        for line in Text(self.spell(text)).wrap(self._console, room, overflow="fold") or [Text()]:
            self.line(start + line)
            start = Text(" " * start.cell_len)

    def styled(self, segments: Sequence[Segment], escape: bool = True) -> Text:
        """``segments`` as rich text, each in the style of its role."""
        spelt = ((self.spell(text, escape), _STYLES[role]) for text, role in segments)
        return Text.assemble(*spelt)

    def title(self, text: str, escape: bool = True) -> None:
        """A line that begins a section, after an empty one."""
        self.line(Text())
        self.line(Text(self.spell(text, escape), _STYLES["name"]))

    def whole(self, text: str) -> None:
        """A line that is copied, and so neither indented nor wrapped nor spelt in another way."""
        self.line(Text(clean(text)))

    def line(self, line: Text) -> None:
        """A line that is written as it is, however long."""
        line.rstrip()
        if self.view.color:
            self._console.print(line, no_wrap=True, overflow="ignore", crop=False)
        else:
            # without colour there is nothing to render, and a J in full has 100,000 lines
            self._out.write(line.plain + "\n")

    def most(self, count: int) -> int:
        """How many of ``count`` lines of a kind are shown."""
        return count if self.view.full else min(count, _MOST_LINES)

    def text(self) -> str:
        """Everything written so far."""
        return self._out.getvalue()
