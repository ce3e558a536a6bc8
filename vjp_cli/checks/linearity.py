"""vᵀJ is linear in v: 0 gives 0, sums give sums, and no size of v is treated differently.

A backward that clips, normalises or thresholds its cotangent passes every test with one v.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from vjp_cli.checks.context import Context
from vjp_cli.checks.graphs import (
    RAISES,
    Gradients,
    Graph,
    count,
    differing,
    form_of,
    graph_of,
    numbers_at,
    numbers_like,
    unchecked,
)
from vjp_cli.frames import ENDINGS
from vjp_cli.lazy import torch
from vjp_cli.report import CheckResult, Verdict

NAME = "linear in the cotangent"
# powers of two, so that scaling rounds nothing
_LARGE, _SMALL = 256.0, 1 / 256


@dataclass(frozen=True)
class _Trial:
    """A cotangent, the result that linearity demands, and the size of its terms in units of v."""

    words: str
    meaning: str
    v: "torch.Tensor"
    expected: Gradients
    weights: "torch.Tensor"


def check(context: Context) -> CheckResult:
    """Compare vᵀJ of combinations with combinations of vᵀJ."""
    graph = graph_of(context)
    one = numbers_like(graph.output, context.seed)
    two = numbers_like(graph.output, context.seed + 1)
    try:
        first, second = _vjp(graph, one), _vjp(graph, two)
        trials = list(_trials(context, (one, two), (first, second)))
        found = [_vjp(graph, trial.v) for trial in trials]
    except (Exception, *ENDINGS):
        return unchecked(NAME, RAISES)
    for trial, result in zip(trials, found, strict=True):
        place = differing(context, trial.weights, result, trial.expected)
        if place is not None:
            numbers = numbers_at(place, result, trial.expected)
            reason = f"it is not: for v = {trial.words} vᵀJ is {numbers}{trial.meaning}"
            return CheckResult(NAME, Verdict.WRONG, count(first), reason=reason)
    return CheckResult(NAME, Verdict.OK, count(first) * len(trials))


def _trials(
    context: Context, vs: "tuple[torch.Tensor, torch.Tensor]", pulled: tuple[Gradients, Gradients]
) -> Iterator[_Trial]:
    (a, b), (first, second) = vs, pulled
    if all(bool(part.isfinite().all()) for part in first.values()):
        # elsewhere 0 times infinity is NaN, and no fault of the backward
        yield _Trial(
            "0", "", 0 * a, {n: torch.zeros_like(part) for n, part in first.items()}, 0 * a
        )
    both = {name: 2 * first[name] + 3 * second[name] for name in first}
    meaning = ", twice that for a and three times that for b"
    yield _Trial("2·a + 3·b", meaning, 2 * a + 3 * b, both, 2 * a.abs() + 3 * b.abs())
    small = {name: _SMALL * part for name, part in first.items()}
    yield _Trial("a/256", ", that for a divided by 256", _SMALL * a, small, _SMALL * a)
    if form_of(context).largest > _LARGE**4:
        # float16 may overflow on the way
        large = {name: _LARGE * part for name, part in first.items()}
        yield _Trial("256·a", ", 256 times that for a", _LARGE * a, large, _LARGE * a)


def _vjp(graph: Graph, v: "torch.Tensor") -> Gradients:
    """The numbers, and not the memory, which the backward may share with its next result."""
    return {name: part.clone() for name, part in graph.vjp(v.clone()).items()}
