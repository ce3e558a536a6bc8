"""A tape with named inputs, as tracers."""

from collections.abc import Sequence
from math import prod
from typing import Any

from vjp_cli.numbers.scalar import exact, to_float
from vjp_cli.tracing import rules
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer

assert rules.dispatch  # a tracer works once the rules are there


def leaf(
    tape: Tape,
    name: str,
    numbers: Sequence[float],
    shape: tuple[int, ...] | None = None,
    dtype: str = "float64",
) -> Tracer:
    """An input to differentiate by; a 1-d one without a shape."""
    place = (len(numbers),) if shape is None else shape
    assert prod(place) == len(numbers)
    node = tape.leaf(name, place, dtype, [exact(number) for number in numbers])
    node.active = True
    return Tracer(tape, node)


def floats(tracer: Any) -> list[float]:
    """The values of a tracer or a node, flat."""
    node = getattr(tracer, "node", tracer)
    return [to_float(value) for value in node.values.tolist()]


def doubts(tape: Tape) -> list[tuple[list[int], str]]:
    """The positions and reasons of the doubts, in order."""
    return [(doubt.positions.tolist(), doubt.reason) for doubt in tape.doubts]
