"""Numbers that leave torch for Python: item(), float(), int(), bool().

A number of ``item()`` stays a tracer, so that the mathematics goes on behind it. Python insists on
a number of its own for ``float()`` and ``int()``; a derivative cannot follow it there.
"""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.numbers.scalar import to_float
from vjp_cli.tracing.cuts import cut
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer, Untraceable


class Number(Tracer):
    """What ``item()`` gives: a tracer in the role of a Python number."""

    is_number = True


def item(tracer: Tracer) -> Any:
    """``x.item()``: the one number, cut from the graph."""
    _one(tracer)
    single = tracer.reshape(())
    return _number(cut(tracer.tape, single, "item() takes a number out of the graph"))


def to_list(tracer: Tracer) -> Any:
    """``x.tolist()``: the numbers, cut from the graph."""
    whole = cut(tracer.tape, tracer, "tolist() takes numbers out of the graph")

    def listed(part: Tracer) -> Any:
        return [listed(row) for row in part] if part.ndim else _number(part)

    return listed(whole)


def _number(tracer: Tracer) -> Number:
    return Number(tracer.tape, tracer.node)


def _one(tracer: Tracer) -> None:
    if tracer.numel() != 1:
        raise RuntimeError(f"a Tensor with {tracer.numel()} elements cannot be converted to Scalar")


def is_true(tracer: Tracer) -> bool:
    """``bool(x)``: whether the one number is not 0."""
    return bool(torch.ne(tracer, 0))  # type: ignore[call-overload]


def as_float(tracer: Tracer) -> float:
    """``float(x)``: the number as the program has it; for derivatives a constant from here on.

    Raises:
        Untraceable: in a custom forward, whose backward has the derivative of all of it.
    """
    return _constant(tracer, "float()", tracer.tape.taken_out)


def as_int(tracer: Tracer) -> int:
    """``int(x)``: constant between jumps."""
    return int(_constant(tracer, "int()", tracer.tape.branches))


def _constant(tracer: Tracer, words: str, lines: dict[str, None]) -> float:
    _one(tracer)
    tape, node = tracer.tape, tracer.node
    if tracer.is_complex():
        raise TypeError("a complex number is no float")
    if node.active:
        if tape.unbroken:
            raise Untraceable(f"{words} of a tensor in a custom forward")
        lines[tape.line()] = None

    number = to_float(node.values[0])
    with torch._C.DisableTorchFunction():
        # as the program rounds it
        return float(torch.tensor(number, dtype=tracer.dtype).item())


def branched(tape: Tape) -> None:
    """Note that a number of the inputs decides which way the user's code goes, at this line."""
    tape.branches[tape.line()] = None


def formatted(tracer: Tracer, spec: str) -> str:
    """``f"{x:.3f}"`` of one number."""
    if tracer.numel() == 1:
        return format(to_float(tracer.node.values[0]), spec)
    return format(str(tracer), spec)


def rounded(tracer: Tracer, digits: int | None = None) -> float:
    """``round(x)`` of a number of Python."""
    return round(as_float(tracer), digits)


def no_array(tracer: Tracer, *_: Any, **__: Any) -> Any:
    """NumPy would compute on without us.

    Raises:
        Untraceable: always.
    """
    raise Untraceable("NumPy, which takes numbers out of torch")
