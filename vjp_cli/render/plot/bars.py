"""What each output adds to the gradient, as stacked bars."""

import math
from collections.abc import Sequence
from typing import Any

from vjp_cli.lazy import matplotlib
from vjp_cli.render.numbers import rounded
from vjp_cli.render.tables import Axis, product
from vjp_cli.report import Number, Report

# more bars, or more parts of a bar, are no longer told apart
_BARS = 24
_PARTS = 8
_SMALLEST = 1e-100
# never colour alone
_HATCHES = ("", "///", "...", "\\\\\\", "xx", "ooo", "--", "++", "**")


def draw_contributions(axes: Any, report: Report, name: str) -> None:
    """v_i·J_ij for each element of one input, what is negative below 0, and their sum as a dot.

    Only the elements and the outputs with the largest contributions are shown, the other outputs
    as one part. Of complex numbers the real part is.
    """
    assert report.contributions is not None
    values = report.contributions.inputs[name].values.values
    inputs = Axis(name, report.inputs[name].shape)
    outputs = Axis(report.output.name, report.output.value.shape)
    columns, rows = range(len(inputs)), range(len(outputs))
    table = [[_real(values[i * len(inputs) + j]) for j in columns] for i in rows]
    scale = _scale(table)
    table = [[value / scale for value in row] for row in table]
    bars = _largest([sum(abs(row[j]) for row in table) for j in columns], _BARS)
    shown = _largest([sum(abs(row[j]) for j in bars) for row in table], _PARTS)
    parts = [(outputs[i], [table[i][j] for j in bars]) for i in shown]
    rest = [i for i in rows if i not in shown]
    if rest:
        parts.append((f"{len(rest)} others", [sum(table[i][j] for i in rest) for j in bars]))
    axes.set_title(f"contributions v_i·J_ij to the gradient by {name}", loc="left")
    _stacked(axes, parts)
    sums = [sum(part[k] for _, part in parts) for k in range(len(bars))]
    odd = [k for k, j in enumerate(bars) if not all(map(_is_finite, values[j :: len(inputs)]))]
    known = [k for k in range(len(bars)) if k not in odd]
    dots = [sums[k] for k in known]
    axes.plot(known, dots, "D", color="black", markersize=4, label=product(report))
    if odd:
        axes.plot(odd, [0] * len(odd), "x", color="black", markersize=9, label="not finite")
    axes.use_sticky_edges = False
    axes.margins(y=0.08)
    axes.set_xlim(-0.6, max(len(bars), 2) - 0.4)
    axes.axhline(0, color="#4b5058", linewidth=0.8)
    axes.set_xticks(
        range(len(bars)), [inputs[j] for j in bars], rotation=90 if len(bars) > 8 else 0
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    if scale != 1:
        axes.set_ylabel(f"in units of {rounded(scale, 3)}")
    if len(bars) < len(inputs):
        axes.set_xlabel(f"the {len(bars)} largest of {len(inputs)}")


def _stacked(axes: Any, parts: Sequence[tuple[str, Sequence[float]]]) -> None:
    colors = matplotlib.colormaps["cividis"]
    count = len(parts[0][1]) if parts else 0
    above, below = [0.0] * count, [0.0] * count
    for k, (label, part) in enumerate(parts):
        bottoms = [above[j] if value >= 0 else below[j] for j, value in enumerate(part)]
        axes.bar(
            range(count),
            part,
            0.7,
            bottoms,
            label=label,
            color=colors(0.15 + 0.8 * k / max(len(parts) - 1, 1)),
            hatch=_HATCHES[k % len(_HATCHES)],
            edgecolor="white",
            linewidth=0.5,
        )
        for j, value in enumerate(part):
            side = above if value >= 0 else below
            side[j] += value


def _scale(table: Sequence[Sequence[float]]) -> float:
    """The largest number where sums of such, or an axis, would over- or underflow; else 1."""
    most = max((abs(value) for row in table for value in row), default=0.0)
    return most if most and not _SMALLEST < most < 1 / _SMALLEST else 1.0


def _largest(sizes: Sequence[float], most: int) -> list[int]:
    """The positions of the largest, in their own order."""
    return sorted(sorted(range(len(sizes)), key=lambda k: -sizes[k])[:most])


def _is_finite(value: Number) -> bool:
    return math.isfinite(abs(value))


def _real(value: Number) -> float:
    """What a bar can be long; 0 for what is not finite."""
    number = value.real if isinstance(value, complex) else float(value)
    return number if math.isfinite(number) else 0.0
