"""What is wrong with a wrong backward: the relation between torch's J and the true one, if any.

A relation is named only when it holds for every entry to rounding; what fits none stays unnamed.
"""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from vjp_cli.checks.blame import where_to_look
from vjp_cli.checks.relations import REAL, relations
from vjp_cli.checks.scaling import Scaling
from vjp_cli.checks.trial import Backward, Elements, Trial
from vjp_cli.checks.verdict import radius_of
from vjp_cli.derivatives.evaluation import TorchSide
from vjp_cli.errors import shorten
from vjp_cli.exact.derivatives import ExactSide
from vjp_cli.exact.matrices import Matrix
from vjp_cli.exact.side import ExactAnswer
from vjp_cli.functions.body import UserFunction
from vjp_cli.lazy import numpy, torch
from vjp_cli.numbers.dtypes import FloatFormat
from vjp_cli.numbers.scalar import to_float
from vjp_cli.render.lines import equation
from vjp_cli.report import FormulaGroup
from vjp_cli.tracing.node import OutOfTime, Values

# How a note on a backward begins, for those who pick these notes out of a report.
NOTE = "the backward for "
# Beyond this many entries of J no relation is looked for.
_ENTRIES = 10**6
# A formula is cut to this many characters; the report has the whole.
_FORMULA = 120


@dataclass(frozen=True)
class Diagnosis:
    """What is known of the wrong gradient of one input.

    Attributes:
        relation: to the true one, in words; "" where none fits.
        where: which line of which backward to look at.
    """

    name: str
    relation: str
    where: str


def sentence(diagnosis: Diagnosis, formulas: Sequence[FormulaGroup]) -> str:
    """The note for the reader, with the right formula where there is one for all entries."""
    parts = [*filter(None, [diagnosis.relation]), diagnosis.where]
    if len(formulas) == 1 and not formulas[0].definitions:
        parts.append(f"right is {shorten(equation(formulas[0]), _FORMULA)}")
    elif formulas:
        parts.append("the right formulas are those of J in the report")
    return f"{NOTE}{diagnosis.name}: {'; '.join(parts)}"


def diagnoses(
    side: TorchSide, exact: ExactAnswer, scaling: Scaling, form: FloatFormat, accused: Set[str]
) -> tuple[Diagnosis, ...]:
    """A diagnosis for each accused input of a program with a backward in Python.

    Args:
        side: what torch gave.
        exact: what the exact side knows.
        scaling: has the point and the program.
        form: of the coarsest dtype on the way.
        accused: the inputs with a wrong entry of J or of vᵀJ.
    """
    if not side.backwards or exact.side is None or exact.reason:
        return ()
    body = scaling.program.body
    given = body.source.path if isinstance(body, UserFunction) else None
    try:
        trials = _backwards(side, exact, scaling)
    except OutOfTime:
        # the place alone can be named: a relation needs every number of J
        trials = {}
    found = []
    for name in side.wrt:
        if name in accused:
            backward = trials.get(name)
            others = tuple(other for key, other in trials.items() if key != name)
            relation = "" if backward is None else diagnose(replace(backward, others=others), form)
            where = where_to_look(side.backwards, name, given)
            found.append(Diagnosis(name, relation, where))
    return tuple(found)


def _backwards(side: TorchSide, exact: ExactAnswer, scaling: Scaling) -> dict[str, Backward]:
    """What there is to compare for each input; nothing where a formula is no derivative."""
    assert exact.side is not None
    point = scaling.point
    output = Elements(scaling.program.body.output, tuple(side.output.shape))
    found = {}
    for name in side.wrt:
        columns = Elements(name, tuple(point.inputs[name].shape))
        vjp = None if side.vjp is None else side.vjp[name]
        if exact.side.doubts[name]:
            continue
        if side.jacobian is not None and prod(side.jacobian[name].shape) <= _ENTRIES:
            matrix = exact.side.jacobian[name]
            truth = _dense(matrix, matrix.values, to_float)
            radius = _radius(exact.side, matrix)
            found[name] = Backward(
                _floats(side.jacobian[name].dense()), truth, _flat(point.v), _flat(vjp), radius
            )
        elif exact.side.vjp is not None and vjp is not None:
            row = numpy.array([[to_float(x) for x in exact.side.vjp[name].values.tolist()]])
            found[name] = Backward(_flat(vjp)[None], row, product=True)
        else:
            continue
        found[name] = replace(found[name], output=output, input=columns)
    return found


def _dense(matrix: Matrix, values: Values, number: Callable[[Any], float]) -> Any:
    dense = numpy.zeros(matrix.shape)
    dense[matrix.rows, matrix.columns] = [number(x) for x in values.tolist()]
    return dense


def _radius(side: ExactSide, matrix: Matrix) -> Any:
    """What rounding may be in each entry; None when time ran out."""
    if matrix.node is None:
        return numpy.zeros(matrix.shape)
    try:
        return _dense(matrix, side.rounded.values(matrix.node), radius_of)
    except OutOfTime:
        return None


def _floats(tensor: "torch.Tensor") -> Any:
    return tensor.double().cpu().numpy()


def _flat(tensor: "torch.Tensor | None") -> Any:
    return None if tensor is None else _floats(tensor.reshape(-1))


def diagnose(backward: Backward, form: FloatFormat) -> str:
    """The relation in words; "" where none fits, or where all is right."""
    if not (numpy.isfinite(backward.truth).all() and numpy.isfinite(backward.found).all()):
        return ""
    if not backward.truth.size or backward.truth.size > _ENTRIES:
        return ""
    trial = Trial(backward, form)
    if trial.is_true():
        return _of_the_cotangent(trial)
    return joined(relations(trial, REAL))


def joined(found: list[str]) -> str:
    """One sentence of all that fit, since nothing at this point tells them apart."""
    if len(found) < 2:
        return "".join(found)
    return "; or ".join(found) + (" (both fit)" if len(found) == 2 else " (all fit)")


def _of_the_cotangent(trial: Trial) -> str:
    """J is right for unit cotangents, but vᵀJ is not: the backward is not linear in v."""
    weights, vjp = trial.backward.v, trial.backward.vjp
    if weights is None or vjp is None or not numpy.isfinite(vjp).all():
        return ""

    def fits(given: Any) -> bool:
        slack = numpy.abs(given) @ trial.slack
        return bool((numpy.abs(vjp - given @ trial.truth) <= slack).all())

    if fits(weights):
        return ""
    if fits(weights * weights):
        return "the cotangent (grad_output) enters twice: v² in place of v"
    return "the backward is not linear in the cotangent (grad_output)"
