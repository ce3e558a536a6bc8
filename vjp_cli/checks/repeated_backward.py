"""The same vᵀJ twice on one graph: what a backward consumes or overwrites is missed by the next.

A backward that writes into ``grad_output`` is found even where both results agree: torch hands the
same tensor to other branches of a graph.
"""

from vjp_cli.checks.context import Context
from vjp_cli.checks.graphs import (
    RAISES,
    count,
    differing,
    graph_of,
    numbers_at,
    numbers_like,
    unchecked,
    words_of,
)
from vjp_cli.derivatives.custom import Watch, watching
from vjp_cli.frames import ENDINGS
from vjp_cli.report import CheckResult, Verdict

NAME = "the backward called twice"


def check(context: Context) -> CheckResult:
    """Pull the same cotangent back twice, and watch what the backward writes into."""
    with watching(context.side.functions) as watch:
        graph = graph_of(context)
        v = numbers_like(graph.output, context.seed)
        try:
            first = {name: part.clone() for name, part in graph.vjp(v.clone()).items()}
        except (Exception, *ENDINGS):
            return unchecked(NAME, RAISES)
        try:
            second = graph.vjp(v.clone())
        except (Exception, *ENDINGS) as error:
            reason = f"it raises the second time{_because(watch)}: {words_of(error)}"
            return CheckResult(NAME, Verdict.MISSING, reason=reason)
    place = differing(context, v, second, first)
    if place is not None:
        numbers = numbers_at(place, second, first)
        reason = f"the second time it gives {numbers}{_because(watch) or _STATE}"
        return CheckResult(NAME, Verdict.WRONG, count(first), reason=reason)
    if "grad_output" in _changed(watch):
        reason = f"{_because(watch)[2:]}, which other branches of a graph share: clone it first"
        return CheckResult(NAME, Verdict.WRONG, count(first), reason=reason)
    return CheckResult(NAME, Verdict.OK, count(first))


_STATE = ": the backward changes its state"


def _changed(watch: Watch) -> dict[str, str]:
    """What was written into, with the Function whose backward did it."""
    return {
        words: call.function.__name__
        for call in watch.calls
        for pull in call.pulls
        for words in pull.changed
    }


def _because(watch: Watch) -> str:
    for words, function in _changed(watch).items():
        return f": {function}.backward writes into {words}"
    return ""
