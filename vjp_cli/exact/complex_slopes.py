"""Complex programs by evaluation alone: slopes along the real and the imaginary direction.

Every output is a pair of real functions of each input element. Where the slopes of a pair fulfil
the equations of Cauchy and Riemann, the output is holomorphic in the element and has one complex
derivative; elsewhere it has a real gradient only, ∂L/∂re + i·∂L/∂im of L = Re Σ conj(v_i)·y_i.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from vjp_cli.exact.derivatives import FIRST_BITS, ExactSide, Trace
from vjp_cli.exact.limits import same
from vjp_cli.exact.matrices import Matrix
from vjp_cli.exact.oracle import Oracle
from vjp_cli.exact.reach import depending_on
from vjp_cli.exact.samples import Slopes
from vjp_cli.exact.slopes import ColumnSlopes, agree, column_slopes
from vjp_cli.exact.tracing_program import Element, mover_of, numbers_of
from vjp_cli.lazy import flint, numpy, torch
from vjp_cli.numbers.scalar import Number, certain, exact, is_finite, pair, precision
from vjp_cli.tracing.evaluation import array
from vjp_cli.tracing.node import Node
from vjp_cli.tracing.tape import Tape

_LAST_BITS = 2560
_BITS = 256
# A slope that is 0 between parts is known after this many; one that needs more is an exception.
_USUAL_DOUBLINGS = 2


def complex_side(trace: Trace, *, deadline: float) -> ExactSide:
    """Y with certain digits; J as a pattern without numbers.

    Raises:
        OutOfTime: the deadline came first.
    """
    bits = FIRST_BITS
    traced = trace(Tape(bits, deadline=deadline))
    while bits < _LAST_BITS and not all(map(_known, traced.output.values.tolist())):
        bits *= 2
        traced = trace(Tape(bits, deadline=deadline))
    pattern = {name: _pattern(traced.output, leaf) for name, leaf in traced.leaves.items()}
    doubts = {name: dict[int, str]() for name in traced.leaves}
    return ExactSide(traced, pattern, None, doubts, bits)


def _known(value: Number) -> bool:
    return certain(value) or not is_finite(value)


def _pattern(output: Node, leaf: Node) -> Matrix:
    reached = numpy.zeros((output.size, leaf.size), dtype=bool)
    for position in range(leaf.size if output.active else 0):
        reached[:, position] = depending_on(output, leaf, position)
    rows, columns = reached.nonzero()
    values = array([flint.arb("nan")] * len(rows))
    return Matrix((output.size, leaf.size), rows, columns, given=values)


@dataclass(frozen=True)
class ComplexColumn:
    """The slopes of all outputs along one input element.

    Attributes:
        directions: along the real and, for a complex element, the imaginary direction.
        paired: whether the outputs are complex: rows 2i and 2i + 1 are then the parts of y_i.
    """

    directions: tuple[ColumnSlopes, ...]
    paired: bool

    def functional(self, row: int | None) -> tuple[Slopes, ...]:
        """The slopes of Re y_i for a row i, else of L (none without v), in each direction."""
        if row is not None:
            row = 2 * row if self.paired else row
            return tuple(column.rows[row] for column in self.directions)
        found = [column.weighted for column in self.directions]
        return tuple(slopes for slopes in found if slopes is not None)

    def parts(self, i: int) -> tuple[Slopes, ...]:
        """The slopes of both parts of y_i in each direction."""
        rows = (2 * i, 2 * i + 1) if self.paired else (i,)
        return tuple(column.rows[row] for row in rows for column in self.directions)

    def derivative(self, i: int) -> Any:
        """The derivative of y_i where it is holomorphic in this element, else None."""
        if not self.paired or len(self.directions) == 1:
            return None
        numbers = [n for n in map(slope_of, self.parts(i)) if n is not None]
        if len(numbers) < 4:
            return None
        real_by_real, real_by_imag, imag_by_real, imag_by_imag = numbers
        with precision(_BITS):
            holomorphic = same(real_by_real, imag_by_imag) and same(real_by_imag, -imag_by_real)
            return pair(real_by_real, imag_by_real) if holomorphic else None

    def derivative_of_sum(self, v: "torch.Tensor") -> Any:
        """Σ v_i·y_i′ where every output that counts is holomorphic in this element, else None."""
        total: Any = exact(0j)
        for i, weight in enumerate(numbers_of(v)):
            if weight == 0:
                continue
            derivative = self.derivative(i)
            if derivative is None:
                return None
            with precision(_BITS):
                total += weight * derivative
        return total


def slope_of(slopes: Slopes) -> Number | None:
    """The one finite slope of both sides, else None."""
    if slopes.limits_differ or not agree(slopes.left, slopes.right):
        return None
    return slopes.right.value


class ComplexSlopes(Oracle[ComplexColumn]):
    """The slopes of every output of a complex problem, and of L = Re Σ conj(v_i)·y_i."""

    _doublings = 0

    def answer(self, name: str, position: int) -> ComplexColumn:
        """See ``Oracle``: along the real direction, and the imaginary one of a complex input."""
        v = self.point.v
        weights = None if v is None else numbers_of(torch.view_as_real(v) if v.is_complex() else v)
        found = []
        for imaginary in (False, True)[: 1 + self.point.inputs[name].is_complex()]:
            element = Element(name, position, imaginary)
            evaluate = mover_of(
                self.program, self.point, element, self.deadline, frozen=self.frozen
            )
            column = column_slopes(evaluate, weights, self.deadline, self._doublings)
            self._doublings = min(column.doublings, _USUAL_DOUBLINGS)
            found.append(column)
        return ComplexColumn(tuple(found), self._paired)

    @cached_property
    def _paired(self) -> bool:
        return bool(self.program(self.point.inputs).is_complex())
