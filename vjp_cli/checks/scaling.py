"""Precision scaling: does an error shrink with the unit roundoff, or does it stay?

Rounding in float32 is about 2²⁹ times that in float64; a wrong formula has the same error in both.
Where the two are compared, the inputs are numbers of the lower precision, so both see the same
point. A single point can mislead (an error may happen to be small in float32), so a few nearby
points count: for torch's own kernels the largest ratio, as a kernel may be less careful in one
precision; for a backward in Python, which runs the same operations in both, the errors of all
points together, whose ratio is close to that of the two units. That tells a planted 1e-11 from the
rounding of a backward that loses some digits.
"""

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from vjp_cli.derivatives.evaluation import Wanted, evaluate
from vjp_cli.derivatives.matrices import Sparse, TorchMatrix
from vjp_cli.errors import VjpError
from vjp_cli.exact.derivatives import ExactSide, exact_side, settled
from vjp_cli.exact.matrices import Matrix
from vjp_cli.exact.tracing_program import Point, tracer_of
from vjp_cli.lazy import numpy, torch
from vjp_cli.numbers.dtypes import FORMATS
from vjp_cli.numbers.scalar import ball, exact, is_finite, precision, to_float
from vjp_cli.program import Program
from vjp_cli.settings import LIMITS, Settings
from vjp_cli.tracing.node import OutOfTime
from vjp_cli.tracing.tracer import Untraceable

# error(low) / error(high) above this says rounding (criteria 5.3, measured 85 to 10⁹ for rounding,
# about 1 for a wrong formula)
RATIO = 2.0**15
POINTS = 5
# The errors of a backward in Python, over all points: their ratio is at least that of the units
# divided by this. Five errors together are so much smaller by chance once in ten million times.
_SPREAD = 2.0**5
# A relative error from here on says that the digits are gone, and no more how large it is.
_GONE = 0.5
# Where the low precision has lost all digits, and the high one has not, its error says nothing:
# then nearer to 0 as well.
_TOWARDS_ZERO = (0.85, 0.7, 0.55)


@dataclass(frozen=True)
class _Errors:
    """Relative errors in the low and in the high precision; the first axis counts points."""

    low: Any
    high: Any

    def lost(self) -> Any:
        """Where the low precision has lost all digits at every point, and the high one has not."""
        return ((self.low >= _GONE) & (self.high < _GONE)).all(axis=0)

    def together(self) -> Any:
        """The ratio of all errors; NaN where no point has digits in the low precision."""
        telling = (self.low < _GONE) & numpy.isfinite(self.high)
        sums = (numpy.where(telling, part, 0.0).sum(axis=0) for part in (self.low, self.high))
        low, high = sums
        return numpy.where(telling.any(axis=0), low / high, numpy.nan)


@dataclass(frozen=True)
class _Ratios:
    """For each entry the largest ratio of any point, and that of all errors together."""

    largest: Any
    together: Any


