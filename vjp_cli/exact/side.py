"""The exact side's answer: derivatives, rounding radii, or the reason why there are none."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vjp_cli.exact.derivatives import ExactSide, exact_side, rounding_side
from vjp_cli.exact.guard import disagreement
from vjp_cli.exact.tracing_program import Point, tracer_of
from vjp_cli.program import Program
from vjp_cli.settings import Settings
from vjp_cli.tracing.tape import OutOfTime
from vjp_cli.tracing.tracer import Untraceable

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class ExactAnswer:
    """What the exact side can say.

    Attributes:
        side: the derivatives; None when there are none.
        rounding: the same in balls of the dtype's precision; None when time ran out.
        reason: why nothing is judged; "" when everything can be.
    """

    side: ExactSide | None
    rounding: ExactSide | None
    reason: str = ""


def answer(
    program: Program, point: Point, output: "Tensor", settings: Settings, deadline: float
) -> ExactAnswer:
    """Trace, differentiate, and compare the tracer's y with torch's."""
    trace = tracer_of(program, point)
    try:
        side = exact_side(trace, jacobian=settings.jacobian, deadline=deadline)
    except Untraceable as error:
        return ExactAnswer(None, None, f"the tracer cannot follow {error}")
    except OutOfTime:
        return ExactAnswer(None, None, "timeout")
    try:
        rounding = rounding_side(trace, side, deadline=deadline)
    except OutOfTime:
        return ExactAnswer(None, None, "timeout")
    reason = disagreement(program, point, side, rounding, output)
    return ExactAnswer(side, rounding, reason)
