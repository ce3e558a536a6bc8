"""The steps of one evaluation: each operation of the expression with its operands and its value.

torch and the tracer walk the same tree, so their steps correspond one to one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vjp_cli.errors import Place
from vjp_cli.exact.tracing_program import TapeObserver
from vjp_cli.lazy import torch
from vjp_cli.program import Observer
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Tracer


@dataclass(frozen=True)
class Step:
    """One operation.

    Attributes:
        operands: the tensors or tracers it was given, in order.
        results: those it made (several for ``split``).
    """

    place: Place
    operands: tuple[Any, ...]
    results: tuple[Any, ...]


class TensorSteps(Observer):
    """Records the steps of an evaluation by torch."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def leave(self, place: Place, value: Any, arguments: tuple[Any, ...]) -> None:
        """One more step."""
        self.steps.append(Step(place, tuple(_tensors(arguments)), tuple(_tensors(value))))


class TracerSteps(TapeObserver):
    """Records the steps of an evaluation on a tape."""

    def __init__(self, tape: Tape) -> None:
        super().__init__(tape)
        self.steps: list[Step] = []

    def leave(self, place: Place, value: Any, arguments: tuple[Any, ...]) -> None:
        """One more step."""
        super().leave(place, value, arguments)
        self.steps.append(Step(place, tuple(_tensors(arguments)), tuple(_tensors(value))))


def _tensors(value: Any) -> Iterator[Any]:
    """The tensors and tracers in a value, in order; masks and indices are left out."""
    if isinstance(value, Tracer):
        yield value
    elif isinstance(value, torch.Tensor):
        if value.is_floating_point():
            yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
