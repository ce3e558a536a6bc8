"""The picture at the top of README: what the first command answers on a terminal, as SVG.

``python -m tests.picture`` draws it again.
"""

from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tests.helpers import run

PICTURE = Path(__file__).parents[1] / "samples" / "report.svg"
COMMAND = 'vjp inspect "2*(x+2)**2" --x 1,2,3 --v 0.1,1,1e-4'
WORDS = ("inspect", "2*(x+2)**2", "--x", "1,2,3", "--v", "0.1,1,1e-4")
COLUMNS = 80
# rich's own template loads fonts from the network; this one takes what the reader has
TEMPLATE = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
font-size: {char_height}px;
line-height: {line_height}px;
font-variant-east-asian: full-width;
white-space: pre;
}}
.{unique_id}-title {{
font-size: 18px;
font-weight: bold;
font-family: ui-monospace, Menlo, Consolas, monospace;
}}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def drawn() -> str:
    """The picture of today's answer."""
    shown = run(*WORDS, "--color", "always", tty=True, environment={"COLUMNS": str(COLUMNS)})
    console = Console(record=True, width=COLUMNS, file=StringIO(), legacy_windows=False)
    console.print(Text.from_ansi(shown.stdout))
    return console.export_svg(title=COMMAND, code_format=TEMPLATE, unique_id="vjp")


if __name__ == "__main__":
    PICTURE.write_text(drawn(), encoding="utf-8")
