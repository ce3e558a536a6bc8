"""The exact side of one problem: y, J and vᵀJ to certain digits, and where they are in doubt.

The precision of balls is doubled until every entry has 30 certain digits; some real cases need
hundreds of digits on the way.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from vjp_cli.exact import reverse
from vjp_cli.exact.arrivals import Entries
from vjp_cli.exact.matrices import Column, Matrix
from vjp_cli.exact.reach import ancestors, depending_on, inputs_behind
from vjp_cli.lazy import numpy
from vjp_cli.numbers.scalar import Number, certain, is_finite
from vjp_cli.tracing.node import NOT_UNIQUE, Doubt, Node, OutOfTime
from vjp_cli.tracing.rounded import Rounded
from vjp_cli.tracing.tape import Tape, not_finite
from vjp_cli.tracing.tracer import Untraceable


class ComplexProgram(Untraceable):
    """The program has complex numbers: their formulas have values, and no derivatives."""


FIRST_BITS = 160
LAST_BITS = 40_960


@dataclass(frozen=True)
class Traced:
    """A program's tape: its output, its active leaves by name, and all its leaves."""

    tape: Tape
    output: Node
    leaves: Mapping[str, Node]
    inputs: tuple[Node, ...]
    v: Node | None


Trace = Callable[[Tape], Traced]


@dataclass(frozen=True)
class ExactSide:
    """What the exact side knows.

    Attributes:
        jacobian: for each input its matrix.
        vjp: for each input its column; None without v.
        doubts: for each input the elements at which the formulas may not be the derivative, with
            the reason.
        rounded: the numbers of the tape's nodes as the dtypes round them: their radii are what the
            program's own operations may be off.
    """

    traced: Traced
    jacobian: Mapping[str, Matrix]
    vjp: Mapping[str, Column] | None
    doubts: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    bits: int = FIRST_BITS
    rounded: Rounded = field(default_factory=Rounded)


def exact_side(trace: Trace, *, jacobian: bool, deadline: float) -> ExactSide:
    """J and vᵀJ with their certain digits.

    Raises:
        OutOfTime: nothing was ready at the deadline.
        Untraceable: the tracer cannot follow the program.
    """
    best: ExactSide | None = None
    bits = FIRST_BITS
    while True:
        try:
            side = differentiate(trace(Tape(bits, deadline=deadline)), jacobian=jacobian)
        except OutOfTime:
            if best is None:
                raise
            return best
        best = side
        if not _uncertain(side) or bits >= LAST_BITS or time.monotonic() > deadline:
            return best
        bits *= 2


def differentiate(traced: Traced, *, jacobian: bool) -> ExactSide:
    """J and vᵀJ of one tape, at whatever precision it has.

    Raises:
        ComplexProgram: a number of the tape is complex.
    """
    tape, output = traced.tape, traced.output
    if tape.is_complex:
        raise ComplexProgram("complex numbers")
    entries = reverse.jacobian(tape, output) if jacobian and output.active else {}
    matrices = {
        name: _matrix(output, leaf, entries.get(leaf)) for name, leaf in traced.leaves.items()
    }
    vjp = None
    if traced.v is not None:
        flows = reverse.product(tape, output, traced.v) if output.active else {}
        vjp = {name: _column(leaf, flows.get(leaf)) for name, leaf in traced.leaves.items()}
    return ExactSide(traced, matrices if jacobian else {}, vjp, _doubts(traced), tape.bits)


def _matrix(output: Node, leaf: Node, entries: Entries | None) -> Matrix:
    shape = (output.size, leaf.size)
    if entries is None:
        nothing = numpy.zeros(0, dtype=int)
        return Matrix(shape, nothing, nothing)
    return Matrix(shape, entries.rows, entries.positions, entries.values)


def _column(leaf: Node, entries: Entries | None) -> Column:
    if entries is None:
        return Column(leaf.size, numpy.zeros(0, dtype=int))
    return Column(leaf.size, entries.positions, entries.values)


def _doubts(traced: Traced) -> dict[str, dict[int, str]]:
    names = {leaf: name for name, leaf in traced.leaves.items()}
    found: dict[str, dict[int, str]] = {name: {} for name in traced.leaves}
    traced.tape.doubt(traced.output, not_finite(traced.output), "y is not finite here")
    if any(len(not_finite(leaf)) for leaf in traced.inputs):
        for leaf, name in names.items():
            found[name] = dict.fromkeys(range(leaf.size), "an input is not finite")
    for reason in dict.fromkeys(_words(doubt) for doubt in traced.tape.doubts):
        starts = [
            (doubt.node, doubt.positions)
            for doubt in traced.tape.doubts
            # a part that the output does not use need not be unique
            if _words(doubt) == reason and (reason != NOT_UNIQUE or _reaches(traced.output, doubt))
        ]
        for leaf, positions in inputs_behind(starts).items():
            for position in positions.tolist():
                if reason == NOT_UNIQUE:
                    found[names[leaf]][position] = reason
                found[names[leaf]].setdefault(position, reason)
    return found


def _words(doubt: Doubt) -> str:
    """The reason, and the part of the expression where it arose."""
    if doubt.reason == NOT_UNIQUE or doubt.place is None:
        return doubt.reason
    return f"{doubt.reason} in '{doubt.place.text}'"


def _reaches(output: Node, doubt: Doubt) -> bool:
    """Whether the output uses any of the doubtful elements."""
    if doubt.node not in ancestors(output) or not len(doubt.positions):
        return False
    return bool(depending_on(output, doubt.node, doubt.positions).any())


def _uncertain(side: ExactSide) -> bool:
    """Whether a higher precision would settle an entry."""
    columns: list[Matrix | Column] = [
        *side.jacobian.values(),
        *([] if side.vjp is None else side.vjp.values()),
    ]
    return any(not settled(value) for column in columns for value in _unclear(column))


def _unclear(column: Matrix | Column) -> Iterable[Number]:
    """The numbers; of those that wait the ones that lost so many digits that balls may too."""
    if not column.waits:
        numbers: list[Number] = column.values.tolist()
        return numbers
    near = column.near
    clear = near.is_zero | (near.error < _LOST * abs(near.value))
    return column.at(numpy.flatnonzero(~clear)).values()


# of the 63 bits of near numbers 43 are gone then, and 117 of 160 are left
_LOST = 2.0**-20


def settled(value: Number) -> bool:
    """Whether the digits are certain, or no precision will make them so (NaN, infinity)."""
    return certain(value) or not is_finite(value)
