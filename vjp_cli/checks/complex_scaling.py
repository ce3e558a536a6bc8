"""Precision scaling of a complex problem: does an error shrink with the unit roundoff?

As for real problems: rounding in complex64 is about 2²⁹ times that in complex128, a wrong formula
has the same error in both. The truth comes from slopes, so one element is asked about at a time.
"""

import cmath
import time
from dataclasses import replace

from vjp_cli.checks.complex_entries import ascent_of
from vjp_cli.checks.context import Context
from vjp_cli.checks.scaling import RATIO
from vjp_cli.derivatives.evaluation import Wanted, evaluate
from vjp_cli.errors import VjpError
from vjp_cli.exact.complex_slopes import ComplexSlopes
from vjp_cli.exact.tracing_program import Point
from vjp_cli.lazy import torch
from vjp_cli.numbers.dtypes import complex_dtype, is_complex_dtype
from vjp_cli.numbers.scalar import Number, exact, precision, to_number
from vjp_cli.program import Program
from vjp_cli.tracing.tracer import Untraceable

_POINTS = 3


class ComplexScaling:
    """Answers for one problem, at the point and at points nearby."""

    def __init__(self, context: Context, deadline: float) -> None:
        self.context = context
        self.deadline = deadline

    def is_rounding(self, name: str, element: int, row: int | None) -> bool:
        """Whether the error of vᵀJ, or of a row of J, at one element of an input is rounding."""
        generator = torch.Generator().manual_seed(self.context.seed)
        for attempt in range(_POINTS):
            if time.monotonic() > self.deadline:
                break
            try:
                high, low = self._errors(attempt, generator, (name, element, row))
            except VjpError:
                continue
            if low > RATIO * high:
                return True
        return False

    def _errors(
        self, attempt: int, generator: "torch.Generator", where: tuple[str, int, int | None]
    ) -> tuple[float, float]:
        """|torch - truth| in double and in single precision, at one point of single precision."""
        name, element, row = where
        inputs = {
            other: _width(_nearby(value, attempt, generator), "float32")
            for other, value in self.context.point.inputs.items()
        }
        v = self.context.point.v
        narrow = Point(inputs, self.context.point.wrt, None if v is None else _width(v, "float32"))
        wide = _widened(narrow)
        oracle = ComplexSlopes(self._program("float64"), wide, self.deadline)
        try:
            column = oracle.column(name, element)
        except Untraceable:
            return 0.0, 0.0
        truth = None if column is None else ascent_of(column.functional(row))
        if truth is None:
            return 0.0, 0.0
        high = self._error(wide, "float64", where, truth)
        return high, self._error(narrow, "float32", where, truth)

    def _error(
        self, point: Point, width: str, where: tuple[str, int, int | None], truth: Number
    ) -> float:
        name, element, row = where
        wanted = Wanted(point.wrt, lambda output: point.v, row is not None)
        side = evaluate(self._program(width), point.inputs, wanted)
        if row is not None:
            number = (
                None if side.jacobian is None else side.jacobian[name].dense()[row, element].item()
            )
        else:
            gradient = None if side.vjp is None else side.vjp[name]
            number = None if gradient is None else gradient.reshape(-1)[element].item()
        if number is None or not cmath.isfinite(number):
            return 0.0
        with precision(256):
            return abs(to_number(exact(number) - truth))

    def _program(self, width: str) -> Program:
        program, is_complex = self.context.program, is_complex_dtype(self.context.dtype)
        dtype = complex_dtype(width) if is_complex else width
        return replace(program, dtype=dtype)


def _widened(point: Point) -> Point:
    inputs = {name: _width(value, "float64") for name, value in point.inputs.items()}
    return Point(inputs, point.wrt, None if point.v is None else _width(point.v, "float64"))


def _width(value: "torch.Tensor", width: str) -> "torch.Tensor":
    """The value in another precision, complex if it was."""
    name = complex_dtype(width) if value.is_complex() else width
    return value.to(getattr(torch, name))


def _nearby(value: "torch.Tensor", attempt: int, generator: "torch.Generator") -> "torch.Tensor":
    """The value moved by up to a few per cent, not at all at first."""
    noise = torch.rand(value.shape, generator=generator, dtype=torch.float64) - 0.5
    return value * (1 + noise / 16) if attempt else value
