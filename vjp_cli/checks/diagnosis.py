"""What is wrong with a wrong backward: the relation between torch's J and the true one, if any.

A relation is named only when it holds for every entry to rounding; what fits none stays unnamed.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from vjp_cli.derivatives.evaluation import TorchSide
from vjp_cli.exact.derivatives import ExactSide
from vjp_cli.lazy import numpy, torch
from vjp_cli.numbers.dtypes import FloatFormat
from vjp_cli.numbers.scalar import to_float

# How a note on a backward begins, for those who pick these notes out of a report.
NOTE = "the backward for "

# Rounding of a backward of a few operations, in units of the largest entry.
_UNITS = 256


@dataclass(frozen=True)
class Backward:
    """What a backward gives and what it should give, as float arrays.

    Attributes:
        found: torch's J, outputs x inputs.
        truth: the exact J.
        v: the cotangent, or None.
        vjp: torch's vᵀJ for it, or None.
    """

    found: Any
    truth: Any
    v: Any = None
    vjp: Any = None


def notes(
    torch_side: TorchSide, exact: ExactSide, v: "torch.Tensor | None", form: FloatFormat
) -> list[str]:
    """One sentence for each input by which J (or vᵀJ) has a known relation to the truth."""
    if torch_side.jacobian is None:
        return []
    found = []
    for name in torch_side.wrt:
        if exact.doubts[name]:
            continue
        matrix = exact.jacobian[name]
        truth = numpy.zeros(matrix.shape)
        truth[matrix.rows, matrix.columns] = [to_float(x) for x in matrix.values.tolist()]
        vjp = None if torch_side.vjp is None else torch_side.vjp[name]
        backward = Backward(_floats(torch_side.jacobian[name]), truth, _flat(v), _flat(vjp))
        words = diagnose(backward, form)
        if words:
            found.append(f"{NOTE}{name}: {words}")
    return found


def _floats(tensor: "torch.Tensor") -> Any:
    return tensor.double().cpu().numpy()


def _flat(tensor: "torch.Tensor | None") -> Any:
    return None if tensor is None else _floats(tensor.reshape(-1))


def diagnose(backward: Backward, form: FloatFormat) -> str:
    """The relation in words; "" where none fits, or where J is right."""
    size = float(numpy.abs(backward.truth).max(initial=0.0))
    if not math.isfinite(size) or not numpy.isfinite(backward.found).all():
        return ""
    near = _Near(_UNITS * form.unit * max(size, 1e-300))
    if near(backward.found, backward.truth):
        return _of_the_cotangent(backward, near)
    for words, fits in _RELATIONS:
        if fits(backward.found, backward.truth, near):
            return words
    return _factor(backward.found, backward.truth, near)


class _Near:
    def __init__(self, tolerance: float) -> None:
        self.tolerance = tolerance

    def __call__(self, left: Any, right: Any) -> bool:
        if left.shape != right.shape:
            return False
        return bool((numpy.abs(left - right) <= self.tolerance).all())


def _square(matrix: Any) -> bool:
    return bool(matrix.shape[0] == matrix.shape[1] > 1)


def _is_mask(found: Any, truth: Any, near: _Near) -> bool:
    right = numpy.abs(found - truth) <= near.tolerance
    zero = found == 0
    return bool((right | zero).all() and right[truth != 0].any())


def _ignores_cotangent(found: Any, truth: Any, near: _Near) -> bool:
    """Every row is the gradient of the sum of all outputs."""
    total = numpy.broadcast_to(truth.sum(axis=0), found.shape)
    return found.shape[0] > 1 and near(found, total)


def _same_in_every_row(found: Any, truth: Any, near: _Near) -> bool:
    difference = found - truth
    return difference.shape[0] > 1 and near(
        difference, numpy.broadcast_to(difference[:1], difference.shape)
    )


_Fits = Callable[[Any, Any, _Near], bool]
_RELATIONS: tuple[tuple[str, _Fits], ...] = (
    ("torch's J is 0: the graph is cut", lambda j, t, near: not j.any()),
    ("torch's J has the wrong sign", lambda j, t, near: near(j, -t)),
    ("torch's J is transposed", lambda j, t, near: _square(t) and near(j, t.T)),
    (
        "torch's J is symmetrised: (J + Jᵀ)/2",
        lambda j, t, near: _square(t) and near(j, (t + t.T) / 2),
    ),
    (
        "the rows of torch's J are in reverse order",
        lambda j, t, near: t.shape[0] > 1 and near(j, t[::-1]),
    ),
    (
        "the columns of torch's J are in reverse order",
        lambda j, t, near: t.shape[1] > 1 and near(j, t[:, ::-1]),
    ),
    (
        "the backward ignores the cotangent (grad_output): every row is the gradient of y.sum()",
        _ignores_cotangent,
    ),
    ("torch's J is right where it is not 0: the backward masks too much", _is_mask),
    (
        "torch's J lacks a term that is the same in every row",
        _same_in_every_row,
    ),
    (
        "torch's J is right for v = ones only: its columns sum to the true ones",
        lambda j, t, near: t.shape[0] > 1 and near(j.sum(axis=0), t.sum(axis=0)),
    ),
)


def _factor(found: Any, truth: Any, near: _Near) -> str:
    """``torch's J is 3 times the true one``, for one factor of all entries."""
    place = numpy.unravel_index(numpy.abs(truth).argmax(), truth.shape)
    if truth[place] == 0:
        return ""
    factor = float(found[place] / truth[place])
    if not near(found, factor * truth):
        return ""
    simple = Fraction(factor).limit_denominator(100)
    shown = str(simple) if near(found, float(simple) * truth) else f"{factor:.12g}"
    return f"torch's J is {shown} times the true one"


def _of_the_cotangent(backward: Backward, near: _Near) -> str:
    """J is right for unit cotangents, but vᵀJ is not: the backward is not linear in v."""
    if backward.v is None or backward.vjp is None:
        return ""
    weights = backward.v
    near = _Near(near.tolerance * max(1.0, float(numpy.abs(weights).sum())))
    if near(backward.vjp, weights @ backward.truth):
        return ""
    if near(backward.vjp, (weights * weights) @ backward.truth):
        return "the cotangent (grad_output) enters twice: v² in place of v"
    return "the backward is not linear in the cotangent (grad_output)"
