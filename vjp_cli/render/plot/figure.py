"""One figure: a panel for the J of each input, and one for its contributions."""

import warnings
from io import BytesIO
from typing import Any

from vjp_cli.errors import clean
from vjp_cli.lazy import figure, matplotlib
from vjp_cli.render import lines
from vjp_cli.render.plot.bars import draw_contributions
from vjp_cli.render.plot.jacobian import draw_jacobian, panel_size
from vjp_cli.report import Report
from vjp_cli.settings import Picture

# a module has more parameters than a figure has room for
_MOST = 8
_BARS = (6.4, 4.4)
_STYLE: dict[Any, Any] = {
    # user text is text: without this a dollar sign begins a formula
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.edgecolor": "#8a8f98",
    "axes.labelcolor": "#4b5058",
    "xtick.color": "#4b5058",
    "ytick.color": "#4b5058",
    "hatch.linewidth": 0.6,
    # the same report makes the same file
    "svg.hashsalt": "vjp",
}
_HEAD = 0.5
_DATELESS = {Picture.PNG: None, Picture.SVG: {"Date": None}, Picture.PDF: {"CreationDate": None}}


def render_plot(report: Report, picture: Picture) -> bytes:
    """The figure as the bytes of a file."""
    names = report.problem.wrt[:_MOST]
    parts = report.contributions
    sizes = [panel_size(report, name) for name in names]
    width = max(each[0] for each in sizes) + (_BARS[0] if parts else 0)
    heights = [max(each[1], _BARS[1] if parts else 0) for each in sizes]
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        # a letter without a glyph is drawn as a box, which says enough
        warnings.simplefilter("ignore")
        drawn = figure.Figure(figsize=(width, sum(heights) + _HEAD), layout="constrained")
        drawn.suptitle(_title(report, int(12 * width)), x=0.01, ha="left", fontsize=11)
        axes = drawn.subplots(len(names), 2 if parts else 1, squeeze=False, height_ratios=heights)
        for row, name in zip(axes, names, strict=True):
            draw_jacobian(drawn, row[0], report, name)
            if parts is not None:
                draw_contributions(row[1], report, name)
        out = BytesIO()
        dates = {
            Picture.PNG: None,
            Picture.SVG: {"Date": None},
            Picture.PDF: {"CreationDate": None},
        }
        drawn.savefig(out, format=picture.value, dpi=160, metadata=dates[picture])
    return out.getvalue()


def _title(report: Report, room: int) -> str:
    """The verdict and the problem, as far as the width goes."""
    whole = f"{report.verdict}   {clean(lines.headline(report)[0])}"
    left_out = len(report.problem.wrt) - _MOST
    more = f"   ({left_out} more inputs)" if left_out > 0 else ""
    return (whole if len(whole) <= room else f"{whole[: room - 1]}…") + more
