"""What is wrong with a wrong backward of complex numbers: above all, which conjugate is missing."""

from collections.abc import Mapping, Set
from typing import Any

from vjp_cli.checks.blame import where_to_look
from vjp_cli.checks.confined import confined
from vjp_cli.checks.context import Context
from vjp_cli.checks.diagnosis import Diagnosis, joined
from vjp_cli.checks.permuted import permuted, symmetrised
from vjp_cli.checks.relations import Kinds, masked, relations, sign, transposed, zero
from vjp_cli.checks.trial import Backward, Elements, Trial
from vjp_cli.functions.body import UserFunction
from vjp_cli.lazy import numpy, torch
from vjp_cli.numbers.dtypes import FloatFormat

# The input, the element of it, and the output (None for vᵀJ) of a gradient in torch's convention.
Ascents = Mapping[tuple[str, int, int | None], complex]


def complex_diagnoses(
    context: Context, ascents: Ascents, form: FloatFormat, accused: Set[str]
) -> tuple[Diagnosis, ...]:
    """A diagnosis for each accused input of a program with a backward in Python.

    Args:
        context: the problem and what torch gave.
        ascents: what torch should give, where there is one number.
        form: of the parts of a number.
        accused: the inputs with a wrong entry of J or of vᵀJ.
    """
    backwards, body = context.side.backwards, context.program.body
    if not backwards:
        return ()
    given = body.source.path if isinstance(body, UserFunction) else None
    return tuple(
        Diagnosis(name, _relation(context, ascents, form, name), where)
        for name in context.side.wrt
        if name in accused
        for where in [where_to_look(backwards, name, given)]
    )


def _relation(context: Context, ascents: Ascents, form: FloatFormat, name: str) -> str:
    """The relation of J, or of vᵀJ where J is right, to what torch should give; "" for none."""
    side, point = context.side, context.point
    if side.jacobian is None:
        return ""
    found = _array(side.jacobian[name].dense())
    rows, columns = found.shape
    truth = _matrix(ascents, name, list(range(rows)), columns)
    if truth is None or not truth.size or not numpy.isfinite(found).all():
        return ""
    output = Elements(context.program.body.output, tuple(side.output.shape))
    own = Elements(name, tuple(point.inputs[name].shape))
    trial = Trial(Backward(found, truth, output=output, input=own), form)
    if not trial.is_true():
        return joined(relations(trial, _KINDS))
    vjp = None if side.vjp is None else side.vjp[name]
    expected = _matrix(ascents, name, [None], columns)
    if point.v is None or vjp is None or expected is None:
        return ""
    return _of_the_cotangent(
        trial, _array(point.v.reshape(-1)), _array(vjp.reshape(-1)), expected[0]
    )


def _array(tensor: "torch.Tensor") -> Any:
    return tensor.detach().cpu().resolve_conj().resolve_neg().numpy()


def _matrix(ascents: Ascents, name: str, rows: list[Any], columns: int) -> Any:
    """The gradients of these outputs; None where one of them is not a number."""
    numbers = [[ascents.get((name, k, row)) for k in range(columns)] for row in rows]
    if any(number is None for row in numbers for number in row):
        return None
    return numpy.array(numbers, dtype=complex).reshape(len(rows), columns)


def _of_the_cotangent(trial: Trial, v: Any, vjp: Any, expected: Any) -> str:
    """J, for real unit cotangents, is right; what a complex cotangent makes of it is not."""

    def close(one: Any, other: Any) -> bool:
        return bool((numpy.abs(one - other) <= numpy.abs(v) @ trial.slack).all())

    # only of a holomorphic function the rows of J, weighted, are all there is to it
    if close(vjp, expected) or not close(v @ trial.truth, expected):
        return ""
    if close(vjp, v.conj() @ trial.truth):
        return "the cotangent (grad_output) is conjugated"
    if close(vjp, v.real @ trial.truth):
        return "the imaginary part of the cotangent (grad_output) is lost"
    return ""


def _conjugate(trial: Trial) -> list[str]:
    if not trial.becomes(numpy.conj):
        return []
    return ["torch's J is conjugated: torch's convention is the conjugate of the derivative"]


def _adjoint(trial: Trial) -> list[str]:
    rows, columns = trial.truth.shape
    if not rows == columns > 1 or not trial.becomes(lambda j: j.conj().T):
        return []
    # of a diagonal J the conjugate alone says it
    if trial.becomes(numpy.conj):
        return []
    return ["torch's J is transposed and conjugated"]


def _part(trial: Trial) -> list[str]:
    words = []
    if trial.is_image(trial.truth.real, trial.slack):
        words.append("torch's J has lost its imaginary part")
    if trial.is_image(1j * trial.truth.imag, trial.slack):
        words.append("torch's J has lost its real part")
    return words


def _factor(trial: Trial) -> list[str]:
    """One complex factor of all entries, shown with as few digits as fit."""
    place = numpy.unravel_index(numpy.abs(trial.truth).argmax(), trial.truth.shape)
    factor = complex(trial.found[place] / trial.truth[place]) if trial.truth[place] else 0j
    if not factor or numpy.count_nonzero(trial.truth) < 2:
        return []
    for places in range(1, 17):
        shown = complex(f"{factor:.{places}g}")
        if trial.fits(shown * trial.truth, abs(shown) * trial.slack):
            # a factor of -1 is the wrong sign
            return [] if shown == -1 else [f"torch's J is {_plain(shown)} times the true one"]
    return []


def _plain(number: complex) -> str:
    if number.imag == 0:
        return f"{number.real:.16g}"
    if number.real == 0:
        return f"{number.imag:.16g}j"
    return f"({number.real:.16g}{number.imag:+.16g}j)"


_KINDS: Kinds = (
    (zero,),
    (sign, transposed, symmetrised, permuted, _conjugate, _adjoint, _part, _factor),
    (masked,),
    (confined,),
)
