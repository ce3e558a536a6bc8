"""The relations that a wrong J may have to the true one, the simplest first.

A relation holds for every entry to rounding, or it is not named. Each function here gives the
sentences that fit, none where its kind of relation does not hold.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from vjp_cli.checks.broadcast import mean, not_summed
from vjp_cli.checks.confined import confined, offset
from vjp_cli.checks.lower_precision import lower_precision
from vjp_cli.checks.permuted import permuted, symmetrised
from vjp_cli.checks.trial import Elements, Trial
from vjp_cli.lazy import numpy

Kinds = tuple[tuple[Callable[[Trial], list[str]], ...], ...]

# A factor that is no fraction of small numbers is shown in decimals, the shorter of the two.
_DENOMINATOR = 9


def relations(trial: Trial, kinds: Kinds) -> list[str]:
    """All relations of the first kind that fits: several where one cannot tell them apart."""
    for kind in kinds:
        words = [sentence for relation in kind for sentence in relation(trial)]
        if words:
            return words
    return []


def zero(trial: Trial) -> list[str]:
    """The graph is cut."""
    if trial.found.any():
        return []
    # where all derivatives are tiny, each may have been rounded away
    cut = numpy.abs(trial.truth).max() >= math.sqrt(trial.form.unit)
    return [f"{trial.backward.name} is 0{': the graph is cut' if cut else ''}"]


def sign(trial: Trial) -> list[str]:
    """Every entry has the wrong sign."""
    fits = trial.becomes(lambda j: j, sign=-1)
    return [f"{trial.backward.name} has the wrong sign"] if fits else []


def transposed(trial: Trial) -> list[str]:
    """A square J is its own transpose's."""
    rows, columns = trial.truth.shape
    fits = rows == columns > 1 and trial.becomes(lambda j: j.T)
    return [f"{trial.backward.name} is transposed"] if fits else []


def _factor(trial: Trial) -> list[str]:
    """``torch's J is 3 times the true one``, for one factor of all entries."""
    truth, found = trial.truth, trial.found
    place = numpy.unravel_index(numpy.abs(truth).argmax(), truth.shape)
    factor = float(found[place] / truth[place]) if truth[place] else 0.0
    if not factor or not trial.fits(factor * truth, abs(factor) * trial.slack):
        return []
    simple = Fraction(factor).limit_denominator(_DENOMINATOR)
    is_simple = trial.fits(float(simple) * truth, abs(factor) * trial.slack)
    if simple == -1 or (not is_simple and numpy.count_nonzero(truth) < 2):
        # -1 has a name; and one number is always some multiple of another
        return []
    forms = [*([str(simple)] if is_simple else []), _shortest(trial, factor)]
    like = mean(trial, simple) if is_simple else ""
    return [f"{trial.backward.name} is {min(forms, key=len)} times the true one{like}"]


def _shortest(trial: Trial, factor: float) -> str:
    """The factor with no more digits than rounding lets one know."""
    for places in range(1, 17):
        text = f"{factor:.{places}g}"
        if trial.fits(float(text) * trial.truth, abs(factor) * trial.slack):
            return text
    return repr(factor)


def _of_another_input(trial: Trial) -> list[str]:
    """The gradient that belongs to another input, in this one's shape."""
    columns = trial.backward.columns
    words = []
    for other in trial.backward.others:
        theirs = Trial(other, trial.form)
        change = _into(other.columns, columns)
        if change is None or not trial.is_image(change(theirs.truth), change(theirs.slack)):
            continue
        back = _into(columns, other.columns)
        both = back is not None and theirs.is_image(back(trial.truth), back(trial.slack))
        name = other.columns.name
        words.append(
            f"the gradients of {columns.name} and {name} are swapped"
            if both
            else f"the gradient of {columns.name} is that of {name}"
        )
    return words


def _into(source: Elements, target: Elements) -> Callable[[Any], Any] | None:
    """What torch makes of a J by ``source`` that is given out for one by ``target``.

    The gradient of a larger shape is summed over what was broadcast; None where torch refuses.
    """
    padded = (1,) * (len(source.shape) - len(target.shape)) + target.shape
    if len(padded) != len(source.shape):
        return None
    if any(a != b and b != 1 for a, b in zip(source.shape, padded, strict=True)):
        return None
    axes = tuple(1 + k for k, (a, b) in enumerate(zip(source.shape, padded, strict=True)) if a != b)

    def change(matrix: Any) -> Any:
        whole = matrix.reshape(len(matrix), *source.shape)
        return whole.sum(axis=axes).reshape(len(matrix), math.prod(target.shape))

    return change


def _ignores_cotangent(trial: Trial) -> list[str]:
    """Every row is the gradient of the sum of all outputs."""
    if len(trial.truth) < 2 or not trial.becomes(_summed):
        return []
    return [
        "the backward ignores the cotangent (grad_output): every row is the gradient of y.sum()"
    ]


def _summed(matrix: Any) -> Any:
    return numpy.broadcast_to(matrix.sum(axis=0), matrix.shape)


def masked(trial: Trial) -> list[str]:
    """Every entry is right or 0, some of them are right, and none was too small to stay."""
    right, zero = trial.agrees(trial.truth, trial.slack), trial.found == 0
    if not (right | zero).all() or not (right & (trial.truth != 0)).any():
        return []
    if numpy.abs(trial.truth[~right]).min() < _lost(trial):
        return []
    return [f"{trial.backward.name} is right where it is not 0: the backward masks too much"]


def _lost(trial: Trial) -> float:
    """Smaller numbers than this may be 0 because they were rounded away."""
    return math.sqrt(trial.form.unit) * float(numpy.abs(trial.truth).max())


def _right_for_ones(trial: Trial) -> list[str]:
    off = ~trial.agrees(trial.truth, trial.slack)
    difference = (trial.found - trial.truth).sum(axis=0)
    # errors of one column cancel only if there are two of them
    if (off.sum(axis=0) == 1).any() or (numpy.abs(difference) > trial.slack.sum(axis=0)).any():
        return []
    return ["torch's J is right for v = ones only: its columns sum to the true ones"]


# the simplest kind first; within one kind none is simpler than another
REAL: Kinds = (
    (zero,),
    (
        *(sign, transposed, symmetrised, permuted),
        *(_ignores_cotangent, not_summed, _of_another_input, _factor),
    ),
    (lower_precision,),
    (masked,),
    (offset,),
    (confined,),
    (_right_for_ones,),
)
