"""Errors planted in torch's gradient: on the way of every real tensor, never of a tracer.

An identity stands between an input (or y) and the program; its backward changes what passes. So
all that torch computes has the error (J, vᵀJ, other precisions, checks), and the truth has not.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest import mock

import torch

from vjp_cli.program import Observer, Program

Change = Callable[[torch.Tensor], torch.Tensor]
# what one entry may be off by, relatively: all beyond three quarters of the dtype's digits
SIZES = {
    torch.float64: (1e-6, 1e-10, 1e-11),
    torch.float32: (1e-2, 1e-4),
    torch.float16: (0.1, 0.02),
    torch.bfloat16: (0.5, 0.1),
}
# beyond so many elements one entry alone has the error
_LARGE = 200


@dataclass(frozen=True)
class Plant:
    """One error: its name, where it is (an input, or "" for y), and what it does to a gradient.

    Attributes:
        hook: whether a hook makes it, as if torch's own kernel were wrong, not a custom backward.
    """

    kind: str
    name: str
    change: Change
    hook: bool


class _Planted(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: torch.Tensor, change: Change) -> torch.Tensor:
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.change = inputs[1]

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return ctx.change(gradient), None


def _once(value: torch.Tensor, plant: Plant) -> torch.Tensor:
    if not plant.hook:
        return _Planted.apply(value, plant.change)  # type: ignore[no-any-return]
    passed = value.view_as(value)
    if passed.requires_grad:
        # torch may hand on no gradient at all
        passed.register_hook(lambda g: None if g is None else plant.change(g))
    return passed


def _at(value: torch.Tensor, place: int, there: float, elsewhere: float) -> torch.Tensor:
    kind = value.real.dtype
    mask = torch.full((value.numel(),), elsewhere, dtype=torch.float64)
    mask[place] = there
    return mask.reshape(value.shape).to(kind)


def _rolled(g: torch.Tensor) -> torch.Tensor:
    return g.reshape(-1).roll(1, 0).reshape(g.shape)


def _transposed(g: torch.Tensor) -> torch.Tensor:
    return g.mT.reshape(g.shape)


def _scaled(factor: Any, g: torch.Tensor) -> torch.Tensor:
    return g * factor.to(g.dtype) if isinstance(factor, torch.Tensor) else g * factor


def _shifted(g: torch.Tensor) -> torch.Tensor:
    return g + 0.25 * g.sum()


def _entry(chance: random.Random, value: torch.Tensor) -> tuple[str, Change]:
    size = chance.choice(SIZES[value.real.dtype]) * chance.choice((1, -1))
    place = chance.randrange(value.numel())
    # 1 + 1e-11 is not a number of the short dtypes; all sizes above are of theirs
    return f"one entry off by {abs(size):g}", partial(_scaled, _at(value, place, 1 + size, 1))


def plant_of(seed: int, inputs: Mapping[str, torch.Tensor], y: torch.Tensor) -> Plant | None:
    """A random error; None where there is no entry to have it."""
    chance = random.Random(seed + 10**9)
    places = {n: t for n, t in inputs.items() if t.is_floating_point() or t.is_complex()}
    # of thousands of wrong entries each is looked at by itself, which takes its time
    if chance.random() < 0.3 and all(t.numel() <= _LARGE for t in inputs.values()):
        places = {"": y}
    name = chance.choice(list(places))
    value = places[name]
    if not value.numel():
        return None
    kinds: list[tuple[str, Change]] = [
        ("sign", torch.neg),
        ("factor", partial(_scaled, chance.choice((2.0, 0.5, 1.5)))),
        ("zero instead of a number", partial(_scaled, 0.0)),
        ("missing term", partial(_scaled, _at(value, chance.randrange(value.numel()), 0, 1))),
        ("additional term", _shifted),
    ]
    if value.numel() > 1:
        kinds.append(("permuted", _rolled))
    if value.ndim > 1 and min(value.shape[-2:]) > 1:
        kinds += [("transposed", _transposed)]
    # small errors are the hard ones; where they are few among thousands of right entries, most so
    small = [_entry(chance, value) for _ in kinds]
    kinds = small if value.numel() > _LARGE else kinds + small
    kind, change = chance.choice(kinds)
    return Plant(kind, name, change, chance.random() < 0.5)


def laid_out(value: torch.Tensor, layout: str) -> torch.Tensor:
    """The same numbers in another order of memory."""
    if layout == "transposed" and value.ndim > 1:
        return value.mT.clone(memory_format=torch.contiguous_format).mT
    if layout == "strided" and value.ndim:
        return torch.stack((value, value), -1)[..., 0]
    return value


@contextmanager
def torch_side(layout: str, plant: Plant | None) -> Iterator[None]:
    """Within, every program sees real inputs in this layout, and gradients with this error."""
    run = Program.__call__

    def changed(self: Program, inputs: Mapping[str, Any], observer: Observer | None = None) -> Any:
        if not all(isinstance(value, torch.Tensor) for value in inputs.values()):
            return run(self, inputs, observer)
        given = {name: laid_out(value, layout) for name, value in inputs.items()}
        if plant is not None and plant.name in given:
            given[plant.name] = _once(given[plant.name], plant)
        output = run(self, given, observer)
        return _once(output, plant) if plant is not None and plant.name == "" else output

    with mock.patch.object(Program, "__call__", changed):
        yield
