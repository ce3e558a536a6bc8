"""Functions that are constant between jumps (floor, sign): exact levels, with the jumps noted."""

from collections.abc import Callable
from typing import Any

from vjp_cli.lazy import flint, numpy
from vjp_cli.numbers.scalar import Number, is_finite, is_rational, middle
from vjp_cli.tracing.arguments import as_node, constant, result_dtype
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer, Untraceable


def trace_step(tape: Tape, name: str, args: tuple[Any, ...]) -> Tracer:
    """A function that is constant between jumps; an element at a jump is noted.

    Raises:
        Untraceable: no such function here.
    """
    if name not in _STEPS:
        raise Untraceable(f"torch.{name}")
    node = as_node(tape, args[0], result_dtype(args[:1]))
    level, jumps = _STEPS[name]

    found: list[Number] = []
    ties = []
    for position, value in enumerate(node.values.tolist()):
        if not is_finite(value) or abs(value) > _WHOLE:
            found.append(value)
            continue
        point = _settled(value)
        found.append(flint.fmpq(level(_rational(middle(value)) if point is None else point)))
        if point is None or jumps(point):
            ties.append(position)
    if node.active:
        tape.doubt(node, numpy.array(ties, dtype=int), f"{name} jumps here")
    return constant(tape, found, node.shape, node.dtype)


# floats beyond this are whole numbers, and their exact integers need not be written out
_WHOLE = 2**4096
# below 2 to this the distance from 0 is of no account
_TINY = -20_000


def _settled(value: Number) -> "flint.fmpq | None":
    """The number as a rational that lies on the same level; None when a jump is too near."""
    if is_rational(value):
        return value
    low, high = _rational(value.lower()), _rational(value.upper())
    return low if low.floor() == high.floor() and low.q != 1 else None


def _rational(value: Number) -> "flint.fmpq":
    """An exact ball as a rational."""
    if is_rational(value):
        return value
    mantissa, exponent = value.man_exp()
    return flint.fmpq(mantissa) * flint.fmpq(2) ** max(int(exponent), _TINY)


_Level = Callable[["flint.fmpq"], Any]
# name -> the level at a rational, and whether the function jumps there
_STEPS: dict[str, tuple[_Level, Callable[["flint.fmpq"], bool]]] = {
    "floor": (lambda x: x.floor(), lambda x: bool(x.q == 1)),
    "ceil": (lambda x: x.ceil(), lambda x: bool(x.q == 1)),
    "trunc": (lambda x: x.floor() if x >= 0 else x.ceil(), lambda x: bool(x.q == 1 and x != 0)),
    "sign": (lambda x: (x > 0) - (x < 0), lambda x: bool(x == 0)),
}
