"""An explanation on a screen: a label for each paragraph, and its words beside it."""

from vjp_cli.render.grid import Segment, cell_width
from vjp_cli.render.screen import NARROWEST, Screen
from vjp_cli.render.wrapping import wrapped
from vjp_cli.report import Report, Verdict

# a screen may be as wide as it likes, a line of words may not
_WIDEST = 100


def draw_explanation(screen: Screen, report: Report) -> None:
    """The explanation, where the report has one."""
    explanation = report.explanation
    if explanation is None:
        return
    screen.title(explanation.title, escape=False)
    labels = [screen.spell(each.label, escape=False) for each in explanation.paragraphs]
    margin = max(map(cell_width, labels)) + 2
    room = max(min(screen.width, _WIDEST) - margin - 2, NARROWEST)
    for label, paragraph in zip(labels, explanation.paragraphs, strict=True):
        role = paragraph.label if paragraph.label in set(Verdict) else "name"
        first: Segment = (label + " " * (margin - cell_width(label)), role)
        for line in wrapped(screen.spell(paragraph.text, escape=False), room):
            screen.line(screen.styled([("  ", ""), first, (line, "")], escape=False))
            first = (" " * margin, "")
