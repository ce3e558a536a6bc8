"""The parts of an expression that become steps: its names, or every operation where it has none."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vjp_cli.checks.steps import TensorSteps, TracerSteps
from vjp_cli.errors import Place
from vjp_cli.expression import Expression, place
from vjp_cli.tracing.tape import Tape


@dataclass(frozen=True)
class Part:
    """A value that may become a step: a tensor, or the tracer in its place.

    Attributes:
        name: "" for one without.
        place: what it was computed from.
    """

    name: str
    place: Place
    value: Any


class TensorParts(TensorSteps):
    """Records the operations of an evaluation by torch, and the names that get a value."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[tuple[str, Any]] = []

    def named(self, name: str, value: Any) -> None:
        """One more name."""
        self.values.append((name, value))


class TracerParts(TracerSteps):
    """The same of an evaluation on a tape."""

    def __init__(self, tape: Tape) -> None:
        super().__init__(tape)
        self.values: list[tuple[str, Any]] = []

    def named(self, name: str, value: Any) -> None:
        """One more name."""
        self.values.append((name, value))


def parts_of(
    expression: Expression, recorder: TensorParts | TracerParts, output: Any
) -> list[Part]:
    """The parts in their order, the output last; torch's and the tracer's correspond.

    What has several results, or stacks several tensors, is a part for each of them.
    """
    last = expression.statements[-1]
    assert isinstance(last, (ast.Assign, ast.Expr))
    found: list[Part] = []
    if len(expression.statements) > 1:
        places = [
            place(expression, statement.value)
            for statement in expression.statements
            if isinstance(statement, ast.Assign)
            for _ in _names(statement.targets[0])
        ]
        for where, (name, value) in zip(places, recorder.values, strict=True):
            found += [Part(own, where, part) for own, part in _flat(name, value)]
    else:
        for step in recorder.steps:
            found += [Part("", step.place, result) for result in step.results]
    return [*found, Part(expression.output, place(expression, last.value), output)]


def _names(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple):
        for item in target.elts:
            yield from _names(item)


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """``r[0]`` and so on for the parts of what is no tensor."""
    if not isinstance(value, (list, tuple)):
        yield name, value
        return
    for k, item in enumerate(value):
        yield from _flat(f"{name}[{k}]", item)
