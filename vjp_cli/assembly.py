"""Puts the report together from what the stages of an inspection gave."""

import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import vjp_cli
from vjp_cli.checks import exit_code
from vjp_cli.checks.blind_spots import blind_spots
from vjp_cli.checks.diagnosis import sentence
from vjp_cli.checks.judgement import Judgement
from vjp_cli.derivatives.evaluation import TorchSide
from vjp_cli.exact.description import structures_of, symbolic_of
from vjp_cli.exact.remarks import remarks
from vjp_cli.exact.side import ExactAnswer
from vjp_cli.exact.tracing_program import Point
from vjp_cli.expression import Expression
from vjp_cli.functions.body import UserFunction
from vjp_cli.functions.source import FunctionSource
from vjp_cli.lazy import sympy, torch
from vjp_cli.report import (
    Array,
    CheckResult,
    Number,
    Output,
    Problem,
    Report,
    Symbolic,
    Verdict,
    worst,
)
from vjp_cli.second_order import Gradient
from vjp_cli.settings import Settings
from vjp_cli.values import Generated, Value


@dataclass(frozen=True)
class Request:
    """What a user asks: an expression or a function, a value for each name, and perhaps v.

    Attributes:
        against: where the truth is taken from, if not from the subject itself.
        arguments: the values of the parameters that take a plain Python value.
    """

    subject: Expression | FunctionSource | UserFunction
    inputs: Mapping[str, Value | Generated]
    v: Value | Generated | None = None
    against: FunctionSource | UserFunction | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Stages:
    """What the stages of one inspection gave.

    Attributes:
        name: of the output.
        remarks: sentences of other stages for the report.
        gradient: what stands in the place of y, if anything does.
    """

    point: Point
    torch: TorchSide
    exact: ExactAnswer
    judgement: Judgement
    further: tuple[CheckResult, ...]
    remarks: tuple[str, ...]
    name: str
    gradient: Gradient | None = None


def assemble(request: Request, settings: Settings, stages: Stages) -> Report:
    """The report of one inspection."""
    judgement, torch_side, exact = stages.judgement, stages.torch, stages.exact
    found = {*judgement.verdicts, *_counted(stages.further, settings)}
    found -= {Verdict.UNCHECKED} - {*judgement.verdicts}
    name = stages.name
    jacobian = torch_side.jacobian
    v = stages.point.v
    subject = request.subject
    symbolic = symbolic_of(exact, name, judgement.vjp_truth_numbers)
    return Report(
        problem=Problem(
            expression=subject.source if isinstance(subject, Expression) else None,
            function=None if isinstance(subject, Expression) else subject.text,
            dtype=settings.dtype,
            device=settings.device,
            layout=settings.layout.value,
            wrt=torch_side.wrt,
            against=None if request.against is None else request.against.text,
            arguments=request.arguments,
            output_index=settings.output_index,
            weights=None if stages.gradient is None else array_of(stages.gradient.v),
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
        symbolic=symbolic,
        structure=structures_of(exact, judgement.jacobian),
        judged_jacobian=judgement.jacobian,
        judged_vjp=judgement.vjp,
        checks=(*judgement.checks, *stages.further),
        findings=judgement.findings,
        notes=_notes(stages, v is None, symbolic),
        environment=_environment(settings),
        verdict=worst(found),
        exit_code=exit_code.of(found, judgement.fewest_digits, settings),
    )


def _counted(further: Iterable[CheckResult], settings: Settings) -> Iterable[Verdict]:
    """The verdicts of checks that make that of the report."""
    return (c.verdict for c in further if c.reason and (c.order == 1 or settings.strict))


def _notes(stages: Stages, no_v: bool, symbolic: Symbolic) -> tuple[str, ...]:
    notes = []
    if stages.gradient is not None:
        notes.append(_order_note(stages))
    elif no_v:
        shape = tuple(stages.torch.output.shape)
        notes.append(
            "no vᵀJ without v: y.backward() would say 'grad can be implicitly created only for "
            f"scalar outputs', since torch differentiates scalars and y has {_words(shape)}. "
            "Weight the outputs with a v of y's shape: add --v ones (the gradient of y.sum()), or "
            "--v with ∂loss/∂y."
        )
    notes.extend(stages.judgement.notes)
    for diagnosis in stages.judgement.diagnoses:
        notes.append(sentence(diagnosis, symbolic.jacobian.get(diagnosis.name, ())))
    notes.extend(remarks(stages.exact))
    if stages.torch.connected and stages.torch.failure:
        notes.append(f"the backward pass raised: {stages.torch.failure}")
    notes.extend(stages.remarks)
    if stages.judgement.jacobian is not None or stages.judgement.vjp is not None:
        notes.extend(blind_spots(stages.point, stages.judgement.jacobian is not None))
    return tuple(notes)


def _order_note(stages: Stages) -> str:
    """What g is, and what its J is."""
    assert stages.gradient is not None
    names = ", ".join(stages.gradient.wrt)
    of = "y" if stages.gradient.v.numel() == 1 else "Σ v_i·y_i"
    several = ", one after another" if len(stages.gradient.wrt) > 1 else ""
    return (
        f"{stages.name} is the gradient of {of} by {names}{several}, and J its Jacobian: the "
        "Hessian, as a double backward gives it"
    )


def _words(shape: tuple[int, ...]) -> str:
    return f"the shape {'x'.join(map(str, shape))}" if len(shape) > 1 else f"{shape[0]} elements"


def _environment(settings: Settings) -> dict[str, str | int | float]:
    return {
        "vjp": vjp_cli.__version__,
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
