"""What a sequence of three numbers tends to, read off exact values at three very different sizes.

The sizes are powers of two far below any float64 grid, so a quotient has either settled or shows
how it moves: by a power of the size, by its logarithm, or without rule. Three sizes are needed: two
cannot tell an oscillation from a blow-up.
"""

from dataclasses import dataclass
from enum import Enum, auto

from vjp_cli.lazy import flint
from vjp_cli.numbers.scalar import Number, ball, is_finite, is_rational

# Relative agreement of the last two numbers, in bits, that counts as settled.
SETTLED_BITS = 100
# Below two to this a quotient that no precision tells from 0 counts as 0.
NOTHING = -1000
_TOLERANCE = 1e-3


class Tendency(Enum):
    """Where the numbers go."""

    VALUE = auto()
    PLUS_INFINITY = auto()
    MINUS_INFINITY = auto()
    NONE = auto()
    """No limit: they oscillate."""
    END = auto()
    """They are not numbers: the domain ends here."""


@dataclass(frozen=True)
class Limit:
    """A tendency, with its value when it is one."""

    tendency: Tendency
    value: Number | None = None

    @property
    def is_value(self) -> bool:
        """Whether there is a finite limit."""
        return self.tendency is Tendency.VALUE


END = Limit(Tendency.END)


def enough(number: Number, bits: int = SETTLED_BITS + 10) -> bool:
    """Whether a quotient has the certain bits that ``limit`` needs, or never will."""
    if is_rational(number) or not number.is_finite():
        return True
    if number.rel_accuracy_bits() >= bits:
        return True
    return bool(number.contains(0) and number.abs_upper() < flint.arb(2) ** (2 * NOTHING))


def limit(numbers: tuple[Number, Number, Number], sizes: tuple[int, int, int]) -> Limit:
    """The limit of numbers taken at sizes 2^-sizes[0], 2^-sizes[1], 2^-sizes[2]."""
    if not all(is_finite(number) for number in numbers):
        return END
    first, second, third = (_settle_zero(ball(number)) for number in numbers)
    if _close(second, third):
        return Limit(Tendency.VALUE, third)
    if all(abs(x) < flint.arb(2) ** (NOTHING // 2) for x in (first, second, third)):
        # on the way to 0, with or without changes of sign: x² sin(1/x)
        return Limit(Tendency.VALUE, flint.fmpq(0))
    if first == 0 or second == 0 or third == 0:
        # 0 at one size and not at another: without rule
        return Limit(Tendency.NONE)
    same_sign = (first > 0) == (second > 0) == (third > 0)
    if not same_sign:
        return Limit(Tendency.NONE)
    logs = [abs(x).log() for x in (first, second, third)]
    powers = [(logs[k + 1] - logs[k]) / (sizes[k + 1] - sizes[k]) for k in (0, 1)]
    if abs(powers[0] - powers[1]) < _TOLERANCE * abs(powers[1]) or _steepening(powers):
        return Limit(Tendency.VALUE, flint.fmpq(0)) if powers[1] < 0 else _infinity(third)
    return _logarithmic((first, second, third), sizes)


def _steepening(powers: "list[flint.arb]") -> bool:
    """Whether the decay or growth outruns every power: exp(-1/h)."""
    first, second = powers
    return bool((second < first and first < -1) or (second > first and first > 1))


def _logarithmic(
    numbers: tuple["flint.arb", "flint.arb", "flint.arb"], sizes: tuple[int, int, int]
) -> Limit:
    """Growth like log(h), or decay like 1/log(h); else no limit."""
    if _linear(numbers, sizes):
        return _infinity(numbers[2] - numbers[1])
    first, second, third = numbers
    if _linear((1 / first, 1 / second, 1 / third), sizes):
        return Limit(Tendency.VALUE, flint.fmpq(0))
    return Limit(Tendency.NONE)


def _linear(
    numbers: tuple["flint.arb", "flint.arb", "flint.arb"], sizes: tuple[int, int, int]
) -> bool:
    steps = [(numbers[k + 1] - numbers[k]) / (sizes[k + 1] - sizes[k]) for k in (0, 1)]
    return bool(abs(steps[0] - steps[1]) < _TOLERANCE * abs(steps[1]))


def _infinity(direction: "flint.arb") -> Limit:
    return Limit(Tendency.PLUS_INFINITY if direction > 0 else Tendency.MINUS_INFINITY)


def _settle_zero(number: "flint.arb") -> "flint.arb":
    if number.contains(0) and number.abs_upper() < flint.arb(2) ** NOTHING:
        return flint.arb(0)
    return number


def _close(left: "flint.arb", right: "flint.arb") -> bool:
    if left == 0 and right == 0:
        return True
    size = abs(right).upper()
    return bool(abs(left - right) < size * flint.arb(2) ** -SETTLED_BITS)


def same(left: Number, right: Number) -> bool:
    """Whether two limits agree in all the bits that limits have."""
    return _close(_settle_zero(ball(left)), _settle_zero(ball(right)))
