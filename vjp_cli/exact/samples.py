"""A function beside a point: its values at x ± h for three sizes of h, and the slopes they tell."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from vjp_cli.exact.limits import END, Limit, Tendency, enough, limit
from vjp_cli.exact.reach import depending_on
from vjp_cli.lazy import flint, numpy
from vjp_cli.numbers.scalar import Number, ball, is_finite, is_rational, is_zero, precision
from vjp_cli.tracing.evaluation import array
from vjp_cli.tracing.node import Node, Values
from vjp_cli.tracing.tape import not_finite
from vjp_cli.tracing.tracer import Untraceable

# h = 2^-k for these k; the last is used at a hole only, where differences take pairs of points
SIZES = (1200, 1800, 2600, 3800)
_MARGIN_BITS = 400


@dataclass(frozen=True)
class Moved:
    """An evaluation with one input element moved.

    Attributes:
        output: y there.
        leaf: the input that was moved.
        position: the element of the leaf.
    """

    output: Node
    leaf: Node
    position: int


# a weighted sum of outputs: (output, weight), where no weight means the output itself
Functional = Sequence[tuple[int, Number | None]]
# (exact shift of the element, bits) -> the function there
Evaluate = Callable[[Number, int], Moved]


@dataclass(frozen=True)
class Slopes:
    """The two one-sided slopes of one real function of one input element.

    Attributes:
        hole: whether the function has no finite value at the point itself.
        limits_differ: at a hole, whether the two sides tend to different values (or to none).
    """

    left: Limit
    right: Limit
    hole: bool = False
    limits_differ: bool = False


@cache
def flat() -> Slopes:
    """Both slopes 0."""
    zero = Limit(Tendency.VALUE, flint.fmpq(0))
    return Slopes(zero, zero)


class Samples:
    """The function at the point and at ±h for three sizes of h."""

    def __init__(self, evaluate: Evaluate, factor: int) -> None:
        self.bits = [factor * (size + _MARGIN_BITS) for size in SIZES]
        self._nodes: dict[tuple[int, int], Node] = {}
        self._depends: Any = False
        self._constant: set[int] = set()
        for k in range(3):
            self._sample(evaluate, k)
        self.count = self._nodes[0, 0].size
        if len(not_finite(self._nodes[0, 0])):
            self._sample(evaluate, 3)
        self.outputs = {key: _values(node, self._depends) for key, node in self._nodes.items()}
        self._drop_constants(self._depends)
        self.moving = [row for row in range(self.count) if row not in self._constant]

    def _sample(self, evaluate: Evaluate, k: int) -> None:
        # the point itself first: what a frozen program holds fast is found there
        for sign in (0, -1, 1):
            moved = evaluate(flint.fmpq(sign) * flint.fmpq(2) ** -SIZES[k], self.bits[k])
            self._nodes[k, sign] = moved.output
            if moved.output.size != self._nodes[0, 0].size:
                raise Untraceable("a result whose shape is another there")
            self._depends |= depending_on(moved.output, moved.leaf, moved.position)

    def _drop_constants(self, depends: Any) -> None:
        """Outputs that the element does not reach are the same everywhere: take them as 0.

        Their balls overlap without being equal; subtracting them would only leave their radii.
        """
        for row in range(self.count):
            values = [self.outputs[key][row] for key in self.outputs]
            if depends[row] or not all(is_finite(value) for value in values):
                continue
            if all(_overlap(values[0], value) for value in values[1:]):
                self._constant.add(row)
                for key in self.outputs:
                    self.outputs[key][row] = flint.fmpq(0)

    def certain(self, v: list[Number] | None) -> bool:
        """Whether all quotients have their certain bits."""
        functionals: list[Functional] = [[(row, None)] for row in self.moving]
        if v is not None and _finite_weights(taken(v)):
            functionals.append(self._moved(taken(v)))
        return all(
            enough(quotient)
            for functional in functionals
            for sign in (-1, 1)
            for quotient in self._quotients(functional, sign)
        )

    def slopes(self, functional: Functional) -> Slopes:
        """The slopes of a weighted sum of outputs (weight None: the output itself)."""
        if not _finite_weights(functional):
            return Slopes(END, END, hole=True, limits_differ=True)
        functional = self._moved(functional)
        if not functional:
            return flat()
        hole = not is_finite(self._value(functional, 0, 0))
        left, right = (limit(self._quotients(functional, sign), SIZES[:3]) for sign in (-1, 1))
        return Slopes(left, right, hole, hole and self._limits_differ(functional))

    def _moved(self, functional: Functional) -> Functional:
        """The functional without the outputs that the element does not move."""
        return [(row, weight) for row, weight in functional if row not in self._constant]

    def _limits_differ(self, functional: Functional) -> bool:
        """Whether the values beside a hole do not all approach one number."""
        near = [self._value(functional, k, sign) for k in (2, 3) for sign in (-1, 1)]
        if not all(is_finite(value) for value in near):
            return True
        with precision(self.bits[2]):
            allowed = (abs(ball(near[0])) + 1) * flint.arb(2) ** -500
            return not all(abs(ball(near[0]) - ball(value)) < allowed for value in near[1:])

    def _quotients(self, functional: Functional, sign: int) -> tuple[Number, Number, Number]:
        """Difference quotients on one side; at a hole, differences among the points beside it."""
        h = [sign * flint.fmpq(2) ** -size for size in SIZES]
        centre = [self._value(functional, k, 0) for k in range(3)]
        with precision(self.bits[-1]):
            if is_finite(centre[0]):
                first, second, third = (
                    (self._value(functional, k, sign) - centre[k]) / h[k] for k in range(3)
                )
            else:
                at = [self._value(functional, k, sign) for k in range(4)]
                first, second, third = ((at[k] - at[k + 1]) / (h[k] - h[k + 1]) for k in range(3))
        return first, second, third

    def _value(self, functional: Functional, k: int, sign: int) -> Number:
        values = self.outputs[k, sign]
        with precision(self.bits[k]):
            total: Number = flint.fmpq(0)
            for row, weight in functional:
                total = total + (values[row] if weight is None else weight * values[row])
            return total


def taken(v: list[Number]) -> Functional:
    """Σ v_i·y_i, without the outputs whose weight is exactly 0."""
    return [(row, weight) for row, weight in enumerate(v) if not is_zero(weight)]


def _values(node: Node, depends: Any) -> Values:
    """The outputs; of a node that waits 0 in the place of numbers that are the same everywhere."""
    if not node.waits:
        return node.values
    rows = numpy.flatnonzero(depends | ~node.near.is_finite)
    values = array([flint.fmpq(0)] * node.size)
    values[rows] = list(node.at(rows).values())
    return values


def _finite_weights(functional: Functional) -> bool:
    return all(weight is None or is_finite(weight) for _, weight in functional)


def _overlap(left: Number, right: Number) -> bool:
    if is_rational(left) and is_rational(right):
        return bool(left == right)
    return bool(ball(left).overlaps(ball(right)))
