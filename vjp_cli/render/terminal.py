"""A report for the screen: tables side by side where the width allows it, then words.

The only file that knows rich, which wraps lines and writes colours. It is never given a table:
at a small width rich shrinks the cells of one until no number is left in them.
"""

import re
from collections.abc import Sequence
from io import StringIO
from itertools import zip_longest

from rich.console import Console
from rich.text import Text

from vjp_cli.errors import clean
from vjp_cli.render import View, lines
from vjp_cli.render.chain import write_chain
from vjp_cli.render.elide import hidden_line
from vjp_cli.render.grid import Grid, Segment, cell_width, draw
from vjp_cli.render.tables import MARKS, tables
from vjp_cli.report import Array, Number, Report, Verdict

_STYLES: dict[str, str] = {
    **dict.fromkeys((Verdict.WRONG, Verdict.NAN, Verdict.SATURATED, Verdict.MISSING), "bold red"),
    **dict.fromkeys((Verdict.IMPRECISE, Verdict.UNCHECKED, Verdict.UNDEFINED), "yellow"),
    **dict.fromkeys((Verdict.KINK, Verdict.POLE, Verdict.BY_DESIGN), "cyan"),
    Verdict.OK: "green",
    "name": "bold",
    "rule": "dim",
    "": "",
}
_BETWEEN = "   "
_NARROWEST = 20
_MOST_LINES = 12
_MOST_CHARACTERS = 2_000
_ASCII = str.maketrans({"─": "-", "│": "|", "┼": "+", "…": "...", "∂": "d"})


def render_terminal(report: Report, view: View) -> str:
    """``report`` as text for a screen of ``view.width`` columns, or for a pipe."""
    screen = _Screen(view)
    _heading(screen, report)
    for name in report.problem.wrt:
        _input(screen, report, name)
    _legend(screen, report)
    write_chain(screen, report)
    # without v the notes stand in the place of vᵀJ: they say why there is none
    sections = (_notes, _checks, _findings) if report.v is None else (_checks, _findings, _notes)
    for section in sections:
        section(screen, report)
    return screen.text()


