"""Whether a backward was computed in a dtype of fewer digits than the problem has."""

from typing import Any

from vjp_cli.checks.trial import Trial
from vjp_cli.lazy import numpy, torch
from vjp_cli.numbers.dtypes import FORMATS

# Rounding of a backward of a few operations, in units of the lower dtype.
_UNITS = 16
# As many bits of torch's numbers must be 0 before that is no coincidence.
_EVIDENCE = 40


def lower_precision(trial: Trial) -> list[str]:
    """The dtype whose numbers torch's are, and whose rounding explains every error."""
    lower = (name for name, form in FORMATS.items() if form.bits < trial.form.bits)
    for name in sorted(lower, key=lambda name: FORMATS[name].bits):
        form = FORMATS[name]
        if not numpy.array_equal(_rounded(trial.found, name), trial.found):
            continue
        slack = _UNITS * form.unit * numpy.abs(trial.truth) + trial.slack
        # entries that the lower dtype holds as they are say nothing
        telling = numpy.count_nonzero(_rounded(trial.truth, name) != trial.truth)
        if trial.fits(trial.truth, slack) and (
            telling * (trial.form.bits - form.bits) >= _EVIDENCE
        ):
            return [f"the backward is computed in {name}, of which all of its numbers are"]
    return []


def _rounded(numbers: Any, dtype: str) -> Any:
    """The nearest numbers of the dtype."""
    return torch.from_numpy(numpy.array(numbers)).to(getattr(torch, dtype)).double().numpy()
