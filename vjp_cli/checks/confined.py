"""Errors that are the same everywhere or in one place only: what is off, and by how much."""

from typing import Any

from vjp_cli.checks.trial import Trial
from vjp_cli.lazy import numpy

# A difference this many times its tolerance has a digit to speak of.
_CLEAR = 8


def offset(trial: Trial) -> list[str]:
    """A missing term: one value everywhere, or the same row in every row of J."""
    difference = trial.found - trial.truth
    name = trial.backward.name
    value = _one_value(difference, trial.slack)
    if value is not None:
        return [f"{name} is off by the same {value} in every entry"]
    inside = trial.truth != 0
    if not trial.found[~inside].any():
        value = _one_value(difference[inside], trial.slack[inside])
        if value is not None:
            return [f"{name} is off by the same {value} in every entry that is not 0"]
    if len(difference) < 2 or not _is_same_in_every_row(difference, trial.slack):
        return []
    return [f"{name} lacks a term that is the same in every row"]


def _one_value(difference: Any, slack: Any) -> str | None:
    """The value of all the differences; None where they are not one, or too few to tell."""
    if difference.size < 2:
        return None
    value = float(numpy.median(difference))
    if (numpy.abs(difference - value) > slack).any() or abs(value) < _CLEAR * slack.max():
        return None
    return f"{value:.6g}"


def _is_same_in_every_row(difference: Any, slack: Any) -> bool:
    apart = numpy.abs(difference - difference[:1]) <= slack + slack[:1]
    clear = numpy.abs(difference) >= _CLEAR * slack
    return bool(apart.all() and clear.any(axis=1).all())


def confined(trial: Trial) -> list[str]:
    """The one entry, row or column that is off, in a J that has more of them."""
    off = ~trial.agrees(trial.truth, trial.slack)
    name, rows, columns = trial.backward.name, trial.backward.rows, trial.backward.columns
    places = off.nonzero()
    which_rows, which_columns = (numpy.unique(part) for part in places)
    by = _size(trial, off)
    if not which_rows.size or off.size == 1:
        return []
    row, column = rows[int(which_rows[0])], columns[int(which_columns[0])]
    if len(places[0]) == 1:
        where = column if trial.backward.product else f"∂{row}/∂{column}"
        return [f"{name} is off at {where} alone, {by}"]
    if which_rows.size == 1 and off.shape[0] > 1:
        return [f"{name} is off in the row of {row} alone, {by}"]
    if which_columns.size == 1 and off.shape[1] > 1:
        return [f"{name} is off in the column of {column} alone, {by}"]
    return []


def _size(trial: Trial, off: Any) -> str:
    """``by a relative 1e-07``, the largest of several; a number where the truth is 0."""
    truth, difference = trial.truth[off], numpy.abs(trial.found - trial.truth)[off]
    if not truth.all():
        return f"by {_number(difference)} where the truth is 0"
    return f"by a relative {_number(difference / numpy.abs(truth))}"


def _number(sizes: Any) -> str:
    if not sizes.size:
        return "0"
    largest = f"{float(sizes.max()):.2g}"
    return largest if f"{float(sizes.min()):.2g}" == largest else f"{largest} at most"
