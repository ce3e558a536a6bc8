"""Relations of an input that is broadcast: its gradient is a sum, and part of it is missing."""

import math
from fractions import Fraction
from itertools import combinations

from vjp_cli.checks.trial import Trial
from vjp_cli.lazy import numpy


def mean(trial: Trial, factor: Fraction) -> str:
    """Where the factor is that of a mean over broadcast axes: a guess, and worded as one."""
    for axes in _subsets(_broadcast_axes(trial)):
        size = math.prod(trial.backward.rows.shape[axis] for axis in axes)
        if factor == Fraction(1, size):
            return f", like a mean in place of the sum over {_along(trial, axes)}"
    return ""


def not_summed(trial: Trial) -> list[str]:
    """Of a broadcast input: one slice of the cotangent counts, where all of them add up."""
    rows = trial.backward.rows
    axes = _broadcast_axes(trial)
    if not axes or not rows.flat.size:
        return []
    used = trial.found.any(axis=1).nonzero()[0]
    places = numpy.unravel_index(used, rows.shape)
    for chosen in reversed(list(_subsets(axes))):
        indices = {axis: set(places[axis].tolist()) for axis in chosen}
        if any(len(found) != 1 for found in indices.values()):
            continue
        kept = {axis: found.pop() for axis, found in indices.items()}
        inside = numpy.ones(rows.flat.size, dtype=bool)
        for axis, index in kept.items():
            inside &= numpy.unravel_index(rows.flat.reshape(-1), rows.shape)[axis] == index
        only = inside[:, None]
        if trial.is_image(trial.truth * only, trial.slack * only):
            where = " and ".join(map(str, kept.values()))
            what = f"the backward does not sum over {_along(trial, tuple(kept))}"
            return [f"{what}: only the part at index {where} is there"]
    return []


def _broadcast_axes(trial: Trial) -> tuple[int, ...]:
    """The axes of y along which the input repeats, if its shape is broadcast to that of y."""
    output, own = trial.backward.rows.shape, trial.backward.columns.shape
    if trial.backward.product or len(own) > len(output):
        return ()
    padded = (1,) * (len(output) - len(own)) + own
    if any(a != b and a != 1 for a, b in zip(padded, output, strict=True)):
        return ()
    return tuple(k for k, (a, b) in enumerate(zip(padded, output, strict=True)) if a != b)


def _subsets(axes: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [part for size in range(1, len(axes) + 1) for part in combinations(axes, size)]


def _along(trial: Trial, axes: tuple[int, ...]) -> str:
    kind, numbers = "axis" if len(axes) == 1 else "axes", " and ".join(map(str, axes))
    rows, columns = trial.backward.rows, trial.backward.columns
    return f"{kind} {numbers} of {rows.name}, where {columns.name} is broadcast"
