"""Judges one entry of J or of vᵀJ, with all that may be asked about it."""

from dataclasses import replace
from typing import Any

from vjp_cli.checks.as_written import AsWritten
from vjp_cli.checks.causes import Causes
from vjp_cli.checks.entries import Entry, Question, judge_entry
from vjp_cli.checks.scaling import Scaling
from vjp_cli.checks.sizes import coarsest, largest_of
from vjp_cli.checks.verdict import Bound
from vjp_cli.derivatives.evaluation import TorchSide
from vjp_cli.exact.oracle import SlopeOracle
from vjp_cli.exact.samples import Slopes
from vjp_cli.exact.side import ExactAnswer
from vjp_cli.report import Verdict


class Judge:
    """Judges entries of one problem: slopes, causes and departures are known to all of them."""

    def __init__(
        self, side: TorchSide, exact: ExactAnswer, scaling: Scaling, oracle: SlopeOracle
    ) -> None:
        self.oracle = oracle
        frozen = SlopeOracle(scaling.program, scaling.point, scaling.deadline, frozen=True)
        self.written = AsWritten(exact, frozen)
        self.causes = Causes(scaling.program, scaling.point, scaling.deadline)
        self.side = side
        self.exact = exact
        self.scaling = scaling
        self.form = coarsest(scaling.settings.dtype, side, exact)
        v = scaling.point.v
        self.size = max(1.0, largest_of(side.output))
        self.scale = self.size if v is None else max(self.size, largest_of(v))

    def notes(self) -> list[str]:
        """What the reader must know of the judgement as a whole."""
        if self.exact.reason:
            return [f"nothing was checked: {self.exact.reason}"]
        return []

    def ask(
        self,
        number: float | None,
        truth: Any,
        bound: Bound,
        doubt: str,
        where: tuple[str, str, tuple[int, ...]],
    ) -> Entry:
        """One entry judged.

        Args:
            number: torch's; None where it gives none.
            truth: the derivative by formula.
            bound: what rounding can explain.
            doubt: why the formula may not be the derivative here; "" when it is.
            where: ``jacobian`` or ``vjp``, the input, and the place in its flat matrix or column.
        """
        target, name, index = where

        def slopes() -> Slopes | None:
            column = self.oracle.column(name, index[-1])
            if column is None:
                return None
            found = column.weighted if target == "vjp" else column.rows[index[0]]
            if found is not None and found.hole and self._has_value(target, index):
                # the formula has a hole where torch, rightly, has a number: sinc′ at 0
                return replace(found, hole=False)
            return found

        custom = bool(self.side.backwards)
        question = Question(
            number,
            truth,
            bound,
            self.form,
            doubt,
            lambda: self.scaling.is_rounding(target, name, index, custom=custom),
            custom,
            slopes,
            lambda: self.written.entry(target, name, index),
        )
        return self._explained(judge_entry(question), target, name, index)

    def _has_value(self, target: str, index: tuple[int, ...]) -> bool:
        """Whether torch's y is a number wherever the entry looks at it."""
        values = self.side.output.reshape(-1)
        if target == "jacobian":
            return bool(values[index[0]].isfinite())
        v = self.scaling.point.v
        assert v is not None
        return bool(values[v.reshape(-1).cpu() != 0].isfinite().all())

    def _explained(self, entry: Entry, target: str, name: str, index: tuple[int, ...]) -> Entry:
        """The entry with the operation to blame; a saturation that none explains is wrong."""
        if entry.verdict is Verdict.MISSING:
            return replace(entry, cause=self._why_no_number(name))
        blamable = (Verdict.NAN, Verdict.SATURATED)
        if entry.verdict not in blamable or entry.torch is None:
            return entry
        row = None if target == "vjp" else index[0]
        event = self.causes.of(name, index[-1], row, entry.torch.real)
        if event is not None:
            return replace(entry, cause=event.words, place=event.place)
        if entry.verdict is Verdict.SATURATED:
            return replace(entry, verdict=Verdict.WRONG)
        return entry

    def _why_no_number(self, name: str) -> str:
        if self.side.failure and self.side.connected:
            return f"the backward pass raises: {self.side.failure}"
        if not self.side.connected:
            return "y has no graph: nothing that y depends on requires a gradient"
        functions = " or ".join(function.__name__ for function in self.side.functions)
        returned = f", or the backward of {functions} returns None for it" if functions else ""
        return f"no path of torch's graph leads back to {name}{returned}"
