"""Where a program stops derivatives and its mathematics does not: detach, no_grad, item()."""

from vjp_cli.tracing.arguments import constant
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer, fresh


def cut(tape: Tape, tracer: Tracer, words: str) -> Tracer:
    """The same values behind a cut, which is named; a frozen tape stops there as the program does.

    Where a frozen program is evaluated beside the point, the values behind a cut are the point's
    own. In a custom forward no graph is kept, so nothing is cut.
    """
    node = tracer.node
    if tape.unbroken or not node.active:
        return _copy(tracer)
    tape.departures.append(words)
    if not tape.frozen:
        copy = _copy(tracer)
        copy.node.cut = True
        return copy
    if tape.holding:
        values = tape.frozen_values.pop(0)
    else:
        values = node.values
        tape.frozen_values.append(values)
    return constant(tape, values.tolist(), node.shape, node.dtype)


def _copy(tracer: Tracer) -> Tracer:
    active, is_cut = tracer.node.active, tracer.node.cut
    copy = fresh(tracer)
    copy.node.active, copy.node.cut = active, is_cut
    return copy
