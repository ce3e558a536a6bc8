"""The exact derivatives of a report as doubles."""

from collections.abc import Sequence

from vjp_cli.report.values import Array, Deferred, Number, Truth, TruthKind


def number_of(truth: Truth) -> Number | None:
    """The float (or complex number) nearest to a truth that is one number."""
    if truth.kind not in (TruthKind.VALUE, TruthKind.REMOVABLE):
        return None
    return value_of(truth)


def value_of(truth: Truth) -> Number:
    """The same of a truth that is known to be one number."""
    text = truth.value.replace(" ", "")
    return complex(text) if text.endswith("j)") else float(text)


def numbers_at(truths: Array[Truth], places: Sequence[int] | None = None) -> list[Number | None]:
    """The same of all truths, or of those at these flat positions; no digits are made for it."""
    values = truths.values
    wanted = range(len(values)) if places is None else places
    if not isinstance(values, Deferred) or values.floats is None:
        return [number_of(truth) for truth in truths.at(wanted)]
    deferred = [place for place in wanted if place in values.places]
    known = dict(zip(deferred, values.floats(deferred), strict=True))
    return [known[k] if k in known else number_of(values.known[k]) for k in wanted]


def known_truth(truths: Array[Truth], place: int) -> Truth:
    """What was judged at a place; of one that passed at a glance no digits, and no slopes."""
    values = truths.values
    return values.known[place] if isinstance(values, Deferred) else values[place]
