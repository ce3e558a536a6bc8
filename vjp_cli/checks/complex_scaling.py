"""Precision scaling of a complex problem: does an error shrink with the unit roundoff?

As for real problems: rounding in complex64 is about 2²⁹ times that in complex128, a wrong formula
has the same error in both. The truth comes from slopes, so one element is asked about at a time.
"""

import time
from typing import Any

from vjp_cli.checks.complex_entries import ascent_of
from vjp_cli.checks.context import Context
from vjp_cli.checks.scaling import RATIO
from vjp_cli.derivatives.evaluation import Wanted, evaluate
from vjp_cli.errors import VjpError
from vjp_cli.exact.complex_slopes import ComplexSlopes
from vjp_cli.exact.tracing_program import Point
from vjp_cli.lazy import torch
from vjp_cli.numbers.scalar import Number, exact, precision, to_number
from vjp_cli.program import Program

_POINTS = 3
_LOW = {"high": "float64", "low": "float32"}
_WIDTHS = ("float64", "float32")


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
