"""The one pipeline: a request and settings in, a report out."""

import contextlib
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from vjp_cli.alarm import alarm
from vjp_cli.assembly import Stages, assemble
from vjp_cli.binding import Bound, bind, cotangent, with_parameters
from vjp_cli.chain.build import with_chain
from vjp_cli.checks.context import Again, Context
from vjp_cli.checks.judging import judged
from vjp_cli.checks.offering import with_remedies
from vjp_cli.checks.registry import further_checks
from vjp_cli.derivatives.evaluation import Wanted, evaluate
from vjp_cli.errors import InputError, LimitError, VjpError
from vjp_cli.exact.side import answer
from vjp_cli.exact.tracing_program import Point
from vjp_cli.explain.story import explained
from vjp_cli.expression import Expression, parse
from vjp_cli.functions.body import UserFunction
from vjp_cli.functions.loading import load
from vjp_cli.functions.source import FunctionSource
from vjp_cli.lazy import torch
from vjp_cli.program import Program
from vjp_cli.progress import stage
from vjp_cli.report import Report
from vjp_cli.request import Request
from vjp_cli.second_order import Gradient
from vjp_cli.settings import LIMITS, Settings
from vjp_cli.structured import forecast, with_jacobian
from vjp_cli.tracing.node import OutOfTime
from vjp_cli.values import Value
from vjp_cli.weights.build import Weighing, weighed
from vjp_cli.weights.cotangents import cotangents, refuse, tangents


def inspect(request: Request, settings: Settings) -> Report:
    """Evaluate, differentiate, judge.

    What torch warns of while it computes becomes a note; what the user's code prints, also in a
    backward, goes to standard error.

    Raises:
        VjpError: a bad value, a failing evaluation, or a limit.
    """
    with warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr):
        # the same operations run many times more on the exact side and in the checks
        warnings.simplefilter("ignore")
        return explained(_inspect(request, settings), settings)


def _inspect(request: Request, settings: Settings) -> Report:
    deadline = time.monotonic() + settings.timeout
    refuse(request, settings)
    body = _body(request.subject, request, settings)
    bound = with_parameters(bind(request.inputs, settings), body, settings)
    wrt = settings.wrt or bound.differentiable
    if not wrt:
        raise InputError(
            "nothing to differentiate: every input is a constant",
            "an input without a dtype prefix is differentiated",
        )
    program = Program(body, bound.constants, settings.dtype, settings.device)
    reference = program
    if request.against is not None:
        reference = replace(program, body=_body(request.against, request, settings))
    if settings.order == 2:
        program, reference = _second_order((program, reference), request, bound, wrt, settings)
    moving = tangents(request, bound, wrt, settings)
    held: dict[str, Any] = {}

    def v_for(output: "torch.Tensor") -> "torch.Tensor | None":
        held["v"], *held["further"] = cotangents(request, output, settings)
        stage(forecast(output, bound.inputs, wanted))
        return held["v"]  # type: ignore[no-any-return]

    wanted = Wanted(wrt, v_for, settings.jacobian, most=LIMITS.dense_entries)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        # without any time for the symbolic side torch has some all the same
        with _limited(body, settings.timeout or Settings().timeout, _endless(body, settings)):
            stage("y")
            torch_side = evaluate(program, bound.inputs, wanted)
    point = Point(bound.inputs, wrt, held["v"])
    stage("the exact derivative")
    # the tape looks at the clock by itself: this is for loops without a tensor in them
    with _limited(body, max(deadline - time.monotonic(), 0) + 1, OutOfTime()):
        exact = answer(reference, point, torch_side.output, settings, deadline)
        torch_side, left_out = with_jacobian(program, point, torch_side, exact)
    if left_out:
        settings = replace(settings, jacobian=False)
    context = Context(
        program,
        point,
        torch_side,
        settings.dtype,
        settings.seed,
        reference,
        exact,
        deadline,
        _elsewhere(request, settings, (program, reference)),
        settings.points,
    )
    stage("judging")
    judgement = judged(context, settings)
    weighing = Weighing(request, settings, _name(program), held["further"], moving)
    stage("further checks")
    further = further_checks(context, settings.checks)
    report = assemble(
        request,
        settings,
        Stages(
            point,
            torch_side,
            exact,
            judgement,
            further,
            (*filter(None, [left_out]), *_remarks(said, body)),
            _name(program),
            weighed(weighing, context, judgement),
            program.gradient,
        ),
    )
    if settings.chain:
        report = with_chain(report, context)
    wanted_remedies = settings.remedies and settings.order == 1 and not exact.is_complex
    if not wanted_remedies or time.monotonic() > deadline or not isinstance(body, Expression):
        return report
    return with_remedies(report, body, _again(request, settings, deadline))


