"""Every entry of J and of vᵀJ judged, and what the report says of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from vjp_cli.checks.diagnosis import Diagnosis, diagnoses
from vjp_cli.checks.judge import Judge
from vjp_cli.checks.places import Places
from vjp_cli.checks.scaling import Scaling
from vjp_cli.checks.tally import Tally
from vjp_cli.derivatives.evaluation import TorchSide
from vjp_cli.exact.derivatives import ExactSide
from vjp_cli.exact.oracle import SlopeOracle
from vjp_cli.exact.side import ExactAnswer
from vjp_cli.report import (
    Array,
    CheckResult,
    Deferred,
    Finding,
    Judged,
    Truth,
    TruthKind,
    Verdict,
)


@dataclass(frozen=True)
class Judgement:
    """The verdicts of one problem and what follows from them.

    Attributes:
        fewest_digits: the smallest number of correct digits of any entry that was compared.
        vjp_numbers: torch's vᵀJ, with None where torch gives no number.
        vjp_truth_numbers: the exact vᵀJ as floats, None where it is not known.
        diagnoses: what is known of each wrong gradient of a backward in Python.
    """

    jacobian: Judged | None
    vjp: Judged | None
    checks: tuple[CheckResult, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    fewest_digits: float
    vjp_numbers: Mapping[str, Array[Any]] | None
    vjp_truth_numbers: Mapping[str, Array[Any]] | None
    diagnoses: tuple[Diagnosis, ...] = ()

    @property
    def verdicts(self) -> Iterable[Verdict]:
        """All verdicts of all entries and of the checks that ran; without entries nothing is ok."""
        if self.jacobian is None and self.vjp is None:
            yield Verdict.UNCHECKED
        for judged in (self.jacobian, self.vjp):
            if judged is not None:
                for array in judged.verdicts.values():
                    yield from array.counts()
        yield from (c.verdict for c in self.checks if c.verdict is not Verdict.UNCHECKED)


def judge(side: TorchSide, exact: ExactAnswer, scaling: Scaling, oracle: SlopeOracle) -> Judgement:
    """Judge all that torch gave against all that is known."""
    judges = Judge(side, exact, scaling, oracle)
    places = Places(judges)
    names = side.wrt
    shapes = {name: tuple(scaling.point.inputs[name].shape) for name in names}
    tally = Tally(side.output.ndim)
    jacobian = vjp = None
    if scaling.settings.jacobian:
        matrices = {name: places.matrix(name) for name in names}
        whole = {name: (*side.output.shape, *shapes[name]) for name in names}
        jacobian = tally.add("jacobian", matrices, whole, zeros=not side.sparse)
    if scaling.point.v is not None:
        vjp = tally.add("vjp", {name: places.column(name) for name in names}, shapes)
    numbers = truths = None
    if vjp is not None:
        numbers = {n: Array(shapes[n], tuple(places.torch_column(n))) for n in names}
        truths = {n: _as_numbers(vjp.truth[n], exact.side, n) for n in names}
    return Judgement(
        jacobian,
        vjp,
        tuple(tally.checks),
        tally.told_once(),
        tuple(judges.notes()),
        tally.fewest_digits,
        numbers,
        truths,
        diagnoses(side, exact, scaling, judges.form, accused(jacobian, vjp)),
    )


_ACCUSING = (Verdict.WRONG, Verdict.NAN, Verdict.SATURATED)


def accused(*judged: Judged | None) -> set[str]:
    """The inputs with an entry that torch has wrong."""
    arrays = (each.verdicts.items() for each in judged if each is not None)
    return {
        name
        for name, array in chain.from_iterable(arrays)
        if any(verdict in _ACCUSING for verdict in array.counts())
    }


def _as_numbers(truth: Array[Truth], side: ExactSide | None, name: str) -> Array[float | None]:
    """The truths as doubles, without writing out the digits of those that passed."""
    values = truth.values
    if not isinstance(values, Deferred) or side is None or side.vjp is None:
        return truth.map(_as_number)
    floats: list[float | None] = side.vjp[name].floats().tolist()
    for place, known in truth.listed():
        if place not in values.places:
            floats[place] = _as_number(known)
    return Array(truth.shape, tuple(floats))


def _as_number(truth: Truth) -> float | None:
    return float(truth.value) if truth.kind is TruthKind.VALUE else None
