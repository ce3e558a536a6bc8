"""The judgement of a problem without an exact derivative: finite differences say what they can.

What agrees with them stays unchecked, and says how well it agrees; what contradicts is wrong.
"""

from math import prod

from vjp_cli.checks.asking import Asked
from vjp_cli.checks.contradiction import Comparison, brief
from vjp_cli.checks.entries import UNKNOWN, Entry
from vjp_cli.checks.finite_difference import Differences
from vjp_cli.checks.judgement import Judgement
from vjp_cli.checks.tally import Tally
from vjp_cli.checks.torch_numbers import numbers
from vjp_cli.derivatives.evaluation import TorchSide
from vjp_cli.report import Array, CheckResult, Judged, Truth, TruthKind, Verdict


def judge_by_differences(differences: Differences, reason: str, *, jacobian: bool) -> Judgement:
    """Judge all that torch gave; ``reason`` says why there is no exact derivative."""
    side, point = differences.context.side, differences.context.point
    shapes = {name: tuple(point.inputs[name].shape) for name in side.wrt}
    tally = Tally(side.output.ndim)
    judged: dict[str, Judged] = {}
    for target in ["jacobian"] * jacobian + ["vjp"] * (point.v is not None):
        axes = tuple(side.output.shape) if target == "jacobian" else ()
        wholes = {name: (*axes, *shape) for name, shape in shapes.items()}
        entries = {n: _entries(differences, target, n, reason) for n in side.wrt}
        judged[target] = tally.add(target, entries, wholes)
    rows = [
        CheckResult(f"{target} against the exact derivative", Verdict.UNCHECKED, reason=reason)
        for target in judged
    ]
    numbers_of_vjp = None
    if "vjp" in judged:
        numbers_of_vjp = {
            n: Array(shapes[n], tuple(_vjp(side, n, judged["vjp"], prod(shapes[n]))))
            for n in side.wrt
        }
    return Judgement(
        judged.get("jacobian"),
        judged.get("vjp"),
        (*rows, differences.row()),
        tally.told_once(),
        (_note(differences, reason),),
        tally.fewest_digits,
        numbers_of_vjp,
        None,
    )


def _note(differences: Differences, reason: str) -> str:
    if differences.reason:
        return f"nothing was checked: {reason}; nor by finite differences: {differences.reason}"
    return (
        f"no exact derivative: {reason}. Finite differences know some digits only: what agrees "
        "with them stays unchecked, what contradicts them is wrong"
    )


def _entries(differences: Differences, target: str, name: str, reason: str) -> Asked:
    torch_has = numbers(differences.context.side, target, name)
    if not differences.complete:
        first = torch_has[0] if torch_has else None
        return Asked({}, rest=Entry(Verdict.UNCHECKED, UNKNOWN, first, cause=reason))
    found = differences.entries(target, name)
    close = [c.agreement for c in found if c is not None and c.agreement is not None]
    agrees = f"agrees with finite differences to {brief(max(close))}" if close else ""
    return Asked(
        {
            k: _entry(comparison, None if torch_has is None else torch_has[k], (reason, agrees))
            for k, comparison in enumerate(found)
        }
    )


def _entry(found: Comparison | None, number: float | None, words: tuple[str, str]) -> Entry:
    reason, agrees = words
    if found is None:
        return Entry(Verdict.UNCHECKED, UNKNOWN, number, cause=reason)
    if found.verdict is not Verdict.UNCHECKED:
        truth = Truth(TruthKind.VALUE, found.estimate.text)
        return Entry(found.verdict, truth, number, cause=found.cause)
    return Entry(Verdict.UNCHECKED, UNKNOWN, number, cause=f"{reason}; {found.cause or agrees}")


def _vjp(side: TorchSide, name: str, judged: Judged, count: int) -> list[float | None]:
    """Torch's vᵀJ; 0 where there is no path and nothing says that there should be one."""
    found: list[float | None] | None = list(numbers(side, "vjp", name) or []) or None
    if found is not None or (side.vjp is None and side.connected):
        return found or [None] * count
    verdicts = judged.verdicts[name].values
    return [None if verdict is Verdict.MISSING else 0.0 for verdict in verdicts]
