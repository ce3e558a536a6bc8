"""Whether torch really has another number than the derivative: by difference quotients alone.

First those of torch's own values in float64; where these are too coarse, the slopes of the function
at hundreds of digits. No derivative formula is used.
"""

import math
from dataclasses import replace
from itertools import pairwise

import torch

from tests.honesty.calls import Call
from vjp_cli.exact.slopes import agree, column_slopes
from vjp_cli.exact.tracing_program import Element, Point, mover_of, numbers_of
from vjp_cli.expression import parse
from vjp_cli.numbers.dtypes import FORMATS, FloatFormat
from vjp_cli.numbers.scalar import ball, exact, precision, to_float
from vjp_cli.program import Program


def form_of(dtype: str) -> FloatFormat:
    """The format of a dtype's numbers, or of their real parts."""
    return FORMATS[{"complex128": "float64", "complex64": "float32"}.get(dtype, dtype)]


def confirmation(call: Call, name: str, place: int, row: int | None, number: complex | None) -> str:
    """Which difference quotient confirms that torch has another number than the truth; "" none."""
    if call.dtype.startswith("complex") or isinstance(number, complex):
        return ""
    v = call.v.double().clone()
    if row is not None:
        v = torch.zeros_like(v).reshape(-1)
        v[row] = 1
    v = v.reshape(call.v.shape)
    form = form_of(call.dtype)
    quotient = _quotient(call, name, place, v)
    if number is None or not math.isfinite(number):
        if quotient is not None:
            return "not finite, and differences of torch's own values are"
    elif quotient is not None:
        value, bar = quotient
        if abs(number - value) > 4 * bar + 4 * form.unit**0.75 * abs(value):
            return "differences of torch's own values"
    return _by_slopes(call, (name, place), v, number, form)


def _quotient(call: Call, name: str, place: int, v: torch.Tensor) -> tuple[float, float] | None:
    """Richardson's from torch's own float64 values, with an error bar; None where there is none."""
    program, given = _program64(call)
    x = float(given[name].reshape(-1)[place])

    def value(h: float) -> float:
        moved = given[name].clone().reshape(-1)
        moved[place] = x + h
        with torch.no_grad():
            y = program({**given, name: moved.reshape(given[name].shape)})
        taken = v.reshape(-1) != 0
        return float((v.reshape(-1) * y.double().reshape(-1))[taken].sum())

    found = []
    for k in (8, 10, 12, 14):
        h = 2.0**-k * max(abs(x), 2.0**-6)
        left, right = (value(0.0) - value(-h)) / h, (value(h) - value(0.0)) / h
        found.append(((left + right) / 2, abs(left - right)))
    better = [(4 * b[0] - a[0]) / 3 for a, b in pairwise(found)]
    bar = abs(better[2] - better[1]) + abs(better[1] - better[0]) / 16
    if not (math.isfinite(bar) and math.isfinite(better[2])):
        return None
    # one-sided slopes that do not meet: a kink, of which differences say nothing
    if found[-1][1] > 0.5 * found[0][1] and found[-1][1] > 1e-6 * abs(better[2]):
        return None
    return better[2], bar + 1e-13 * abs(value(0.0)) / (2.0**-14 * max(abs(x), 2.0**-6))


def _program64(call: Call) -> tuple[Program, dict[str, torch.Tensor]]:
    numbers = {n: t.double() for n, t in call.inputs.items() if t.is_floating_point()}
    constants = {n: t for n, t in call.inputs.items() if n not in numbers}
    return Program(parse(call.source), constants, "float64"), numbers


def _by_slopes(
    call: Call, at: tuple[str, int], v: torch.Tensor, number: float | None, form: FloatFormat
) -> str:
    """The slopes of the function at hundreds of digits: values alone, no derivative formula."""
    program, numbers = _program64(call)
    program = replace(program, dtype=call.dtype)
    kind = getattr(torch, call.dtype)
    inputs = {name: value.to(kind) for name, value in numbers.items()}
    point = Point(inputs, tuple(inputs), v.to(kind))
    evaluate = mover_of(program, point, Element(*at), math.inf)
    slopes = column_slopes(evaluate, numbers_of(point.v), math.inf).weighted
    if slopes is None or slopes.left.value is None or slopes.right.value is None:
        return ""
    if number is None or not math.isfinite(number):
        return "not finite, and slopes at hundreds of digits are"
    with precision(400):
        sides = sorted((slopes.left.value, slopes.right.value), key=to_float)
        below = to_float(ball(sides[0]) - exact(number))
        above = to_float(exact(number) - ball(sides[1]))
        off, size = max(below, above), max(abs(to_float(side)) for side in sides)
    if off <= form.unit**0.75 * size:
        return ""
    smooth = agree(slopes.left, slopes.right)
    return "slopes at hundreds of digits" if smooth else "outside of both slopes of a kink"
