"""The command lines that make a report again, each whole, so that it can be copied."""

from vjp_cli.render.screen import Screen
from vjp_cli.report import Report


def draw_reproduction(screen: Screen, report: Report) -> None:
    """The lines, where the report has some."""
    lines = report.reproduction
    if lines is None or not (lines.problem or lines.point):
        return
    screen.title("reproduce")
    for line in filter(None, (lines.problem, lines.point)):
        screen.whole(line)
