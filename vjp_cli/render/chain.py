"""The chain rule on a screen: a block for each step from the output back, then the identity."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from vjp_cli.render.elide import hidden_line
from vjp_cli.render.lines import equation, listing, shape_text
from vjp_cli.render.numbers import short
from vjp_cli.render.tables import MARKS
from vjp_cli.report import Array, Chain, ChainStep, Identity, LocalJacobian, Mark, Report, Verdict

# more numbers than these are no longer read
_MOST_NUMBERS = 16
_MOST_SIDE = 4
_MOST_FORMULAS = 3
_LABEL = 11

_SIGNS = {"nan": Verdict.NAN, "inf": Verdict.NAN, "zero": Verdict.SATURATED}


class Screen(Protocol):
    """What lines are written to."""

    width: int

    def title(self, text: str) -> None:
        """A line that begins a section."""

    def words(self, text: str, *label: tuple[str, str], indent: int = 2) -> None:
        """A paragraph behind a label."""

    def most(self, count: int) -> int:
        """How many of so many lines are shown."""


@dataclass(frozen=True)
class _Line:
    text: str
    label: str = ""
    indent: int = 4
    role: str = "rule"


def write_chain(screen: Screen, report: Report) -> None:
    """The section of a report that was asked for its chain."""
    chain = report.chain
    if chain is None:
        return
    screen.title("chain rule, from the output back")
    shown = screen.most(len(chain.steps))
    for step in chain.steps[:shown]:
        _write(screen, _step(chain, step, screen.width, report))
    if shown < len(chain.steps):
        screen.words(hidden_line(len(chain.steps) - shown, "step"))
    for row in chain.identity:
        x = next(step for step in chain.steps if step.name == row.name)
        shape = (len(chain.steps[0].value.values), len(x.value.values))
        _write(screen, _identity(row, shape, screen.width))
    for note in chain.notes:
        screen.words(note, ("- ", ""))


def _write(screen: Screen, lines: Iterator[_Line]) -> None:
    for line in lines:
        label = [(line.label, line.role)] if line.label else []
        screen.words(line.text, *label, indent=line.indent)


def _step(chain: Chain, step: ChainStep, width: int, report: Report) -> Iterator[_Line]:
    room = width - 4 - _LABEL
    value = _numbers(step.value, room)
    if report.problem.function is not None and step.source:
        yield _Line(step.source, f"{step.name}   ", 2, "name")
        yield _labelled("value", value)
    else:
        head = " = ".join(filter(None, (step.name, step.source)))
        if len(head) + len(value) + 5 <= width:
            yield _Line(f"{head} = {value}", indent=2)
        else:
            yield _Line(head, indent=2)
            yield _labelled("value", value)
    if step.cotangent is not None:
        yield from _cotangent(chain, step, room)
    elif report.v is not None:
        yield _labelled("cotangent", "none arrives")
    for name, local in step.local.items():
        yield from _local(step.name, name, local, room)
    if step.product is not None and step.source and _is_far(chain, step):
        shape = (len(chain.steps[0].value.values), len(step.value.values))
        text = f"∂{chain.output}/∂{step.name} = {_matrix(step.product, shape, room)}"
        yield _labelled("so far", text)
    for mark in step.marks:
        yield _marked(mark)


def _cotangent(chain: Chain, step: ChainStep, room: int) -> Iterator[_Line]:
    assert step.cotangent is not None
    numbers = _numbers(step.cotangent, room)
    terms = list(_terms(chain, step.name))
    if step.name == chain.output:
        numbers = f"{numbers} = v"
    elif not step.source:
        numbers = f"{numbers} = the gradient by {step.name}"
    if len(terms) < 2:
        yield _labelled("cotangent", numbers)
        return
    yield _labelled("cotangent", f"{numbers}, the sum of {len(terms)} paths:")
    for via, value in terms:
        yield _Line(f"{_numbers(value, room - len(via) - 8)} via {via}", indent=6)


def _terms(chain: Chain, name: str) -> Iterator[tuple[str, Array[Any]]]:
    """Each path on which a cotangent comes to a step."""
    for consumer in chain.steps:
        local = consumer.local.get(name)
        if local is None or local.handed is None:
            continue
        if local.terms:
            for term in local.terms:
                where = f"{term.via} in {consumer.name}" if term.via else consumer.name
                yield where, term.value
        else:
            yield consumer.name, local.handed


def _local(step: str, name: str, local: LocalJacobian, room: int) -> Iterator[_Line]:
    label = f"∂{step}/∂{name}"
    formulas = [_cut(equation(group), 2 * room) for group in local.formulas]
    rows, columns = local.shape
    text = f"{rows}x{columns}"
    if local.jacobian is not None:
        text = _matrix(local.jacobian, local.shape, room)
    used = max(_LABEL, len(label) + 1)
    one = formulas[0] if len(formulas) == 1 and not local.formulas[0].definitions else ""
    beside = one and local.agrees is not False and used + len(text) + len(one) + 3 <= room + _LABEL
    yield _labelled(label, f"{text}   {one}" if beside else text)
    if local.agrees is False and local.truth is not None:
        yield _labelled("exact", f"{_matrix(local.truth, local.shape, room)}   torch differs")
    for group, formula in zip(
        local.formulas[:_MOST_FORMULAS], () if beside else formulas, strict=False
    ):
        yield _Line(formula, indent=4 + _LABEL)
        for definition in group.definitions:
            yield _Line(f"where {definition}", indent=6 + _LABEL)
    if len(formulas) > _MOST_FORMULAS:
        yield _Line(hidden_line(len(formulas) - _MOST_FORMULAS, "formula"), indent=4 + _LABEL)


def _identity(row: Identity, shape: tuple[int, int], width: int) -> Iterator[_Line]:
    room = width - 4 - _LABEL
    sides = [("product", row.product), ("J by torch", row.jacobian), ("exact", row.truth)]
    texts = [(n, _matrix(array, shape, room)) for n, array in sides if array is not None]
    same = len({text for _, text in texts}) == 1
    if row.paths == (row.where,):
        yield _Line(f"{row.where} is a single step: its local Jacobian is J", indent=2)
        if same:
            return
    else:
        yield _Line(f"{row.where} = {' + '.join(row.paths) or '0'}", indent=2)
    if same:
        yield _Line(f"{' = '.join(n for n, _ in texts)} = {texts[0][1]}")
        return
    for label, text in texts:
        yield _labelled(label, text)


def _is_far(chain: Chain, step: ChainStep) -> bool:
    """Whether ∂y/∂step is more than one local Jacobian that was shown."""
    consumers = [other.name for other in chain.steps if step.name in other.local]
    return bool(consumers) and consumers != [chain.output]


def _marked(mark: Mark) -> _Line:
    verdict = _SIGNS[mark.kind]
    return _Line(mark.words, f"{MARKS[verdict]} ", 4, verdict)


def _labelled(label: str, text: str) -> _Line:
    return _Line(text, label.ljust(_LABEL) if len(label) < _LABEL else f"{label} ")


def _numbers(value: Array[Any], room: int) -> str:
    """An array in brackets, or its shape and norm."""
    if len(value.values) <= _MOST_NUMBERS:
        whole = listing(value, 10_000)
        if len(whole) <= room:
            return whole
    return f"{shape_text(value.shape)}, norm {short(_norm(value.values))}"


def _matrix(array: Array[Any], shape: tuple[int, int], room: int) -> str:
    """A small matrix, the diagonal of one that has no more, or its shape and norm."""
    rows, columns = shape
    numbers = ["-" if x is None else short(x) for x in array.values]
    if rows == columns == 1:
        return numbers[0]
    if not numbers:
        return f"no entries ({rows}x{columns})"
    if rows == columns > 1 and _is_diagonal(array.values, rows):
        diagonal = f"diagonal [{', '.join(numbers[:: rows + 1])}]"
        if rows <= _MOST_NUMBERS and len(diagonal) <= room:
            return diagonal
        return f"diagonal, {rows}x{columns}, norm {short(_norm(array.values))}"
    lists = [f"[{', '.join(numbers[k * columns : (k + 1) * columns])}]" for k in range(rows)]
    whole = f"[{', '.join(lists)}]"
    small = max(rows, columns) <= _MOST_SIDE or len(numbers) <= _MOST_NUMBERS
    if small and len(whole) <= room:
        return whole
    return f"{rows}x{columns}, norm {short(_norm(array.values))}"


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _is_diagonal(values: Sequence[Any], side: int) -> bool:
    return all(x == 0 for k, x in enumerate(values) if k % (side + 1))


def _norm(values: Sequence[Any]) -> float:
    return math.hypot(*(x for x in values if x is not None))
