"""Several v, one after another."""

from collections.abc import Mapping
from dataclasses import dataclass

from vjp_cli.report.parts import Judged
from vjp_cli.report.values import Array, Number


@dataclass(frozen=True)
class Pull:
    """One v and its vᵀJ, with the meanings that the fields have in a report."""

    v: Array[Number]
    vjp: Mapping[str, Array[Number | None]] | None
    symbolic: Mapping[str, Array[Number | None]] | None
    judged: Judged | None


@dataclass(frozen=True)
class Accumulation:
    """What one ``y.backward(v, retain_graph=True)`` after another leaves.

    Attributes:
        pulls: all of them in order, the first one included.
        total: what ``.grad`` of each input holds after all of them; None where torch gives no
            number. As a whole None where a backward pass raised.
        symbolic: the sum of the exact vᵀJ as floats; an entry is None where one is unknown.
    """

    pulls: tuple[Pull, ...]
    total: Mapping[str, Array[Number | None]] | None
    symbolic: Mapping[str, Array[Number | None]] | None
