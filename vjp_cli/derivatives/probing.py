"""A program as a function of numbers: its values around the point, within bounded costs."""

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from vjp_cli.derivatives.differences import Estimates, Samples, estimate, steps
from vjp_cli.derivatives.watching import conversions, departures
from vjp_cli.errors import EvaluationError, VjpError
from vjp_cli.exact.tracing_program import Point
from vjp_cli.lazy import numpy, torch
from vjp_cli.numbers.dtypes import FORMATS, FloatFormat, format_of
from vjp_cli.program import Program

# So many evaluations at most; beyond that a few random directions stand for all of J.
EVALUATIONS = 6000
DIRECTIONS = 3
# two evaluations at one point may differ by the order of summation, in units
_LAST_BITS = 64
_ROUNDING = 8

OTHER_VALUE = "the function that is differentiated has another value than torch's y"


@dataclass
class Probe:
    """The rows of a program: each output, and Σ v_i·y_i as the last row where there is a v.

    Raises:
        VjpError: when made, if the program fails at the point.

    Attributes:
        inputs: the point, in the dtype that is computed in.
        wrt: the inputs that are moved.
        v: the cotangent, flat; None without one.
        form: the format of the values.
        budget: seconds for all evaluations; what is left then is not estimated.
        departures: how the program leaves the graph, in words.
        widened: whether float64 stands in for a format with fewer digits.
        centre: the rows at the point.
        doubt: what the rows at the point may be off by, besides rounding.
        repeats: whether two evaluations gave the same.
    """

    program: Program
    inputs: "Mapping[str, torch.Tensor]"
    wrt: tuple[str, ...]
    v: Any
    form: FloatFormat
    budget: float
    departures: frozenset[str] = frozenset()
    widened: bool = False
    centre: Any = field(init=False)
    doubt: Any = field(init=False)
    repeats: bool = field(init=False)
    seconds: float = field(init=False)
    deadline: float = field(init=False)

    def __post_init__(self) -> None:
        # the first evaluation may load modules
        self.centre = self._rows({})
        start = time.monotonic()
        self.deadline = start + self.budget
        self.doubt = self._change()
        self.seconds = time.monotonic() - start
        self.repeats = not self.drifted()
        if self.v is not None:
            terms = numpy.nan_to_num(abs(self.v * self.centre[:-1]))[self.v != 0]
            self.doubt[-1] += _ROUNDING * self.form.unit * float(terms.sum())

    def rows(self, moved: "Mapping[str, torch.Tensor]") -> Any:
        """The rows with some inputs moved; NaN where the program fails there."""
        try:
            return self._rows(moved)
        except VjpError:
            return numpy.full_like(self.centre, numpy.nan)

    def _rows(self, moved: "Mapping[str, torch.Tensor]") -> Any:
        # as in the computation of a gradient: on fresh leaves of a graph
        leaves = {
            name: moved.get(name, value).detach().clone().requires_grad_(name in self.wrt)
            for name, value in self.inputs.items()
        }
        values = self.program(leaves).detach().cpu().reshape(-1).double().numpy()
        if self.v is None:
            return values
        chosen = self.v != 0
        with numpy.errstate(all="ignore"):
            return numpy.append(values, float((self.v[chosen] * values[chosen]).sum()))

    def _change(self) -> Any:
        """By how much the rows at the point differ from those of the first evaluation."""
        with numpy.errstate(invalid="ignore"):
            return numpy.nan_to_num(abs(self.rows({}) - self.centre))

    def drifted(self) -> bool:
        """Whether the program now gives other values at the point than at first."""
        finite = abs(self.centre[numpy.isfinite(self.centre)])
        units = _LAST_BITS * self.form.unit * max(finite, default=0.0)
        return bool((self._change() > units).any())

    @property
    def cost(self) -> int:
        """The evaluations that all columns take."""
        numbers = (x for name in self.wrt for x in self.inputs[name].reshape(-1).tolist())
        return sum(2 * len(steps(x, self.form.bits)) for x in numbers)

    @property
    def affordable(self) -> bool:
        """Whether all columns can be estimated."""
        if 2 * sum(self.inputs[name].numel() for name in self.wrt) > EVALUATIONS:
            return False
        left = self.deadline - time.monotonic()
        return self.cost <= EVALUATIONS and self.cost * self.seconds <= left

    def column(self, name: str, position: int) -> Estimates | None:
        """The derivatives by one element of an input; None when time ran out."""
        start = self.inputs[name]
        x = float(start.reshape(-1)[position])

        def at(step: float) -> "dict[str, torch.Tensor]":
            moved = start.clone().reshape(-1)
            moved[position] = x + step
            return {name: moved.reshape(start.shape)}

        def place(step: float) -> float:
            return float(at(step)[name].reshape(-1)[position])

        made = steps(x, self.form.bits) if math.isfinite(x) else []
        ahead = numpy.array([place(h) - x for h in made])
        back = numpy.array([x - place(-h) for h in made])
        return self._estimate(made, at, (ahead, back), (abs(x) or 1.0, self.doubt))

    def direction(self, tangents: "Mapping[str, torch.Tensor]", lost: Any) -> Estimates | None:
        """The derivatives along a direction; ``lost``: what the rounding of moved inputs costs."""

        def at(step: float) -> "dict[str, torch.Tensor]":
            return {name: self.inputs[name] + step * u for name, u in tangents.items()}

        made = steps(1.0, self.form.bits)
        sizes = numpy.array(made)
        return self._estimate(made, at, (sizes, sizes), (1.0, self.doubt + lost))

    def _estimate(
        self,
        made: list[float],
        at: "Callable[[float], dict[str, torch.Tensor]]",
        sizes: tuple[Any, Any],
        scale_and_doubt: tuple[float, Any],
    ) -> Estimates | None:
        above, below = [], []
        for step in made:
            if time.monotonic() > self.deadline:
                return None
            above.append(self.rows(at(step)))
            below.append(self.rows(at(-step)))
        if len(made) < 2 or any(row.shape != self.centre.shape for row in above + below):
            return None
        samples = Samples(
            *sizes, numpy.array(above), numpy.array(below), self.centre, *scale_and_doubt
        )
        return estimate(samples, self.form.unit)


