"""The guard: the tracer must compute torch's function before it may judge torch's derivative."""

import cmath
import math
from collections.abc import Iterable
from typing import Any

from vjp_cli.exact.derivatives import ExactSide
from vjp_cli.exact.tracing_program import Point, tracer_of
from vjp_cli.lazy import numpy, torch
from vjp_cli.numbers import near
from vjp_cli.numbers.dtypes import format_of, is_complex_dtype
from vjp_cli.numbers.scalar import Number, ball, is_finite, to_float, to_number
from vjp_cli.program import Program
from vjp_cli.tracing.node import Index, Node
from vjp_cli.tracing.rounded import Rounded
from vjp_cli.tracing.tape import Tape

_BITS = 160
_NEARBY = 6
_UNITS = 16


def disagreement(program: Program, point: Point, side: ExactSide, output: "torch.Tensor") -> str:
    """Why the tracer's y is not torch's y; "" when it is.

    Where the two differ at the point by more than rounding explains (cancellation and overflow hide
    the agreement), they must agree at points nearby, or at ordinary ones.

    Raises:
        OutOfTime: the deadline came first.
    """
    if output.is_complex() != is_complex_dtype(side.traced.output.dtype):
        return "the tracer's y is complex where torch's is not, or the reverse: nothing is judged"
    apart = _apart(side, output)
    if not apart:
        return ""
    plain = _plainly_other(side, output, apart)
    if plain is not None:
        return _words(plain)
    generator = torch.Generator().manual_seed(1)
    for attempt in range(_NEARBY):
        moved = {
            name: _moved(value, attempt, generator)
            if value.is_floating_point() or value.is_complex()
            else value
            for name, value in point.inputs.items()
        }
        still = _apart_at(program, Point(moved, point.wrt), apart)
        apart = [k for k in apart if k in still]
        if not apart:
            return ""
    return _words(apart[0])


def _words(element: int) -> str:
    return f"the tracer's y differs from torch's y (element {element}): nothing is judged"


def _pairs(side: ExactSide, elements: Index) -> Iterable[tuple[int, Number, Number]]:
    """At each element of y its exact value, and its ball as the dtype rounds it."""
    output = side.traced.output
    values, balls = output.at(elements), side.rounded.at(output, elements)
    return ((k, values[k], balls[k]) for k in elements.tolist())


def _plainly_other(side: ExactSide, output: "torch.Tensor", elements: list[int]) -> int | None:
    """The first element at which neither rounding nor overflow can hide that two values differ."""
    numbers = output.detach().cpu().reshape(-1)
    form = format_of(side.traced.output.dtype)
    if len(numbers) != side.traced.output.size:
        return elements[0]
    for k, value, rounded in _pairs(side, numpy.array(elements, dtype=int)):
        found = numbers[k].item()
        if not (is_finite(value) and is_finite(rounded)):
            continue
        if not form.normal < abs(found) < form.largest:
            continue
        near = to_number(value)
        radius = to_float(ball(rounded).rad())
        # rounding of this size, and far from where numbers over- and underflow on the way
        ordinary = 1e-30 < abs(near) < 1e30 and radius < 1e-4 * abs(near)
        if ordinary and abs(found - near) > max(0.01, 64 * form.unit) * abs(near):
            return k
    return None


def _moved(value: "torch.Tensor", attempt: int, generator: "torch.Generator") -> "torch.Tensor":
    wide = torch.complex128 if value.is_complex() else torch.float64
    noise = torch.rand(value.shape, generator=generator, dtype=wide).to(value)
    middle = (1 + 1j) / 2 if value.is_complex() else 0.5
    if attempt % 2 == 0:
        return value * (1 + noise / 64) + noise / 128
    return noise + 0.25 if attempt == 1 else 2 * (noise - middle)


def _apart_at(program: Program, point: Point, elements: list[int]) -> set[int]:
    """Those of the elements that still differ, or prove nothing, at another point."""
    try:
        # the function may differentiate by them itself
        output = program(
            {
                name: value.clone().requires_grad_(name in point.wrt)
                for name, value in point.inputs.items()
            }
        )
        trace = tracer_of(program, point)
        exact = trace(Tape(_BITS))
        balls = Rounded().values(exact.output)
    except Exception:
        return set(elements)
    found = output.detach().reshape(-1).tolist()
    form = format_of(exact.output.dtype)
    values = exact.output.values
    size = _size(values)
    return {
        k
        for k in elements
        if not cmath.isfinite(found[k])
        or not is_finite(values[k])
        or not _same(found[k], values[k], balls[k], form.unit, size)
    }


def _apart(side: ExactSide, output: "torch.Tensor") -> list[int]:
    """The elements at which torch's y is not the tracer's within rounding."""
    node = side.traced.output
    unit = format_of(node.dtype).unit
    numbers = output.detach().cpu().reshape(-1)
    if len(numbers) != node.size:
        return list(range(max(len(numbers), node.size)))
    if node.waits:
        size, elements = _unlike(node, numbers, unit)
    else:
        size, elements = _size(node.values), numpy.arange(node.size)
    if not len(elements):
        return []
    found = numbers.tolist()
    return [
        k
        for k, value, rounded in _pairs(side, elements)
        if not _same(found[k], value, rounded, unit, size)
    ]


def _unlike(node: Node, numbers: "torch.Tensor", unit: float) -> tuple[float, Index]:
    """The size of y, and the elements at which its near numbers do not show that torch agrees."""
    found = near.of_plain(numbers.double().numpy()).value
    known = node.near
    sizes = abs(known.value)[known.is_finite]
    size = float(sizes.max()) if len(sizes) else 0.0
    size = size or 1.0
    allowed = numpy.maximum(math.sqrt(unit) * abs(known.value), _UNITS * unit * size)
    with numpy.errstate(invalid="ignore"):
        alike = abs(found - known.value) + known.error <= allowed / 2
    return size, numpy.flatnonzero(~alike)


def _size(values: Any) -> float:
    """The size of the largest exact output; 1 where all are 0 or none is a number."""
    sizes = [abs(to_number(value)) for value in values if is_finite(value)]
    return max(sizes, default=0.0) or 1.0


def _same(found: complex, value: Number, rounded: Number, unit: float, size: float) -> bool:
    """Whether rounding explains the difference; without a finite value on either side it may.

    An output that cancels is off by units of the largest one, whose ``size`` this is.
    """
    if not is_finite(value):
        return not cmath.isfinite(found)
    near = to_number(value)
    if not cmath.isfinite(found):
        return False
    radius = to_float(ball(rounded).rad()) if is_finite(rounded) else math.inf
    allowed = max(math.sqrt(unit) * max(abs(near), abs(found)), _UNITS * unit * size)
    return abs(found - near) <= max(allowed, min(8 * radius, math.sqrt(unit)))
