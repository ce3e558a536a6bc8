"""What a forward writes into: torch must be told of it by ``ctx.mark_dirty``.

Without that, the tensor keeps the graph of its old numbers, and what else reads it gets a gradient
of numbers that are gone.
"""

from vjp_cli.checks.context import Context
from vjp_cli.checks.graphs import graph_of
from vjp_cli.derivatives.custom import watching
from vjp_cli.report import CheckResult, Verdict

NAME = "the inputs of the forward"


def check(context: Context) -> CheckResult:
    """Compare every tensor that a forward is given with a copy of it."""
    with watching(context.side.functions) as watch:
        graph_of(context)
    for call in watch.calls:
        for k in call.written:
            reason = (
                f"{call.function.__name__}.forward writes into input {k} without ctx.mark_dirty: "
                "work on a clone, or mark it and return it"
            )
            return CheckResult(NAME, Verdict.WRONG, reason=reason)
    compared = sum(len(call.needed) for call in watch.calls)
    return CheckResult(NAME, Verdict.OK, compared)
