"""One-sided slopes of the whole function: what decides where formulas cannot.

At a kink, a hole or the end of a domain the formula of the branch that was taken says nothing. The
function itself is then evaluated at x ± h, the branches decided anew, and its difference quotients
tell left and right slope. No rule about single operations can do this: relu(x) - relu(-x) is the
identity.

h is absolute and far below every float64 grid (a relative h fails at 0 beside 3e-200). Precision is
doubled until every quotient has its certain bits.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from vjp_cli.exact.limits import Limit, Tendency, same
from vjp_cli.exact.samples import Evaluate, Samples, Slopes, flat, taken
from vjp_cli.numbers.scalar import Number, is_zero
from vjp_cli.report import scattered
from vjp_cli.tracing.node import OutOfTime

_LAST_DOUBLING = 5


@dataclass(frozen=True)
class ColumnSlopes:
    """The slopes of every output, and of Σ v_i·y_i, along one input element.

    Attributes:
        doublings: how often the precision was doubled until the bits were certain.
    """

    rows: Sequence[Slopes]
    weighted: Slopes | None
    doublings: int = 0


def column_slopes(
    evaluate: Evaluate, v: list[Number] | None, deadline: float, doublings: int = 0
) -> ColumnSlopes:
    """The slopes along one element.

    Args:
        evaluate: the function with the element moved by an exact shift, at a precision.
        v: the weights of the outputs, or None.
        deadline: when to give up.
        doublings: those that a neighbouring element needed, to begin with.

    Raises:
        OutOfTime: the deadline came before the bits were certain.
    """
    for doubling in range(doublings, _LAST_DOUBLING + 1):
        if time.monotonic() > deadline:
            raise OutOfTime
        samples = Samples(evaluate, 2**doubling)
        if samples.certain(v) or doubling == _LAST_DOUBLING:
            break
    moving = {row: samples.slopes([(row, None)]) for row in samples.moving}
    rows = scattered(samples.count, flat(), moving)
    weighted = None if v is None else samples.slopes(taken(v))
    return ColumnSlopes(rows, weighted, doubling)


def is_flat(slopes: Slopes) -> bool:
    """Whether both slopes are exactly 0."""
    sides = (slopes.left.value, slopes.right.value)
    return all(value is not None and is_zero(value) for value in sides)


def agree(left: Limit, right: Limit) -> bool:
    """Whether two one-sided limits are the same."""
    if left.tendency is not right.tendency:
        return False
    if left.value is None or right.value is None:
        return left.tendency in (Tendency.PLUS_INFINITY, Tendency.MINUS_INFINITY)
    return same(left.value, right.value)