class _Screen:
    """Lines on their way to the reader: spelt in the character set, wrapped, coloured."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.width = max(view.width, _NARROWEST)
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

    def spell(self, text: str) -> str:
        """``text`` without anything that a terminal acts on, in ASCII where asked for."""
        if text.isascii() and text.isprintable():
            return text
        text = clean(text)
        if self.view.unicode:
            return text
        text = re.sub(r"(?<=\S)·(?=\S)", "*", text).replace(" · ", " | ").replace("·", ".")
        text = re.sub(r"ᵀ(?=\w)", "^T ", text).replace("ᵀ", "^T").translate(_ASCII)
        return text.encode("ascii", "backslashreplace").decode()

    def words(self, text: str, *label: Segment, indent: int = 2) -> None:
        """A paragraph behind ``label``, or below it where there is no room, wrapped."""
        start = Text(" " * indent).append_text(self.styled(label))
        if label and start.cell_len > self.width // 2:
            self.line(start)
            start = Text(" " * (indent + 2))
        room = max(self.width - start.cell_len, _NARROWEST)
        for line in Text(self.spell(text)).wrap(self._console, room, overflow="fold") or [Text()]:
            self.line(start + line)
            start = Text(" " * start.cell_len)

    def styled(self, segments: Sequence[Segment]) -> Text:
        """``segments`` as rich text, each in the style of its role."""
        return Text.assemble(*((self.spell(text), _STYLES[role]) for text, role in segments))

    def title(self, text: str) -> None:
        """A line that begins a section, after an empty one."""
        self.line(Text())
        self.line(Text(self.spell(text), _STYLES["name"]))

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


def _heading(screen: _Screen, report: Report) -> None:
    label = f"{report.verdict}   "
    first, *others = _flow(lines.headline(report), screen.width - len(label))
    screen.words(first, (label, report.verdict), indent=0)
    for line in others:
        screen.words(line, indent=len(label))
    for name, value in (*report.inputs.items(), (report.output.name, report.output.value)):
        screen.words(f"{name} = {_listing(screen, name, value)}")
    judgement = lines.judgement(report)
    if judgement:
        of = f" of {report.problem.against}" if report.problem.against else ""
        screen.words(f"compared with {lines.reference(report)}{of}: {judgement}")


def _flow(parts: Sequence[str], room: int) -> list[str]:
    """``parts`` joined to lines, broken between parts and not within them where possible."""
    flowing = [parts[0]]
    for part in parts[1:]:
        longer = f"{flowing[-1]} · {part}"
        if cell_width(longer) <= room:
            flowing[-1] = longer
        else:
            flowing.append(part)
    return flowing


def _listing(screen: _Screen, name: str, value: Array[Number]) -> str:
    if screen.view.full:
        return lines.listing(value, len(value.values) * _MOST_CHARACTERS)
    return lines.listing(value, min(screen.width, _MOST_CHARACTERS) - len(name) - 5)


def _input(screen: _Screen, report: Report, name: str) -> None:
    """What belongs to one input: its tables, the pattern of its J and the formulas."""
    if len(report.problem.wrt) > 1:
        screen.title(f"input {name}: {lines.shape_text(report.inputs[name].shape)}")
    grids = [
        grid
        for table in tables(report, name)
        for grid in draw(table, screen.width, screen.view.full, screen.spell)
    ]
    while grids:
        beside = [grids.pop(0)]
        while grids and _width([*beside, grids[0]]) <= screen.width:
            beside.append(grids.pop(0))
        _side_by_side(screen, beside)
    structure = report.structure.get(name)
    formulas = [lines.formula_lines([g]) for g in report.symbolic.jacobian.get(name, ())]
    if structure or formulas:
        screen.line(Text())
    if structure:
        screen.words(lines.structure_line(structure))
    for formula in formulas[: screen.most(len(formulas))]:
        for line in formula:
            screen.words(line)
    _hidden(screen, len(formulas), "formula")


def _width(grids: Sequence[Grid]) -> int:
    return sum(grid.width + len(_BETWEEN) for grid in grids) - len(_BETWEEN)


def _side_by_side(screen: _Screen, grids: Sequence[Grid]) -> None:
    screen.line(Text())
    for row in zip_longest(*(grid.lines for grid in grids)):
        line = Text()
        for grid, segments in zip(grids, row, strict=True):
            drawn = screen.styled(segments or ())
            line += drawn + Text(" " * (grid.width - drawn.cell_len) + _BETWEEN)
        screen.line(line)
    for grid in grids:
        for sentence in grid.hidden:
            screen.words(sentence)


def _legend(screen: _Screen, report: Report) -> None:
    """What the signs beside the numbers mean; only those that appear."""
    judged = [side for side in (report.judged_jacobian, report.judged_vjp) if side]
    seen = {v for side in judged for array in side.verdicts.values() for v in array.values}
    signs = [f"{MARKS[verdict]} {verdict}" for verdict in Verdict if verdict in seen]
    if report.jacobian and any(
        s.nonzeros < s.shape[0] * s.shape[1] for s in report.structure.values()
    ):
        signs.insert(0, "· structural zero: this output does not depend on this input")
    signs = [sign for sign in signs if sign != f" {Verdict.OK}"]
    if signs:
        screen.line(Text())
        screen.words("   ".join(signs))


def _checks(screen: _Screen, report: Report) -> None:
    shown = [lines.check_line(check) for check in report.checks]
    if not shown:
        return
    screen.title("checks")
    width = max(cell_width(line.label) for line in shown)
    for line in shown:
        verdict = line.verdict or Verdict.OK
        name = line.label + " " * (width - cell_width(line.label))
        screen.words(line.text, (f"{name}   ", ""), (f"{verdict:<9}  ", verdict))


def _findings(screen: _Screen, report: Report) -> None:
    findings = sorted(report.findings, key=lambda finding: -finding.verdict.severity)
    if not findings:
        return
    screen.title("findings")
    for finding in findings[: screen.most(len(findings))]:
        head, *details = lines.finding_lines(finding, report)
        screen.words(head.text, (f"{head.label} ", head.verdict or ""))
        for detail in details:
            screen.words(detail.text, (f"{detail.label:<8}", "rule"), indent=4)
    _hidden(screen, len(findings), "finding")


def _notes(screen: _Screen, report: Report) -> None:
    if report.notes:
        screen.title("notes")
    for note in report.notes:
        screen.words(note, ("- ", ""))


def _hidden(screen: _Screen, count: int, what: str) -> None:
    if count > screen.most(count):
        screen.words(hidden_line(count - screen.most(count), what))
