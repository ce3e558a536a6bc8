"""The exact side of one problem: y, J and vᵀJ to certain digits, and where they are in doubt.

The precision of balls is doubled until every entry has 30 certain digits; some real cases need
hundreds of digits on the way. A second run in balls of the dtype's own precision, with the same
decisions, gives the rounding error that the program's own operations can make.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vjp_cli.exact import reverse
from vjp_cli.exact.reach import ancestors, depending_on, inputs_behind
from vjp_cli.lazy import flint, numpy
from vjp_cli.numbers.scalar import Number, certain, is_finite
from vjp_cli.tracing.node import NOT_UNIQUE, Doubt, Index, Node, OutOfTime, Values
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
class Matrix:
    """The structural non-zeros of J for one input, by row and column, and the nodes behind.

    Attributes:
        shape: (y.numel(), x.numel()).
        values: exact numbers, one for each (row, column).
    """

    shape: tuple[int, int]
    rows: Index
    columns: Index
    values: Values
    node: Node | None = None


@dataclass(frozen=True)
class ExactSide:
    """What the exact side knows.

    Attributes:
        jacobian: for each input its matrix.
        vjp: for each input a dense column of numbers, 0 where no path leads; None without v.
        doubts: for each input the elements at which the formulas may not be the derivative, with
            the reason.
    """

    traced: Traced
    jacobian: Mapping[str, Matrix]
    vjp: Mapping[str, Values] | None
    doubts: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    bits: int = FIRST_BITS


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


def rounding_side(trace: Trace, exact: ExactSide, *, deadline: float) -> ExactSide:
    """The same in balls of the dtype's precision, repeating the decisions of the exact run."""
    decisions = exact.traced.tape.decisions.replay()
    tape = Tape(53, rounding=True, decisions=decisions, deadline=deadline)
    return differentiate(trace(tape), jacobian=bool(exact.jacobian))


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


def _matrix(output: Node, leaf: Node, entries: reverse.Entries | None) -> Matrix:
    shape = (output.size, leaf.size)
    if entries is None:
        nothing = numpy.zeros(0, dtype=int)
        return Matrix(shape, nothing, nothing, numpy.zeros(0, dtype=object))
    return Matrix(shape, entries.rows, entries.positions, entries.values.values, entries.values)


def _column(leaf: Node, entries: reverse.Entries | None) -> Values:
    column = numpy.empty(leaf.size, dtype=object)
    column[:] = [flint.fmpq(0)] * leaf.size
    if entries is not None:
        column[entries.positions] = entries.values.values
    return column


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
    columns: Sequence[Any] = [
        *[matrix.values for matrix in side.jacobian.values()],
        *([] if side.vjp is None else side.vjp.values()),
    ]
    return any(not settled(value) for column in columns for value in column.tolist())


def settled(value: Number) -> bool:
    """Whether the digits are certain, or no precision will make them so (NaN, infinity)."""
    return certain(value) or not is_finite(value)