def _ratios(near: _Errors, closer: _Errors | None) -> _Ratios:
    largest = numpy.fmax.reduce(near.low / near.high)
    together = near.together()
    if closer is not None:
        more = numpy.fmax(largest, numpy.fmax.reduce(closer.low / closer.high))
        largest = numpy.where(near.lost(), more, largest)
        together = numpy.where(numpy.isnan(together), closer.together(), together)
    # where no point has digits to speak of, what is left has to do
    return _Ratios(largest, numpy.where(numpy.isnan(together), largest, together))


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
    _ratios: "dict[str, _Ratios] | None" = field(default=None, repr=False)
    # of a J that was computed by its pattern: where each entry of it is in the ratios
    _places: dict[str, dict[tuple[int, ...], int]] = field(default_factory=dict, repr=False)

    def is_rounding(
        self, target: str, name: str, index: tuple[int, ...], *, custom: bool = False
    ) -> bool:
        """Whether the error of an entry of ``vjp`` (index j) or ``jacobian`` (i, j) is rounding.

        Args:
            target: ``vjp`` or ``jacobian``.
            name: of the input.
            index: of the entry.
            custom: whether a backward in Python made it.
        """
        if self._ratios is None:
            with numpy.errstate(divide="ignore", invalid="ignore"):
                self._ratios = self._measure()
        ratios = self._ratios.get(f"{target}.{name}")
        if ratios is None:
            return False
        if name in self._places and target == "jacobian":
            place = self._places[name].get(index)
            if place is None:
                return False
            index = (place,)
        if not custom:
            return bool(ratios.largest[index] > RATIO)
        units = FORMATS[self._low].unit / FORMATS["float64"].unit
        return bool(ratios.together[index] > units / _SPREAD)

    @property
    def _low(self) -> str:
        """The dtype that is compared with float64."""
        return self.settings.dtype if self.settings.dtype != "float64" else "float32"

    def _measure(self) -> "dict[str, _Ratios]":
        near = self._errors(range(POINTS), (1.0,) * POINTS)
        lost = any(pair.lost().any() for pair in near.values())
        closer = self._errors(range(1, 1 + len(_TOWARDS_ZERO)), _TOWARDS_ZERO) if lost else {}
        return {key: _ratios(pair, closer.get(key)) for key, pair in near.items()}

    def _errors(self, attempts: Iterable[int], factors: Iterable[float]) -> "dict[str, _Errors]":
        """The errors at several points, in a row each; points without an answer are left out."""
        found: dict[str, list[tuple[Any, Any]]] = {}
        for attempt, factor in zip(attempts, factors, strict=True):
            for key, pair in self._errors_near(attempt, factor).items():
                known = found.setdefault(key, [])
                # another branch may have another pattern
                if not known or known[0][0].shape == pair[0].shape:
                    known.append(pair)
        return {
            key: _Errors(*(numpy.stack(part) for part in zip(*pairs, strict=True)))
            for key, pairs in found.items()
        }

    def _errors_near(self, attempt: int, factor: float) -> dict[str, tuple[Any, Any]]:
        """The relative errors in the low and in the high precision, at one further point."""
        if time.monotonic() > self.deadline:
            return {}
        low = self._low
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
            high_errors = self._errors_at(point, truth, "float64")
            low_errors = self._errors_at(point, truth, low)
        except (VjpError, Untraceable, OutOfTime):
            return {}
        # a backward may raise in one of the two dtypes alone
        both = high_errors.keys() & low_errors.keys()
        return {key: (low_errors[key], high_errors[key]) for key in sorted(both)}

    def _program(self, dtype: str, other: Program | None = None) -> Program:
        return replace(other or self.program, dtype=dtype)

    def _errors_at(self, point: Point, truth: ExactSide, dtype: str) -> dict[str, Any]:
        """|torch - truth| / |truth| of every entry, with torch in this dtype."""
        kind = getattr(torch, dtype)
        inputs = {name: value.to(kind) for name, value in point.inputs.items()}
        v = None if point.v is None else point.v.to(kind)
        entries = truth.traced.output.size * sum(inputs[name].numel() for name in point.wrt)
        patterns = None
        if entries > LIMITS.dense_entries:
            patterns = {name: (m.rows, m.columns) for name, m in truth.jacobian.items()}
        wanted = Wanted(point.wrt, lambda output: v, self.settings.jacobian, patterns)
        side = evaluate(self._program(dtype), inputs, wanted)
        errors: dict[str, Any] = {}
        for name in point.wrt:
            if side.vjp is not None and truth.vjp is not None and side.vjp[name] is not None:
                found = side.vjp[name].double().reshape(-1).tolist()  # type: ignore[union-attr]
                errors[f"vjp.{name}"] = _distances(found, truth.vjp[name].values.tolist())
            if side.jacobian is not None:
                errors[f"jacobian.{name}"] = self._of_matrix(
                    name, side.jacobian[name], truth.jacobian[name]
                )
        return errors

    def _of_matrix(self, name: str, found: TorchMatrix, matrix: Matrix) -> Any:
        """The errors of J, in its shape; of a sparse one those of the pattern."""
        true = matrix.values.tolist()
        errors = _distances(found.at(matrix.rows, matrix.columns).tolist(), true)
        if isinstance(found, Sparse):
            places = zip(matrix.rows.tolist(), matrix.columns.tolist(), strict=True)
            self._places.setdefault(name, {place: k for k, place in enumerate(places)})
            return errors
        largest = max(map(_size, true), default=0.0)
        dense = numpy.abs(found.tensor.double().numpy()) / (largest or numpy.nan)
        dense[matrix.rows, matrix.columns] = errors
        return dense


def _distances(found: list[float], truth: list[Any]) -> Any:
    """Relative errors; where the truth is 0 relative to the largest truth."""
    largest = max(map(_size, truth), default=0.0) or math.nan

    def distance(number: float, true: Any) -> float:
        if not (settled(true) and is_finite(true)) or not math.isfinite(number):
            return math.nan
        if true == 0:
            return abs(number) / largest
        return to_float(abs(ball(exact(number) - true) / true))

    with precision(256):
        return numpy.array([distance(a, b) for a, b in zip(found, truth, strict=True)])


def _size(true: Any) -> float:
    return abs(to_float(true)) if is_finite(true) else 0.0


def _nearby(
    value: "torch.Tensor", low: str, attempt: int, generator: "torch.Generator"
) -> "torch.Tensor":
    """The value moved by up to a few per cent (not at all at first), rounded to the low dtype."""
    if not value.is_floating_point():
        return value
    noise = torch.rand(value.shape, generator=generator, dtype=torch.float64).to(value.device) - 0.5
    moved = value.double() * (1 + (noise / 16 if attempt else 0))
    return moved.to(getattr(torch, low))
