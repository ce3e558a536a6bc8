"""J as a heat map on a signed logarithmic scale, or as blocks where it is large."""

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from vjp_cli.lazy import matplotlib, numpy
from vjp_cli.render.marks import SHAPES, odd, positions
from vjp_cli.render.numbers import rounded
from vjp_cli.render.tables import Axis, Cell, Table, tables, transposed
from vjp_cli.report import Report, Verdict

# a matrix of more rows or columns is drawn in blocks
_MOST = 120
_BLOCKS = 200
# so many names are legible, and so many numbers
_NAMES = 40
_NUMBERS = 10
# what is smaller by so much than the largest is on the linear part around 0
_DECADES = 4
_CELL = 0.34
# stands out from grey to every eye
_ON_GREY = "#d55e00"
_MARKERS = {"diamond": "D", "triangle": "^", "circle": "o"}


def panel_size(report: Report, name: str) -> tuple[float, float]:
    """Width and height in inches."""
    rows, columns = _shape(report, name)
    wide = 0.75 if columns <= _NUMBERS else _CELL
    width = min(max(columns * wide, 2.6), 7.5) + 2.2
    return width, min(max(rows * _CELL, 1.8), 7.0) + 1.1


def draw_jacobian(drawn: Any, axes: Any, report: Report, name: str) -> None:
    """The panel of one input.

    Args:
        drawn: the figure, for the scale of colours.
        axes: where to draw.
        report: its J may not be there: then there is a sentence.
        name: of the input.
    """
    rows, columns = _shape(report, name)
    title = "Jᵀ" if transposed(report) else "J"
    axes.set_title(f"{title} of {report.output.name} by {name}: {rows} x {columns}", loc="left")
    if report.jacobian is None or not rows * columns:
        axes.axis("off")
        words = "J was not built" if rows * columns else "J has no entries"
        axes.text(0.5, 0.5, words, ha="center", va="center", transform=axes.transAxes)
        return
    if max(rows, columns) > _MOST:
        _blocks(axes, report, name)
    else:
        table = tables(report, name)[0]
        _heat(drawn, axes, table)
        _axes(axes, table)


def _shape(report: Report, name: str) -> tuple[int, int]:
    shape = len(report.output.value.values), len(report.inputs[name].values)
    return (shape[1], shape[0]) if transposed(report) else shape


def _heat(drawn: Any, axes: Any, table: Table) -> None:
    cells = [[table.cell(i, j) for j in range(len(table.columns))] for i in range(len(table.rows))]
    flat = [cell for row in cells for cell in row]
    signed = not any(isinstance(cell.value, complex) for cell in flat)
    values = numpy.array([[_value(cell, signed) for cell in row] for row in cells])
    finite = numpy.abs(values[numpy.isfinite(values)])
    most = float(finite.max(initial=0.0)) or 1.0
    # relative to the largest: the scale has no room for 1e-320 or 1e308
    values = values / most
    norm = matplotlib.colors.SymLogNorm(10**-_DECADES, vmin=-1 if signed else 0, vmax=1, base=10)
    colors = matplotlib.colormaps["PuOr_r" if signed else "cividis"].with_extremes(bad="#d9d9d9")
    image = axes.imshow(values, cmap=colors, norm=norm, aspect="auto", interpolation="nearest")
    ticks = [-1, -0.01, 0, 0.01, 1] if signed else [0, 0.01, 1]
    bar = drawn.colorbar(image, ax=axes, ticks=ticks, fraction=0.05, pad=0.02)
    bar.minorticks_off()
    bar.ax.set_yticklabels([rounded(tick * most, 3) for tick in ticks])
    bar.outline.set_visible(False)
    numbered = len(table.columns) <= _NUMBERS and len(table.rows) <= _NAMES
    for i, row in enumerate(cells):
        for j, cell in enumerate(row):
            if numbered:
                ink = _ink(colors(norm(values[i, j])))
                axes.text(j, i, _short(cell), ha="center", va="center", color=ink, fontsize=8)
            elif not math.isfinite(values[i, j]):
                axes.text(j, i, "×", ha="center", va="center", color="#1f2328")
    marked = ((i, j, c.verdict) for i, row in enumerate(cells) for j, c in enumerate(row))
    shift = (0.36, 0.32) if numbered else (0.0, 0.0)
    _mark(axes, ((j + shift[0], i - shift[1], verdict) for i, j, verdict in marked))


