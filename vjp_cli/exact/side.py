"""The exact side's answer: derivatives, or the reason why there are none."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from vjp_cli.errors import EvaluationError
from vjp_cli.exact.complex_slopes import complex_side
from vjp_cli.exact.derivatives import (
    ComplexProgram,
    ExactSide,
    differentiate,
    exact_side,
)
from vjp_cli.exact.guard import disagreement
from vjp_cli.exact.tracing_program import Point, Trace, tracer_of
from vjp_cli.lazy import torch
from vjp_cli.program import Program
from vjp_cli.settings import Settings
from vjp_cli.tracing.node import OutOfTime, TooManyEntries
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Untraceable


@dataclass(frozen=True)
class ExactAnswer:
    """What the exact side can say.

    Attributes:
        side: the derivatives; None when there are none.
        frozen: the derivatives of the program as it is written, where it departs from its
            mathematics (a detach); None where it does not.
        reason: why nothing is judged; "" when everything can be.

    Of a complex program the sides have y and the pattern of J, and no derivatives.
    """

    side: ExactSide | None
    reason: str = ""
    frozen: "Callable[[], ExactSide | None]" = lambda: None

    @property
    def is_complex(self) -> bool:
        """Whether the program has complex numbers, which slopes alone can judge."""
        return self.side is not None and self.side.traced.tape.is_complex


def answer(
    program: Program, point: Point, output: "torch.Tensor", settings: Settings, deadline: float
) -> ExactAnswer:
    """Trace, differentiate, and compare the tracer's y with torch's.

    A J with too many entries is left out.
    """
    trace = tracer_of(program, point)
    try:
        side = exact_side(trace, jacobian=settings.jacobian, deadline=deadline)
    except ComplexProgram:
        return _of_complex(program, point, output, deadline)
    except Untraceable as error:
        return ExactAnswer(None, f"the tracer cannot follow {error}")
    except EvaluationError as error:
        # torch has just computed the same expression: the fault is the tracer's
        return ExactAnswer(None, f"the tracer cannot follow it: {error.message}")
    except TooManyEntries:
        return answer(program, point, output, replace(settings, jacobian=False), deadline)
    except OutOfTime:
        return ExactAnswer(None, "timeout")
    try:
        reason = disagreement(program, point, side, output)
    except OutOfTime:
        return ExactAnswer(None, "timeout")
    if reason and program.gradient is not None:
        reason = "torch's gradient itself is not the true one: look at it with --order 1 first"
    return ExactAnswer(side, reason, _frozen(trace, side, deadline))


def _of_complex(
    program: Program, point: Point, output: "torch.Tensor", deadline: float
) -> ExactAnswer:
    try:
        side = complex_side(tracer_of(program, point), deadline=deadline)
    except OutOfTime:
        return ExactAnswer(None, "timeout")
    return ExactAnswer(side, disagreement(program, point, side, output))


def _frozen(trace: Trace, side: ExactSide, deadline: float) -> Callable[[], ExactSide | None]:
    """The derivatives with every departure as the program has it; computed when first asked."""

    @cache
    def frozen() -> ExactSide | None:
        if not side.traced.tape.departures:
            return None
        tape = Tape(side.bits, frozen=True, deadline=deadline)
        try:
            return differentiate(trace(tape), jacobian=bool(side.jacobian))
        except (OutOfTime, Untraceable):
            return None

    return frozen
