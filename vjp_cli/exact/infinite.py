"""Derivatives at an infinite input, as limits: the input grows, and the derivative must settle.

Several infinite inputs grow at different speeds, once in each order; where the limits differ there
is no derivative (the weights of logsumexp(-inf, -inf) depend on the path).
"""

from collections.abc import Mapping

from vjp_cli.exact.derivatives import differentiate
from vjp_cli.exact.limits import END, Limit, Tendency, limit
from vjp_cli.exact.samples import Slopes
from vjp_cli.exact.slopes import ColumnSlopes, agree
from vjp_cli.exact.tracing_program import Point, tracer_of
from vjp_cli.lazy import flint, numpy, torch
from vjp_cli.numbers.scalar import Number, is_finite
from vjp_cli.program import Program
from vjp_cli.tracing.node import Node
from vjp_cli.tracing.tape import Tape

# An infinite input is replaced by 2 to these powers; the larger grow apart by a further factor.
SIZES = (120, 180, 270)
_BITS = 2000

_Columns = dict[tuple[str, int], list[tuple[list[Number], Number | None]]]


def is_infinite(point: Point) -> bool:
    """Whether any input is infinite (and none is NaN)."""
    values = [value for value in point.inputs.values() if value.is_floating_point()]
    if any(bool(value.isnan().any()) for value in values):
        return False
    return any(bool(value.isinf().any()) for value in values)


def limits_at_infinity(
    program: Program, point: Point, deadline: float
) -> dict[tuple[str, int], ColumnSlopes]:
    """For each (input, element) the limits of the rows of J and of vᵀJ, as slopes of both sides."""
    orders = [_derivatives(program, point, deadline, fastest_first=flag) for flag in (False, True)]
    found = {}
    for key in orders[0]:
        rows = []
        count = len(orders[0][key][0][0])
        for row in range(count):
            rows.append(_both([_limit([s[0][row] for s in order[key]]) for order in orders]))
        weighted = None
        if orders[0][key][0][1] is not None:
            weighted = _both([_limit([s[1] for s in order[key]]) for order in orders])
        found[key] = ColumnSlopes(tuple(rows), weighted)
    return found


def _limit(numbers: "list[Number | None]") -> Limit:
    first, second, third = numbers
    assert first is not None
    assert second is not None
    assert third is not None
    return limit((first, second, third), SIZES)


def _both(limits: list[Limit]) -> Slopes:
    """One limit as both slopes; none where the orders disagree."""
    left, right = limits
    if not agree(left, right):
        none = Limit(Tendency.NONE)
        return Slopes(none, none)
    return Slopes(left, right)


def _derivatives(
    program: Program, point: Point, deadline: float, *, fastest_first: bool
) -> _Columns:
    """J and vᵀJ at three sizes of the infinite inputs, by element."""
    trace = tracer_of(program, point)
    found: _Columns = {}
    for size in SIZES:
        tape = Tape(_BITS, deadline=deadline)
        replaced = _Growing(size, point.inputs, fastest_first)
        side = differentiate(trace(tape, replaced), jacobian=True)
        for name, matrix in side.jacobian.items():
            dense = numpy.full(matrix.shape, flint.fmpq(0), dtype=object)
            dense[matrix.rows, matrix.columns] = matrix.values
            for element in range(matrix.shape[1]):
                weighted = None if side.vjp is None else side.vjp[name].values[element]
                rows = dense[:, element].tolist()
                found.setdefault((name, element), []).append((rows, weighted))
    return found


class _Growing:
    """Replaces the infinities of each leaf by finite numbers, every one at its own speed."""

    def __init__(
        self, size: int, inputs: "Mapping[str, torch.Tensor]", fastest_first: bool
    ) -> None:
        self.size = size
        self.count = sum(int(value.isinf().sum()) for value in inputs.values())
        self.fastest_first = fastest_first
        self.seen = 0

    def __call__(self, leaf: Node) -> None:
        for position, value in enumerate(leaf.values.tolist()):
            if is_finite(value):
                continue
            rank = self.count - self.seen if self.fastest_first else self.seen + 1
            self.seen += 1
            sign = 1 if value > 0 else -1
            leaf.move(position, flint.fmpq(sign) * flint.fmpq(2) ** (self.size * rank))


__all__ = ["END", "SIZES", "is_infinite", "limits_at_infinity"]
