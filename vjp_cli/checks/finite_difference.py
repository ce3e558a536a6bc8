"""Torch's gradient against finite differences of the function itself, each with its error bar.

The one reference for what the tracer cannot follow. In short formats the function is evaluated in
float64, at the same point, where that is possible.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from vjp_cli.checks.context import Context
from vjp_cli.checks.contradiction import Comparison, Estimate, Scale, compare, summary
from vjp_cli.checks.sizes import largest_of
from vjp_cli.checks.tally import index_text
from vjp_cli.checks.torch_numbers import along, numbers
from vjp_cli.derivatives.differences import Estimates
from vjp_cli.derivatives.evaluation import TorchSide, Wanted, evaluate
from vjp_cli.derivatives.probing import Probe, directions, probe_of
from vjp_cli.errors import VjpError
from vjp_cli.lazy import numpy, torch
from vjp_cli.numbers.dtypes import FORMATS
from vjp_cli.program import Program
from vjp_cli.report import CheckResult, Verdict

NAME = "finite differences"
SECONDS = 10.0
RANDOM = "the function gives different results at the same point"


def check(context: Context) -> CheckResult:
    """Compare every entry of J and of vᵀJ."""
    return Differences(context, context.program, SECONDS).row()


@dataclass
class Differences:
    """All comparisons of one problem.

    Attributes:
        reference: the program whose values are differentiated.
        seconds: for all evaluations.
        reason: why nothing is compared; "" when something is.
    """

    context: Context
    reference: Program
    seconds: float
    reason: str = ""

    def __post_init__(self) -> None:
        self.probe: Probe | None = None
        if self.context.is_complex:
            self.reason = "it needs real numbers"
            return
        try:
            probe = probe_of(
                self.reference, self.context.point, self.context.side.output, self.seconds
            )
        except VjpError as error:
            self.reason = error.message
            return
        self.reason = "" if probe.repeats else RANDOM
        self.probe = probe

    @cached_property
    def complete(self) -> bool:
        """Whether every entry is compared, and not a few directions only, or nothing."""
        return bool(self._columns)

    def row(self) -> CheckResult:
        """All comparisons in one line."""
        along_some = [] if self.complete or self.reason else list(self._along_directions())
        if self.reason:
            return CheckResult(NAME, Verdict.UNCHECKED, reason=self.reason)
        if not self.complete:
            return summary(NAME, along_some, "along random directions ")
        targets = ["jacobian"] * (self.context.side.jacobian is not None)
        targets += ["vjp"] * (self.context.point.v is not None)
        names = self.context.side.wrt
        return summary(NAME, [c for t in targets for n in names for c in self.entries(t, n)])

    def entries(self, target: str, name: str) -> list[Comparison]:
        """For each entry of ``jacobian`` or ``vjp`` of one input, in row-major order."""
        known = self._known
        if (target, name) not in known:
            known[target, name] = list(self._entries(target, name))
        return known[target, name]

    @cached_property
    def _known(self) -> dict[tuple[str, str], list[Comparison]]:
        return {}

    def _entries(self, target: str, name: str) -> Iterator[Comparison]:
        columns = self._columns[name]
        sizes = _sizes(columns, self.context.point.v)
        torch_has = numbers(self.context.side, target, name)
        rows = range(self.context.side.output.numel()) if target == "jacobian" else (-1,)
        for row in rows:
            largest = max((float(size[row]) for size in sizes if len(size) > row), default=0.0)
            for k, column in enumerate(columns):
                place = max(row, 0) * len(columns) + k
                number = None if torch_has is None else torch_has[place]
                terms = float(sizes[k][-1]) if row < 0 else largest
                scale = self._scale(terms)
                found = compare(number, _estimate(column, row), scale)
                if found.verdict is Verdict.WRONG:
                    twin = columns[self._mirrored(name, k)]
                    found = self._excused(found, (target, name, place), (number, twin, row, scale))
                if self.probe is not None and self.probe.widened:
                    # literals are rounded to another dtype there
                    words = found.cause.replace("differences give", "differences in float64 give")
                    found = replace(found, cause=words)
                yield replace(found, where=self._where(target, name, max(row, 0), k))

    def _where(self, target: str, name: str, row: int, column: int) -> str:
        shape = tuple(self.context.point.inputs[name].shape)
        index = index_text(column, shape)
        if target == "jacobian":
            shape = (*self.context.side.output.shape, *shape)
            index = index_text(row * self.context.point.inputs[name].numel() + column, shape)
        return f"{target}.{name}{index}"

    def _scale(self, terms: float) -> Scale:
        y = self.context.side.output
        names = {self.context.dtype, str(y.dtype).removeprefix("torch.")}
        unit = max(FORMATS[name].unit for name in names if name in FORMATS)
        return Scale(unit, terms, max(1.0, largest_of(y)))

    def _excused(
        self, found: Comparison, where: tuple[str, str, int], facts: tuple[Any, Any, int, Scale]
    ) -> Comparison:
        """Unchecked where something else than a wrong gradient explains the contradiction."""
        target, name, place = where
        number, twin, row, scale = facts
        excuse = ""
        departures = self.probe.departures if self.probe else ()
        if departures:
            excuse = f"finite differences differ, maybe by {' and '.join(sorted(departures))}"
        elif not self.context.side.custom and _between(
            number, found.estimate, _estimate(twin, row), scale
        ):
            excuse = "finite differences agree for symmetric changes only"
        elif self._wide is not None and math.isfinite(number):
            wide = numbers(self._wide, target, name)
            exact = replace(scale, unit=2.0**-53)
            if (
                wide is not None
                and compare(wide[place], found.estimate, exact).agreement is not None
            ):
                excuse = "finite differences agree with torch in float64, where it rounds less"
        if not excuse:
            return found
        return replace(found, verdict=Verdict.UNCHECKED, cause=f"{excuse}: {found.estimate.words}")

    def _mirrored(self, name: str, k: int) -> int:
        """The element on the other side of the diagonal of a square matrix."""
        shape = self.context.point.inputs[name].shape
        if len(shape) < 2 or shape[-1] != shape[-2]:
            return k
        batch, rest = divmod(k, shape[-1] ** 2)
        row, column = divmod(rest, shape[-1])
        return batch * shape[-1] ** 2 + column * shape[-1] + row

    @cached_property
    def _columns(self) -> dict[str, list[Estimates | None]]:
        """The differences by every element of each input; empty where they cannot be afforded."""
        probe = self.probe
        if self.reason or probe is None or not probe.affordable:
            return {}
        found = {
            name: [probe.column(name, k) for k in range(self.context.point.inputs[name].numel())]
            for name in self.context.side.wrt
        }
        if probe.drifted():
            self.reason = RANDOM
            return {}
        return found

    @cached_property
    def _wide(self) -> TorchSide | None:
        """Torch's gradient in float64, where the problem has a short format."""
        probe, point = self.probe, self.context.point
        if probe is None or not probe.widened:
            return None
        v = None if point.v is None else point.v.double()
        wanted = Wanted(point.wrt, lambda output: v, self.context.side.jacobian is not None)
        try:
            program = replace(self.context.program, dtype="float64")
            return evaluate(program, probe.inputs, wanted)
        except (VjpError, RuntimeError):
            return None

    def _along_directions(self) -> Iterator[Comparison]:
        """Ju and ⟨vᵀJ,u⟩ against the differences along a few random u."""
        probe, side = self.probe, self.context.side
        assert probe is not None
        for u in directions(probe, self.context.seed):
            v = probe.v is not None
            product = along(side, u, v=v)
            terms = along(side, u, v=v, sizes=True)
            moved = along(side, {name: probe.inputs[name] for name in u}, v=v, sizes=True)
            found = probe.direction(u, 2 * probe.form.unit * numpy.nan_to_num(moved))
            for row in numpy.flatnonzero(~numpy.isnan(product)).tolist():
                comparison = compare(
                    float(product[row]), _estimate(found, row), self._scale(float(terms[row]))
                )
                if comparison.verdict is Verdict.WRONG and probe.departures:
                    comparison = replace(comparison, verdict=Verdict.UNCHECKED)
                yield replace(comparison, where="along a random direction")
        if probe.drifted():
            self.reason = RANDOM


def _estimate(column: Estimates | None, row: int) -> Estimate:
    if column is None:
        return Estimate(math.nan, math.inf, math.inf, "timeout")
    value, bar, gap = float(column.value[row]), float(column.bar[row]), float(column.gap[row])
    return Estimate(value, bar, gap, str(column.trouble[row]))


def _sizes(columns: list[Estimates | None], v: "torch.Tensor | None") -> list[Any]:
    """For each column |J_ij|, and with v the sum Σ|v_i·J_ij| as the last element."""
    found = []
    for column in columns:
        sizes = abs(numpy.nan_to_num(column.value)) if column is not None else numpy.zeros(1)
        if v is not None and column is not None:
            weights = abs(v.reshape(-1).double().cpu().numpy())
            sizes[-1] = max(float(weights @ sizes[:-1]), float(sizes[-1]))
        found.append(sizes)
    return found


def _between(number: float | None, first: Estimate, second: Estimate, scale: Scale) -> bool:
    """Whether a number is the mean of two derivatives."""
    if first.trouble or second.trouble:
        return False
    mean = Estimate((first.value + second.value) / 2, first.bar + second.bar)
    return compare(number, mean, scale).agreement is not None
