"""A J as a picture: a cell for each entry or block of them, with its sign and its size."""

from dataclasses import dataclass
from math import ceil
from typing import Any

from vjp_cli.lazy import numpy
from vjp_cli.render.frame import Line, framed
from vjp_cli.render.grid import Segment
from vjp_cli.render.jacobian_entries import Entries
from vjp_cli.render.numbers import short
from vjp_cli.render.tables import MARKS
from vjp_cli.report import Verdict

_MOST_LINES = 20
# by how much of the largest entry there is at least, and what that is called
_SHADES = (("█", 0.5, "half"), ("▓", 0.1, "a tenth"), ("▒", 1e-3, "a thousandth"), ("░", 0.0, ""))
_CELL = 2


@dataclass(frozen=True)
class _Blocks:
    """What each cell of the picture stands for, as arrays with a number for each cell.

    Attributes:
        sizes: the largest finite |entry|.
        positive: whether an entry is above 0; negative: below.
        severities: of the worst verdict.
        present: whether it has an entry that is not a structural zero.
        infinite: whether an entry is infinite; undefined: NaN.
    """

    shape: tuple[int, int]
    sizes: Any
    positive: Any
    negative: Any
    severities: Any
    present: Any
    infinite: Any
    undefined: Any


def heat(entries: Entries, room: int, title: str) -> tuple[list[Line], list[str]]:
    """The picture in ``room`` columns, and sentences on what its signs mean."""
    rows, columns = entries.shape
    label = max(len(title), len(entries.rows[0]), len(entries.rows[-1]))
    wide = max(1, (room - label - 3) // _CELL)
    step = ceil(rows / _MOST_LINES), ceil(columns / wide)
    blocks = _blocks(entries, step)
    largest = float(blocks.sizes.max(initial=0.0))
    seen: set[str] = set()
    lines = [
        [_cell(blocks, line * blocks.shape[1] + k, largest, entries, seen) for k in range(width)]
        for line, width in enumerate([blocks.shape[1]] * blocks.shape[0])
    ]
    named = [entries.rows[line * step[0]] for line in range(blocks.shape[0])]
    ends = entries.columns[0], entries.columns[-1]
    return framed(lines, title, named, ends), _legend(step, largest, seen)


def _blocks(entries: Entries, step: tuple[int, int]) -> _Blocks:
    shape = ceil(entries.shape[0] / step[0]), ceil(entries.shape[1] / step[1])
    cells = entries.row // step[0] * shape[1] + entries.column // step[1]
    count = shape[0] * shape[1]
    real = entries.values.real if numpy.isrealobj(entries.values) else numpy.zeros(len(cells))
    sizes = numpy.abs(entries.values)
    finite = numpy.isfinite(sizes)
    severities = numpy.where(_told(entries), entries.severities, 0)

    def has(chosen: Any) -> Any:
        return numpy.bincount(cells[chosen], minlength=count) > 0

    def most(numbers: Any, start: Any) -> Any:
        numpy.maximum.at(start, cells, numbers)
        return start

    return _Blocks(
        shape,
        most(numpy.where(finite, sizes, 0.0), numpy.zeros(count)),
        has(real > 0),
        has(real < 0),
        most(severities, numpy.zeros(count, dtype=int)),
        has(numpy.ones(len(cells), dtype=bool)),
        has(numpy.isinf(sizes)),
        has(numpy.isnan(sizes)),
    )


def _told(entries: Entries) -> Any:
    """Which entries show their verdict; where most were not checked, that is no news."""
    unchecked = entries.severities == Verdict.UNCHECKED.severity
    return ~unchecked | (2 * unchecked.sum() <= len(unchecked))


def _cell(blocks: _Blocks, k: int, largest: float, entries: Entries, seen: set[str]) -> Segment:
    """Sign and size of one cell; the mark of its worst verdict in the place of the size."""
    verdict = next(v for v in Verdict if v.severity == blocks.severities[k])
    sign = "±" if blocks.positive[k] and blocks.negative[k] else "+" if blocks.positive[k] else "-"
    if not (blocks.positive[k] or blocks.negative[k]):
        sign = " "
    if verdict is not Verdict.OK:
        return f"{sign}{MARKS[verdict]}", verdict
    shown = _size(blocks, k, largest, entries.patterned)
    seen.update((sign, shown))
    return f"{sign}{shown}", ""


def _size(blocks: _Blocks, k: int, largest: float, patterned: bool) -> str:
    if blocks.undefined[k]:
        return "N"
    if blocks.infinite[k]:
        return "I"
    if not blocks.sizes[k]:
        return "0" if blocks.present[k] or not patterned else "·"
    share = blocks.sizes[k] / largest
    return next(sign for sign, least, _ in _SHADES if share >= least)


def _legend(step: tuple[int, int], largest: float, seen: set[str]) -> list[str]:
    size = "" if step == (1, 1) else f"a cell is the largest of up to {step[0]}x{step[1]} entries; "
    shades = [
        f"{sign} {f'at least {words}' if words else 'less'}"
        for sign, _, words in _SHADES
        if sign in seen
    ]
    of = f" of the largest |entry|, {short(largest)}" if shades else ""
    others = {"±": "both signs", "I": "infinite", "N": "not a number", "0": "computed zeros"}
    more = [f"{sign} {words}" for sign, words in others.items() if sign in seen]
    sentence = "; ".join(filter(None, [", ".join(shades) + of, *more]))
    return [f"{size}{sentence}"] if size or sentence else []
