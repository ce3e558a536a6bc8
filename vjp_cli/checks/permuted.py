"""Relations that put the elements of v, or of the gradient, into another order."""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from vjp_cli.checks.trial import Elements, Trial
from vjp_cli.lazy import numpy

# Matching every displaced row with every other is quadratic: beyond this much work it is left out.
_WORK = 10**7
# A longer permutation is not written out.
_WRITTEN = 8


def permuted(trial: Trial) -> list[str]:
    """In which way the rows or the columns of torch's J are permuted; none where they are not."""
    name, rows, columns = trial.backward.name, trial.backward.rows, trial.backward.columns
    return [
        *_of_axis(trial, rows, f"rows of {name}", "cotangent (grad_output)", lambda a: a),
        *_of_axis(trial, columns, f"columns of {name}", f"gradient of {columns.name}", _turned),
    ]


def _turned(matrix: Any) -> Any:
    return matrix.T


def _of_axis(
    trial: Trial, elements: Elements, what: str, whose: str, view: Callable[[Any], Any]
) -> list[str]:
    """The order of the rows of ``view(J)``; at most one sentence, of the simplest order."""
    found, truth, slack = view(trial.found), view(trial.truth), view(trial.slack)
    if found.shape != truth.shape or len(truth) < 2:
        return []
    displaced = (numpy.abs(found - truth) > slack).any(axis=1).nonzero()[0]
    if len(displaced) ** 2 * truth.shape[1] > _WORK:
        candidates = list(_regular(elements, what, whose))
    else:
        order = _matched(found, truth, slack, displaced)
        if order is None:
            return []
        candidates = [
            *_regular(elements, what, whose),
            *_swapped(elements, what, displaced),
            (order, _written(what, elements, order)),
        ]
    for order, words in candidates:
        fits = (numpy.abs(found - truth[order]) <= slack[order]).all()
        # equal rows may be exchanged without anybody seeing it
        if fits and (numpy.abs(truth - truth[order]) > slack + slack[order]).any():
            return [words]
    return []


def _matched(found: Any, truth: Any, slack: Any, displaced: Any) -> Any:
    """For each row of ``found`` the row of ``truth`` that it is; None where one is none."""
    order = numpy.arange(len(truth))
    left = displaced.tolist()
    for row in displaced.tolist():
        fitting = (numpy.abs(found[row] - truth[left]) <= slack[left]).all(axis=1).nonzero()[0]
        if not len(fitting):
            return None
        order[row] = left.pop(int(fitting[0]))
    return order


def _swapped(elements: Elements, what: str, displaced: Any) -> Iterator[tuple[Any, str]]:
    """Two elements, or two slices along one axis, in each other's place."""
    if len(displaced) == 2:
        one, other = displaced.tolist()
        order = elements.flat.reshape(-1).copy()
        order[[one, other]] = other, one
        yield order, f"the {what} for {elements[one]} and {elements[other]} are swapped"
        return
    if len(elements.shape) < 2:
        return
    coordinates = numpy.unravel_index(displaced, elements.shape)
    for axis, places in enumerate(coordinates):
        indices = sorted(set(places.tolist()))
        if len(indices) == 2:
            order = numpy.arange(elements.shape[axis])
            order[indices] = indices[::-1]
            one, other = (elements.slice_name(axis, index) for index in indices)
            yield (
                elements.flat.take(order, axis=axis).reshape(-1),
                f"the {what} for {one} and {other} are swapped",
            )


def _regular(elements: Elements, what: str, whose: str) -> Iterator[tuple[Any, str]]:
    """Orders that code makes by one call: transpose, flip, roll."""
    flat, shape = elements.flat, elements.shape
    for one, other in combinations(range(len(shape)), 2):
        if min(shape[one], shape[other]) > 1:
            axes = "" if len(shape) == 2 else f" (axes {one} and {other})"
            reshaped = "" if shape[one] == shape[other] else " and reshaped"
            order = numpy.swapaxes(flat, one, other).reshape(-1)
            yield order, f"the {whose} is transposed{axes}{reshaped}"
    if flat.size > 2:
        yield flat.reshape(-1)[::-1], f"the {what} are in reverse order"
    for axis, size in enumerate(shape):
        # of two, the swap names them
        if size > 2:
            along = f" along axis {axis}" if len(shape) > 1 else ""
            yield numpy.flip(flat, axis).reshape(-1), f"the {what} are in reverse order{along}"
            for shift in (1, -1):
                rolled = numpy.roll(flat, shift, axis).reshape(-1)
                yield rolled, f"the {what} are rolled by {shift}{along}"


def _written(what: str, elements: Elements, order: Any) -> str:
    moved = (order != numpy.arange(len(order))).nonzero()[0].tolist()
    pairs = [f"{elements[int(order[k])]} for {elements[k]}" for k in moved[:_WRITTEN]]
    more = f" and {len(moved) - _WRITTEN} more" if len(moved) > _WRITTEN else ""
    return f"the {what} are permuted: that of {', '.join(pairs)}{more}"


def symmetrised(trial: Trial) -> list[str]:
    """Whether J, or the gradient of a square input, is averaged with its transpose."""
    truth, columns = trial.truth, trial.backward.columns
    if truth.shape[0] == truth.shape[1] > 1 and trial.becomes(lambda j: (j + j.T) / 2):
        return [f"{trial.backward.name} is symmetrised: (J + Jᵀ)/2"]
    shape = columns.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        return []
    order = numpy.swapaxes(columns.flat, -1, -2).reshape(-1)
    if trial.becomes(lambda j: (j + j[:, order]) / 2):
        return [f"the gradient of {columns.name} is symmetrised: (G + Gᵀ)/2"]
    return []