def _ink(ground: tuple[float, float, float, float]) -> str:
    """What is legible on a colour."""
    red, green, blue, _ = ground
    return "#1f2328" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.45 else "white"


def _short(cell: Cell) -> str:
    """A number in so few digits that it stays within its cell."""
    if cell.structural or cell.value is None or isinstance(cell.value, str):
        return cell.text
    return rounded(cell.value, 2 if isinstance(cell.value, complex) else 3)


def _value(cell: Cell, signed: bool) -> float:
    """The number that a colour stands for; nan for what has none."""
    value = cell.value
    if value is None or isinstance(value, str):
        return math.nan
    number = abs(value) if isinstance(value, complex) or not signed else float(value)
    return number if math.isfinite(number) else math.nan


def _axes(axes: Any, table: Table) -> None:
    for axis, names in ((axes.xaxis, table.columns), (axes.yaxis, table.rows)):
        if len(names) <= _NAMES:
            axis.set_ticks(range(len(names)), list(names))
        else:
            assert isinstance(names, Axis)
            axis.set_label_text(f"element of {names.variable}")
    if _NUMBERS < len(table.columns) <= _NAMES:
        axes.tick_params(axis="x", labelrotation=90)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _blocks(axes: Any, report: Report, name: str) -> None:
    """The share of each block that can be non-zero, and where something is not ok."""
    turned = transposed(report)
    count = len(report.inputs[name].values)
    rows, columns = _shape(report, name)
    tall, wide = math.ceil(rows / _BLOCKS), math.ceil(columns / _BLOCKS)

    def place(position: int) -> tuple[int, int]:
        row, column = divmod(position, count)
        return (column, row) if turned else (row, column)

    filled = Counter((i // tall, j // wide) for i, j in map(place, positions(report, name)))
    shares = numpy.zeros((math.ceil(rows / tall), math.ceil(columns / wide)))
    for block, number in filled.items():
        # one entry of many is to be seen, too
        shares[block] = 0.35 + 0.65 * number / (tall * wide)
    axes.imshow(
        shares,
        cmap="Greys",
        vmin=0,
        vmax=1.2,
        extent=(-0.5, columns - 0.5, rows - 0.5, -0.5),
        aspect="auto",
        interpolation="nearest",
    )
    found = ((place(k), verdict) for k, verdict in odd(report, name))
    _mark(axes, ((j, i, verdict) for (i, j), verdict in found), _ON_GREY)
    other, own = report.output.name, name
    axes.set_xlabel(f"element of {other if turned else own}")
    axes.set_ylabel(f"element of {own if turned else other}")


def _mark(axes: Any, places: Iterable[tuple[float, float, Verdict]], color: str = "black") -> None:
    """A shape at each place whose verdict is not ok, with a legend."""
    found: dict[Verdict, list[tuple[float, float]]] = {}
    for x, y, verdict in places:
        if verdict in SHAPES:
            found.setdefault(verdict, []).append((x, y))
    for verdict in sorted(found, key=lambda each: -each.severity):
        xs, ys = zip(*found[verdict], strict=True)
        marker = _MARKERS[SHAPES[verdict]]
        look = {"s": 26, "color": color, "edgecolors": "white", "linewidths": 0.7, "zorder": 3}
        axes.scatter(xs, ys, marker=marker, label=str(verdict), clip_on=False, **look)
    if found:
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.03), ncols=4, frameon=False)
