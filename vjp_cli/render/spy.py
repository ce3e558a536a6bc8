"""The pattern of a large J in dots: a character of the screen is 2 dots wide and 4 dots high."""

from math import ceil
from typing import Any

from vjp_cli.lazy import numpy
from vjp_cli.render.frame import Line, framed
from vjp_cli.render.jacobian_entries import Entries
from vjp_cli.render.tables import MARKS
from vjp_cli.report import Verdict

_WIDE, _HIGH = 2, 4
_MOST_LINES = 20
# however flat or steep a J is, so many dots are kept of its short side where it has them
_FEWEST_DOTS = 8
_BLANK = 0x2800
# the bit of each dot of a braille character, by row and column
_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
# what torch is accused of, or what it does not give
_MARKED = (Verdict.WRONG, Verdict.NAN, Verdict.SATURATED, Verdict.MISSING, Verdict.IMPRECISE)


def spy(entries: Entries, room: int, title: str) -> tuple[list[Line], str]:
    """The picture in ``room`` columns, and a sentence on what a dot is."""
    rows, columns = entries.shape
    label = max(len(title), len(entries.rows[0]), len(entries.rows[-1]))
    dots = _dots(entries.shape, max(1, room - label - 3))
    lines, cells = ceil(dots[0] / _HIGH), ceil(dots[1] / _WIDE)
    across = entries.row * dots[0] // rows, entries.column * dots[1] // columns
    cell = across[0] // _HIGH * cells + across[1] // _WIDE
    bits = numpy.array(_BITS)[across[0] % _HIGH, across[1] % _WIDE]
    drawn = numpy.zeros(lines * cells, dtype=int)
    numpy.bitwise_or.at(drawn, cell, bits)
    worst = numpy.zeros(lines * cells, dtype=int)
    marked = numpy.isin(entries.severities, [verdict.severity for verdict in _MARKED])
    numpy.maximum.at(worst, cell[marked], entries.severities[marked])
    picture = [
        [_segment(drawn[k], worst[k]) for k in range(line * cells, (line + 1) * cells)]
        for line in range(lines)
    ]
    names = [entries.rows[0], *[""] * (lines - 2), *[entries.rows[-1]] * (lines > 1)]
    size = f"{ceil(rows / dots[0])}x{ceil(columns / dots[1])}"
    of = "an entry" if size == "1x1" else f"a block of up to {size} entries with one"
    sentence = f"a dot is {of} that can be non-zero"
    return framed(picture, title, names, (entries.columns[0], entries.columns[-1])), sentence


def _dots(shape: tuple[int, int], room: int) -> tuple[int, int]:
    """The height and the width of the picture; in proportion where it is smaller than J."""
    scale = max(1.0, shape[0] / (_MOST_LINES * _HIGH), shape[1] / (room * _WIDE))
    high, wide = (max(min(size, _FEWEST_DOTS), ceil(size / scale)) for size in shape)
    return high, wide


def _segment(bits: Any, severity: int) -> tuple[str, str]:
    """One character; the mark of the worst verdict in the place of the dots."""
    if severity:
        verdict = next(v for v in _MARKED if v.severity == severity)
        return MARKS[verdict], verdict
    return (chr(_BLANK + int(bits)) if bits else " "), ""