def directions(probe: Probe, seed: int) -> "Iterator[dict[str, torch.Tensor]]":
    """Random directions; each element moves by a power of 2 of its own size."""
    generator = torch.Generator().manual_seed(seed)
    for _ in range(DIRECTIONS):
        found = {}
        for name in probe.wrt:
            value = probe.inputs[name]
            signs = torch.randint(0, 2, value.shape, generator=generator) * 2.0 - 1.0
            sizes = [2.0 ** math.frexp(abs(x) or 1.0)[1] for x in value.reshape(-1).tolist()]
            scale = torch.tensor(sizes, dtype=torch.float64).reshape(value.shape) / 2
            found[name] = (signs * scale).to(value)
        yield found


def probe_of(program: Program, point: Point, y: "torch.Tensor", budget: float) -> Probe:
    """The program's values at the point: in float64 if it runs there, else in its own dtype.

    Raises:
        VjpError: it fails, or its value is not y.
    """
    probe = None
    if program.dtype != "float64":
        with contextlib.suppress(VjpError):
            probe = _in_dtype(program, "float64", point, budget)
    probe = probe or _in_dtype(program, program.dtype, point, budget)
    values = probe.centre if probe.v is None else probe.centre[:-1]
    unit = max(probe.form.unit, _format_of(y).unit)
    if probe.repeats and not _same_value(values, y.double().reshape(-1).numpy(), unit):
        raise EvaluationError(OTHER_VALUE)
    return probe


def _in_dtype(program: Program, dtype: str, point: Point, budget: float) -> Probe:
    kind, own = getattr(torch, dtype), program.dtype
    program = replace(program, dtype=dtype)
    inputs = {
        name: value.to(kind) if value.is_floating_point() else value
        for name, value in point.inputs.items()
    }
    leaves = {n: x.clone().requires_grad_(n in point.wrt) for n, x in inputs.items()}
    with conversions() as converted, departures() as departed:
        output = program(leaves)
    if dtype != own and output.dtype != kind:
        raise EvaluationError(f"it gives {output.dtype} for {kind}")
    v = None if point.v is None else point.v.detach().cpu().reshape(-1).double().numpy()
    forms = [FORMATS[dtype], _format_of(output), converted.coarsest]
    return Probe(
        program,
        inputs,
        point.wrt,
        v,
        min(forms, key=lambda form: form.bits),
        budget,
        frozenset(departed.found),
        dtype != own,
    )


def _same_value(values: Any, y: Any, unit: float) -> bool:
    largest = float(abs(y[numpy.isfinite(y)]).max(initial=0.0))
    allowed = math.sqrt(unit) * largest
    return values.shape == y.shape and numpy.allclose(
        values, y, rtol=0.0, atol=allowed, equal_nan=True
    )


def _format_of(tensor: "torch.Tensor") -> FloatFormat:
    if not tensor.is_floating_point() and not tensor.is_complex():
        # masks and whole numbers have no rounding
        return FORMATS["float64"]
    return format_of(_name(tensor))


def _name(tensor: "torch.Tensor") -> str:
    return str(tensor.dtype).removeprefix("torch.")
