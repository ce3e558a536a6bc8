"""Where a NaN, an infinity or a false zero enters: at which step, on the way there or back."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from vjp_cli.chain.steps import Step
from vjp_cli.checks.causes import Event
from vjp_cli.lazy import torch
from vjp_cli.report import Array, LocalJacobian, Mark


def of_value(step: Step, before: "Iterable[torch.Tensor]") -> list[Mark]:
    """What enters in the value itself: it is not finite, and all that it was made from is."""
    value = step.value
    if (
        not step.source
        or bool(value.isfinite().all())
        or not all(bool(x.isfinite().all()) for x in before)
    ):
        return []
    kind = "nan" if bool(value.isnan().any()) else "inf"
    word = {"nan": "NaN", "inf": "an infinity"}[kind]
    return [Mark(kind, f"{word} enters here on the way there: what it is made from is finite")]


def of_events(events: list[Event], steps: Iterable[Step]) -> dict[str, list[Mark]]:
    """The events of an expression's operations, each at the smallest step that has its place."""
    found: dict[str, list[Mark]] = {}
    placed = [(step.place, step.name) for step in steps if step.place is not None]
    for event in events:
        around = [
            (place.end - place.start, name)
            for place, name in placed
            if place.start <= event.place.start and event.place.end <= place.end
        ]
        if around:
            mark = Mark(event.kind, event.words)
            marks = found.setdefault(min(around)[1], [])
            if mark not in marks:
                marks.append(mark)
    return found


def of_local(arrived: "torch.Tensor | None", local: Mapping[str, LocalJacobian]) -> list[Mark]:
    """What one step makes of a good cotangent; without one, what its local Jacobians have."""
    if arrived is not None and not bool(arrived.isfinite().all()):
        return []
    found = []
    for name, part in local.items():
        numbers = part.jacobian if arrived is None else part.handed
        for kind, word in (("nan", "NaN enters"), ("inf", "an infinity enters")):
            if numbers is not None and _has(kind, numbers):
                found.append(Mark(kind, f"{word} on the way back to {name}"))
                break
        if _loses(part):
            found.append(Mark("zero", f"torch has 0 for a derivative by {name} that is not 0"))
    return found


def _has(kind: str, numbers: Array[Any]) -> bool:
    test = math.isnan if kind == "nan" else math.isinf
    return any(test(value) for value in numbers.values)


def _loses(part: LocalJacobian) -> bool:
    if part.jacobian is None or part.truth is None or part.agrees:
        return False
    pairs = zip(part.jacobian.values, part.truth.values, strict=True)
    return any(torch_has == 0 and truth not in (0, None) for torch_has, truth in pairs)
