"""Precision scaling: does an error shrink with the unit roundoff, or does it stay?

Rounding in float32 is about 2²⁹ times that in float64; a wrong formula has the same error in both.
Where the two are compared, the inputs are numbers of the lower precision, so both see the same
point. A single point can mislead (an error may happen to be small in float32), so the largest ratio
over a few nearby points counts.
"""

import time
from dataclasses import dataclass, field, replace
from typing import Any

from vjp_cli.derivatives.evaluation import Wanted, evaluate
from vjp_cli.errors import VjpError
from vjp_cli.exact.derivatives import ExactSide, exact_side, settled
from vjp_cli.exact.tracing_program import Point, tracer_of
from vjp_cli.lazy import numpy, torch
from vjp_cli.numbers.scalar import ball, exact, is_finite, precision, to_float
from vjp_cli.program import Program
from vjp_cli.settings import Settings
from vjp_cli.tracing.node import OutOfTime
from vjp_cli.tracing.tracer import Untraceable

# error(low) / error(high) above this says rounding (criteria 5.3, measured 85 to 10⁹ for rounding,
# about 1 for a wrong formula)
RATIO = 2.0**15
POINTS = 5
# Where the low precision has lost all digits, and the high one has not, its error says nothing:
# then nearer to 0 as well.
_TOWARDS_ZERO = (0.85, 0.7, 0.55)


@dataclass
class Scaling:
    """Answers for one problem; the points are evaluated once, when first asked for.

    Attributes:
        reference: where the truth is taken from, if not from the program.
    """

    program: Program
    point: Point
    settings: Settings
    deadline: float
    reference: Program | None = None
    _ratios: dict[str, Any] | None = field(default=None, repr=False)

    def is_rounding(self, target: str, name: str, index: tuple[int, ...]) -> bool:
        """Whether the error of an entry of ``vjp`` (index j) or ``jacobian`` (i, j) is rounding."""
        if self._ratios is None:
            with numpy.errstate(divide="ignore", invalid="ignore"):
                self._ratios = self._measure()
        ratios = self._ratios.get(f"{target}.{name}")
        return ratios is not None and bool(ratios[index] > RATIO)

    def _measure(self) -> dict[str, Any]:
        best: dict[str, Any] = {}
        lost: dict[str, Any] = {}
        for attempt in range(POINTS):
            for key, (low, high) in self._errors_near(attempt, 1.0).items():
                ratio = low / high
                best[key] = numpy.fmax(best[key], ratio) if key in best else ratio
                gone = (low >= 0.5) & (high < 0.5)
                lost[key] = lost[key] & gone if key in lost else gone
        if not any(mask.any() for mask in lost.values()):
            return best
        for attempt, factor in enumerate(_TOWARDS_ZERO, start=1):
            for key, (low, high) in self._errors_near(attempt, factor).items():
                best[key] = numpy.where(lost[key], numpy.fmax(best[key], low / high), best[key])
        return best

    def _errors_near(self, attempt: int, factor: float) -> dict[str, tuple[Any, Any]]:
        """The relative errors in the low and in the high precision, at one further point."""
        if time.monotonic() > self.deadline:
            return {}
        low = self.settings.dtype if self.settings.dtype != "float64" else "float32"
        generator = torch.Generator().manual_seed(self.settings.seed + attempt)
        wide = {
            name: _nearby(value * factor, low, attempt, generator).double()
            for name, value in self.point.inputs.items()
        }
        v = self.point.v
        wide_v = None if v is None else v.to(getattr(torch, low)).double()
        point = Point(wide, self.point.wrt, wide_v)
        try:
            truth = exact_side(
                tracer_of(self._program("float64", self.reference), point),
                jacobian=self.settings.jacobian,
                deadline=self.deadline,
            )
            high_errors = self._errors(point, truth, "float64")
            low_errors = self._errors(point, truth, low)
        except (VjpError, Untraceable, OutOfTime):
            return {}
        return {key: (low_errors[key], high_errors[key]) for key in high_errors}

    def _program(self, dtype: str, other: Program | None = None) -> Program:
        return replace(other or self.program, dtype=dtype)

    def _errors(self, point: Point, truth: ExactSide, dtype: str) -> dict[str, Any]:
        """|torch - truth| / |truth| of every entry, with torch in this dtype."""
        kind = getattr(torch, dtype)
        inputs = {name: value.to(kind) for name, value in point.inputs.items()}
        v = None if point.v is None else point.v.to(kind)
        wanted = Wanted(point.wrt, lambda output: v, self.settings.jacobian)
        side = evaluate(self._program(dtype), inputs, wanted)
        errors: dict[str, Any] = {}
        for name in point.wrt:
            if side.vjp is not None and truth.vjp is not None and side.vjp[name] is not None:
                found = side.vjp[name].double().reshape(-1).tolist()  # type: ignore[union-attr]
                errors[f"vjp.{name}"] = _distances(found, truth.vjp[name].tolist())
            if side.jacobian is not None:
                matrix = truth.jacobian[name]
                found = side.jacobian[name].double()[matrix.rows, matrix.columns].tolist()
                dense = numpy.full(matrix.shape, numpy.nan)
                dense[matrix.rows, matrix.columns] = _distances(found, matrix.values.tolist())
                errors[f"jacobian.{name}"] = dense
        return errors


def _distances(found: list[float], truth: list[Any]) -> Any:
    def distance(number: float, true: Any) -> float:
        if not (settled(true) and is_finite(true)) or abs(number) == float("inf"):
            return float("nan")
        if number != number or true == 0:
            return float("nan")
        return to_float(abs(ball(exact(number) - true) / true))

    with precision(256):
        return numpy.array([distance(a, b) for a, b in zip(found, truth, strict=True)])


def _nearby(
    value: "torch.Tensor", low: str, attempt: int, generator: "torch.Generator"
) -> "torch.Tensor":
    """The value moved by up to a few per cent (not at all at first), rounded to the low dtype."""
    if not value.is_floating_point():
        return value
    noise = torch.rand(value.shape, generator=generator, dtype=torch.float64).to(value.device) - 0.5
    moved = value.double() * (1 + (noise / 16 if attempt else 0))
    return moved.to(getattr(torch, low))
