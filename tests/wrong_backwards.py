"""Custom backwards with planted faults, as data: what a fault is and where it must be found.

A fault turns the right gradient of one input into another one. It is planted in a part ``size``
(1 for the whole fault), everywhere or in one element of the gradient. Where torch must then be
found wrong follows from the planted difference, by plain torch arithmetic.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import torch

Tensor = torch.Tensor
# v -> the gradient of the input on trial
Right = Callable[[Tensor], Tensor]

# u, and the error up to which all is ok whatever made it: u^¾
UNITS = {"float64": 2.0**-53, "float32": 2.0**-24, "bfloat16": 2.0**-8}
VISIBLE = {"float64": 1e-12, "float32": 4e-6, "bfloat16": 1.6e-2}


@dataclass(frozen=True)
class Forward:
    """A function with the right gradient of the input that is on trial.

    Attributes:
        inputs: values of every input, different numbers that bfloat16 holds.
        v: the cotangent.
        gradient: (v, *inputs) -> the gradients of all inputs.
        trial: the input whose gradient is on trial.
        coarse: whether bfloat16 leaves it enough digits to name what is wrong.
    """

    name: str
    inputs: dict[str, Any]
    v: Any
    forward: Callable[..., Tensor]
    gradient: Callable[..., tuple[Tensor, ...]]
    trial: str = "x"
    coarse: bool = True

    def tensors(self, dtype: str) -> tuple[dict[str, Tensor], Tensor]:
        """The inputs, and v."""
        kind = getattr(torch, dtype)
        inputs = {name: torch.tensor(value, dtype=kind) for name, value in self.inputs.items()}
        return inputs, torch.tensor(self.v, dtype=kind)

    def right(self, *inputs: Tensor) -> Right:
        """The right gradient of the input on trial, as a function of v."""
        place = list(self.inputs).index(self.trial)
        return lambda v: self.gradient(v, *inputs)[place]

    def custom(self, change: Callable[[Right, Tensor], Tensor]) -> Callable[..., Tensor]:
        """The function with ``change(right, v)`` as the gradient of the input on trial."""
        own = self
        place = list(self.inputs).index(self.trial)

        class Planted(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, *inputs: Tensor) -> Tensor:
                ctx.save_for_backward(*inputs)
                return own.forward(*inputs)

            @staticmethod
            def backward(ctx: Any, v: Tensor) -> tuple[Tensor, ...]:
                gradients = list(own.gradient(v, *ctx.saved_tensors))
                gradients[place] = change(own.right(*ctx.saved_tensors), v)
                return tuple(gradients)

        if len(self.inputs) == 1:
            return lambda x: Planted.apply(x)  # type: ignore[no-any-return]
        return {
            ("k", "x"): lambda k, x: Planted.apply(k, x),
            ("x", "b"): lambda x, b: Planted.apply(x, b),
        }[tuple(self.inputs)]  # type: ignore[index]


@dataclass(frozen=True)
class Fault:
    """(right, v) -> the wrong gradient.

    Attributes:
        words: what the whole fault, everywhere, is called.
        by_forward: the same where it comes to another relation.
        forwards: the functions that can have it; all where none is named.
        coarse: whether the few digits of bfloat16 are enough to tell.
    """

    name: str
    wrong: Callable[[Right, Tensor], Tensor]
    words: str
    by_forward: dict[str, str] = field(default_factory=dict)
    coarse: bool = True
    forwards: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """One planted fault; ``alone`` in the last element of the gradient, else everywhere."""

    forward: Forward
    fault: Fault
    size: float
    alone: bool
    dtype: str

    def __str__(self) -> str:
        where = "one" if self.alone else "all"
        return f"{self.forward.name}-{self.fault.name}-{self.size:g}-{where}-{self.dtype}"

    def change(self, right: Right, v: Tensor) -> Tensor:
        """The gradient with the fault in it."""
        gradient = right(v)
        difference = self.size * (self.fault.wrong(right, v) - gradient)
        if self.alone:
            kept = torch.zeros_like(gradient)
            kept.reshape(-1)[-1] = 1
            difference = difference * kept
        return gradient + difference

    def places(self) -> tuple[set[str], set[str]]:
        """Where the fault must be found; and where it may be, not being far above rounding."""
        inputs, v = self.forward.tensors("float64")
        right = self.forward.right(*inputs.values())
        must: set[str] = set()
        may: set[str] = set()
        # Σ|v_i·J_ij|, a few units of which vᵀJ may be off
        terms = torch.zeros_like(right(v))
        for index in product(*map(range, v.shape)):
            unit = torch.zeros_like(v)
            unit[index] = 1
            terms += abs(v[index] * right(unit))
            self._find(f"jacobian.{self.forward.trial}", index, right, unit, 0 * terms, (must, may))
        floor = 16 * UNITS[self.dtype] * terms
        self._find(f"vjp.{self.forward.trial}", (), right, v, floor, (must, may))
        return must, may

    def _find(
        self, target: str, prefix: Any, right: Right, v: Tensor, floor: Tensor, found: Any
    ) -> None:
        gradient = right(v)
        error, size = abs(self.change(right, v) - gradient), abs(gradient)
        least = VISIBLE[self.dtype]
        for own in product(*map(range, gradient.shape)):
            index = ",".join(map(str, (*prefix, *own)))
            place = f"{target}[{index}]" if index else target
            if error[own] > 2 * least * size[own] and error[own] > floor[own]:
                found[0].add(place)
            if error[own] > least / 4 * size[own]:
                found[1].add(place)
