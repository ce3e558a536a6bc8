"""Puts the report together from what the stages of an inspection gave."""

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

import vjp_cli
from vjp_cli.arrays import array_of, numbers_of
from vjp_cli.checks import exit_code
from vjp_cli.checks.blind_spots import blind_spots
from vjp_cli.checks.diagnosis import sentence
from vjp_cli.checks.judgement import Judgement
from vjp_cli.derivatives.evaluation import TorchSide
from vjp_cli.derivatives.matrices import Dense, TorchMatrix
from vjp_cli.exact.description import structures_of, symbolic_of
from vjp_cli.exact.remarks import remarks
from vjp_cli.exact.side import ExactAnswer
from vjp_cli.exact.tracing_program import Point
from vjp_cli.expression import Expression
from vjp_cli.lazy import numpy, sympy, torch
from vjp_cli.progress import stage
from vjp_cli.report import (
    Array,
    CheckResult,
    Cost,
    Number,
    Output,
    Problem,
    Report,
    Symbolic,
    Verdict,
    scattered,
    worst,
)
from vjp_cli.request import Request
from vjp_cli.second_order import Gradient
from vjp_cli.settings import Settings
from vjp_cli.weights.build import Weighed


@dataclass(frozen=True)
class Stages:
    """What the stages of one inspection gave.

    Attributes:
        name: of the output.
        remarks: sentences of other stages for the report.
        weighed: what was asked for about v and u.
        gradient: what stands in the place of y, if anything does.
    """

    point: Point
    torch: TorchSide
    exact: ExactAnswer
    judgement: Judgement
    further: tuple[CheckResult, ...]
    remarks: tuple[str, ...]
    name: str
    weighed: Weighed
    gradient: Gradient | None = None


def assemble(request: Request, settings: Settings, stages: Stages) -> Report:
    """The report of one inspection."""
    stage("formulas")
    judgement, torch_side, exact = stages.judgement, stages.torch, stages.exact
    weighed = stages.weighed
    judgements = (judgement, *weighed.judgements)
    further = (*weighed.checks, *stages.further)
    judged = {verdict for each in judgements for verdict in each.verdicts}
    found = {*judged, *_counted(further, settings)} - ({Verdict.UNCHECKED} - judged)
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
            x: _matrix((*torch_side.output.shape, *stages.point.inputs[x].shape), jacobian[x])
            for x in torch_side.wrt
        },
        vjp=judgement.vjp_numbers,
        symbolic=symbolic,
        structure=structures_of(exact, judgement.jacobian, forward=not torch_side.custom),
        judged_jacobian=judgement.jacobian,
        judged_vjp=judgement.vjp,
        checks=(*(check for each in judgements for check in each.checks), *further),
        findings=tuple(finding for each in judgements for finding in each.findings),
        notes=_notes(stages, v is None, symbolic),
        environment=_environment(settings),
        verdict=worst(found),
        exit_code=exit_code.of(found, min(each.fewest_digits for each in judgements), settings),
        cost=_cost(stages),
        loss=weighed.loss,
        accumulation=weighed.accumulation,
        contributions=weighed.contributions,
        tangent=weighed.tangent,
    )


def _cost(stages: Stages) -> Cost:
    """The passes that were made, and the size of J in the dtypes of the inputs."""
    side, rows = stages.torch, stages.torch.output.numel()
    inputs = [stages.point.inputs[name] for name in side.wrt]
    return Cost(
        side.vjp_passes + stages.weighed.passes,
        side.jacobian_passes,
        sum(rows * value.numel() * value.element_size() for value in inputs),
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


def _matrix(shape: tuple[int, ...], matrix: TorchMatrix) -> Array[Number | None]:
    """A J of this shape."""
    if isinstance(matrix, Dense):
        return Array(shape, numbers_of(matrix.tensor))
    flat = matrix.rows * matrix.shape[1] + matrix.columns
    order = numpy.argsort(flat)
    listed = zip(flat[order].tolist(), numbers_of(matrix.numbers[order]), strict=True)
    return Array(shape, scattered(prod(shape), 0.0, dict(listed)))
