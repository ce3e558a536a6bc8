"""The one pipeline: a request and settings in, a report out."""

import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from vjp_cli import __version__
from vjp_cli.binding import bind, cotangent
from vjp_cli.checks import exit_code
from vjp_cli.checks.judgement import Judgement, judge
from vjp_cli.checks.offering import with_remedies
from vjp_cli.checks.scaling import Scaling
from vjp_cli.derivatives.evaluation import TorchSide, Wanted, evaluate
from vjp_cli.errors import InputError, LimitError, VjpError
from vjp_cli.exact.description import structures_of, symbolic_of
from vjp_cli.exact.oracle import SlopeOracle
from vjp_cli.exact.side import ExactAnswer, answer
from vjp_cli.exact.tracing_program import Point
from vjp_cli.expression import Expression, parse
from vjp_cli.lazy import sympy, torch
from vjp_cli.program import Program
from vjp_cli.report import Array, Number, Output, Problem, Report, worst
from vjp_cli.settings import LIMITS, Settings
from vjp_cli.values import Generated, Value


@dataclass(frozen=True)
class Request:
    """What a user asks: an expression, a value for each of its names, and perhaps v."""

    expression: Expression
    inputs: Mapping[str, Value | Generated]
    v: Value | Generated | None = None


def inspect(request: Request, settings: Settings) -> Report:
    """Evaluate, differentiate, judge.

    Raises:
        VjpError: a bad value, a failing evaluation, or a limit.
    """
    deadline = time.monotonic() + settings.timeout
    bound = bind(request.inputs, settings)
    wrt = settings.wrt or tuple(bound.inputs)
    if not wrt:
        raise InputError(
            "nothing to differentiate: every input is a constant",
            "an input without a dtype prefix is differentiated",
        )
    program = Program(request.expression, bound.constants, settings.dtype)
    held: dict[str, Any] = {}

    def v_for(output: "torch.Tensor") -> "torch.Tensor | None":
        _check_size(output, [bound.inputs[name] for name in wrt], settings)
        held["v"] = cotangent(request.v, output, settings)
        return held["v"]  # type: ignore[no-any-return]

    wanted = Wanted(wrt, v_for, settings.jacobian)
    torch_side = evaluate(program, bound.inputs, wanted)
    point = Point(bound.inputs, wrt, held["v"])
    exact = answer(program, point, torch_side.output, settings, deadline)
    judgement = judge(
        torch_side,
        exact,
        Scaling(program, point, settings, deadline),
        SlopeOracle(program, point, deadline),
    )
    report = _report(request, settings, _Stages(point, torch_side, exact, judgement))
    if not settings.remedies or time.monotonic() > deadline:
        return report
    return with_remedies(report, request.expression, _again(request, settings, deadline))


def _again(request: Request, settings: Settings, deadline: float) -> Callable[[str], Report | None]:
    """The same problem with another expression, without remedies of its own."""

    def inspect_source(source: str) -> Report | None:
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        try:
            expression = parse(source)
            if set(expression.names) != set(request.expression.names):
                return None
            other = replace(settings, remedies=False, timeout=left)
            return inspect(replace(request, expression=expression), other)
        except VjpError:
            return None

    return inspect_source


def _check_size(output: "torch.Tensor", sources: "list[torch.Tensor]", settings: Settings) -> None:
    """Refuse a Jacobian that does not fit, before anything is paid for."""
    if not settings.jacobian:
        return
    entries = sum(output.numel() * source.numel() for source in sources)
    size = entries * output.element_size()
    if size > LIMITS.jacobian_bytes:
        raise LimitError(
            f"J would have {entries:,} entries ({size / 1e9:.1f} GB)",
            "add --no-jacobian to compute vᵀJ alone",
        )


@dataclass(frozen=True)
class _Stages:
    """What the stages of one inspection gave."""

    point: Point
    torch: TorchSide
    exact: ExactAnswer
    judgement: Judgement


def _report(request: Request, settings: Settings, stages: _Stages) -> Report:
    judgement, torch_side, exact = stages.judgement, stages.torch, stages.exact
    verdict = worst({*judgement.verdicts})
    name = request.expression.output
    jacobian = torch_side.jacobian
    v = stages.point.v
    return Report(
        problem=Problem(
            expression=request.expression.source,
            function=None,
            dtype=settings.dtype,
            device=settings.device,
            layout=settings.layout.value,
            wrt=torch_side.wrt,
        ),
        inputs={name: array_of(value) for name, value in stages.point.inputs.items()},
        output=Output(name, array_of(torch_side.output)),
        v=None if v is None else array_of(v),
        jacobian=None
        if jacobian is None
        else {
            x: Array(
                (*torch_side.output.shape, *stages.point.inputs[x].shape), _numbers(jacobian[x])
            )
            for x in torch_side.wrt
        },
        vjp=judgement.vjp_numbers,
        symbolic=symbolic_of(exact, name, judgement.vjp_truth_numbers),
        structure=structures_of(exact),
        judged_jacobian=judgement.jacobian,
        judged_vjp=judgement.vjp,
        checks=judgement.checks,
        findings=judgement.findings,
        notes=_notes(stages, v is None),
        environment=_environment(settings),
        verdict=verdict,
        exit_code=exit_code.of(judgement, settings),
    )


def _notes(stages: _Stages, no_v: bool) -> tuple[str, ...]:
    notes = []
    if no_v:
        shape = tuple(stages.torch.output.shape)
        notes.append(
            "no vᵀJ without v: y.backward() would say 'grad can be implicitly created only for "
            f"scalar outputs', since torch differentiates scalars and y has {_words(shape)}. "
            "Weight the outputs with a v of y's shape: add --v ones (the gradient of y.sum()), or "
            "--v with ∂loss/∂y."
        )
    notes.extend(stages.judgement.notes)
    return tuple(notes)


def _words(shape: tuple[int, ...]) -> str:
    return f"the shape {'x'.join(map(str, shape))}" if len(shape) > 1 else f"{shape[0]} elements"


def _environment(settings: Settings) -> dict[str, str | int | float]:
    return {
        "vjp": __version__,
        "torch": str(torch.__version__),
        "sympy": str(sympy.__version__),
        "python": platform.python_version(),
        "seed": settings.seed,
        "threads": torch.get_num_threads(),
    }


def array_of(value: "torch.Tensor") -> Array[Number]:
    """A tensor's numbers as an array of the report."""
    return Array(tuple(value.shape), _numbers(value))


def _numbers(value: "torch.Tensor") -> tuple[Any, ...]:
    flat = value.detach().cpu().reshape(-1)
    if not (flat.is_floating_point() or flat.is_complex()):
        flat = flat.to(torch.float64)
    return tuple(flat.tolist())
