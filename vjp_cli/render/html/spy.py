"""A large J as a picture of blocks: where it can be non-zero, and where something is wrong."""

import math
from collections import Counter

from vjp_cli.render.html.svg import icon, label, mark, picture, rectangle, titled
from vjp_cli.render.marks import odd, positions
from vjp_cli.report import Report, Verdict, worst

_BLOCKS = 40
_SIDE = 11.0
_LEFT = 20.0
_TOP = 24.0
_SHADES = 4


def spy(report: Report, name: str) -> str:
    """At most 40 x 40 blocks: darker where more can be non-zero, with the worst verdict's shape.

    Only what is listed of a sparse J is looked at.
    """
    rows, columns = len(report.output.value.values), len(report.inputs[name].values)
    tall, wide = math.ceil(rows / _BLOCKS) or 1, math.ceil(columns / _BLOCKS) or 1

    def block(position: int) -> tuple[int, int]:
        row, column = divmod(position, columns)
        return row // tall, column // wide

    filled = Counter(map(block, positions(report, name)))
    verdicts: dict[tuple[int, int], set[Verdict]] = {}
    for position, verdict in odd(report, name):
        verdicts.setdefault(block(position), set()).add(verdict)
    height, width = math.ceil(rows / tall), math.ceil(columns / wide)
    parts = [
        rectangle((_LEFT, _TOP), (width * _SIDE, height * _SIDE), "sheet"),
        label(f"{columns} columns: {name}", _LEFT, _TOP - 9, "name"),
        f'<g transform="translate({_LEFT - 7:g} {_TOP:g}) rotate(-90)">'
        + label(f"{rows} rows: {report.output.name}", 0, 0, "name", "end")
        + "</g>",
    ]
    for row, column in sorted(filled.keys() | verdicts.keys()):
        count = filled[row, column]
        x, y = _LEFT + column * _SIDE, _TOP + row * _SIDE
        shade = max(1, math.ceil(_SHADES * count / (tall * wide)))
        found = worst(verdicts.get((row, column), set()))
        words = (
            f"rows {_span(row, tall, rows)}, columns {_span(column, wide, columns)}: "
            f"{count} of {tall * wide} can be non-zero"
        )
        shown = [rectangle((x, y), (_SIDE, _SIDE), f"s{shade}")]
        if found is not Verdict.OK:
            words = f"{words}; {found}"
            shown.append(mark(found, x + _SIDE / 2, y + _SIDE / 2))
        parts.append(titled(words, *shown))
    size = _LEFT + width * _SIDE + 8, _TOP + max(height * _SIDE, 90) + 8
    return picture(f"J of {rows} x {columns} entries in blocks", size, parts)


def spy_key(report: Report, name: str) -> str:
    """What the shades, and the shapes that appear, mean."""
    seen = sorted({verdict for _, verdict in odd(report, name)}, key=lambda v: -v.severity)
    shapes = "".join(f'<span class="{each}">{icon(each)}{each}</span>' for each in seen)
    return f'<p class="key"><span>darker: more entries can be non-zero</span>{shapes}</p>'


def _span(block: int, size: int, count: int) -> str:
    first, last = block * size, min((block + 1) * size, count) - 1
    return str(first) if first == last else f"{first} to {last}"