def _body(
    subject: Expression | FunctionSource | UserFunction, request: Request, settings: Settings
) -> Expression | UserFunction:
    if isinstance(subject, Expression):
        return subject
    loaded = load(subject, settings.seed) if isinstance(subject, FunctionSource) else subject
    return replace(
        loaded,
        arguments=request.arguments,
        output_index=settings.output_index,
        seed=settings.seed,
    )


def _limited(
    body: Expression | UserFunction, seconds: float, error: Exception
) -> contextlib.AbstractContextManager[None]:
    """Stop a user's function that does not return."""
    return contextlib.nullcontext() if isinstance(body, Expression) else alarm(seconds, error)


def _endless(body: Expression | UserFunction, settings: Settings) -> LimitError:
    name = "" if isinstance(body, Expression) else body.source.name
    return LimitError(
        f"{name} did not return within {settings.timeout:g} s", "--timeout SECONDS gives it more"
    )


def _second_order(
    programs: tuple[Program, Program],
    request: Request,
    bound: Bound,
    wrt: tuple[str, ...],
    settings: Settings,
) -> tuple[Program, Program]:
    """The gradient of Σ v_i·y_i in the place of y."""
    output = programs[0](bound.inputs).detach()
    v = cotangent(request.v, output, settings)
    if v is None:
        raise InputError(
            f"order 2 needs v: y has {output.numel()} elements",
            "the gradient that is differentiated once more is that of Σ v_i·y_i: add --v ones",
        )
    if v.is_complex() or any(value.is_complex() for value in bound.inputs.values()):
        raise InputError("order 2 needs real numbers", "--order 1 has complex ones")
    gradient = Gradient(wrt, v)
    program, reference = (replace(each, gradient=gradient) for each in programs)
    return program, reference


def _name(program: Program) -> str:
    """The name of the output: y, or g for the gradient that stands in its place."""
    if program.gradient is None:
        return program.body.output
    return next(name for name in ("g", "grad", "gradient") if name not in program.body.names)


def _remarks(
    said: list[warnings.WarningMessage], body: Expression | UserFunction
) -> tuple[str, ...]:
    """What the function does besides computing, and the first sentence of each warning."""
    own = () if isinstance(body, Expression) else body.remarks()
    found = (str(warning.message).split("\n")[0].split(" (Triggered")[0] for warning in said)
    return (*own, *dict.fromkeys(f"torch warns: {words}" for words in found))


def _judging_only(settings: Settings) -> Settings:
    """For an inspection within another one: what is only shown, or looked for, is left out."""
    return replace(
        settings,
        remedies=False,
        checks=(),
        points=0,
        chain=False,
        contributions=False,
        language=None,
    )


def _again(request: Request, settings: Settings, deadline: float) -> Callable[[str], Report | None]:
    """The same problem with another expression, without remedies of its own."""

    def inspect_source(source: str) -> Report | None:
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        try:
            expression = parse(source)
            if set(expression.names) != set(request.inputs):
                return None
            other = replace(_judging_only(settings), timeout=left)
            plain = replace(request, subject=expression, further=(), tangent=None)
            return inspect(plain, other)
        except VjpError:
            return None

    return inspect_source


def _elsewhere(request: Request, settings: Settings, programs: tuple[Program, Program]) -> Again:
    """The same program at another point, with the functions that are loaded already."""
    subject, reference = (program.body for program in programs)
    against = reference if request.against and isinstance(reference, UserFunction) else None

    def inspect_there(
        inputs: Mapping[str, Value], v: Value | None, dtype: str | None = None
    ) -> Report:
        other = replace(_judging_only(settings), dtype=dtype or settings.dtype)
        # of order 2 the weights of y go on, not those of its gradient
        weights = v if settings.order == 1 else request.v
        values = {**request.inputs, **inputs}
        return inspect(Request(subject, values, weights, against, request.arguments), other)

    return inspect_there
