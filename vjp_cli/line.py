"""A straight line through the inputs: x + step·u, as the one thing that a program depends on.

The derivative by the step at 0 is Ju. Its truth is judged like any entry of a Jacobian, kinks along
u included.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vjp_cli.lazy import torch

STEP = "step"
"""The name of the one input that is left."""


@dataclass(frozen=True)
class Line:
    """The inputs at the step 0, and the tangent of those that move."""

    inputs: "Mapping[str, torch.Tensor]"
    tangents: "Mapping[str, torch.Tensor]"

    def at(self, step: Any, dtype: str) -> dict[str, Any]:
        """The inputs that far along the line, in a dtype."""
        kind = getattr(torch, dtype)
        found: dict[str, Any] = {}
        for name, value in self.inputs.items():
            moved = value.to(kind) if value.is_floating_point() else value
            tangent = self.tangents.get(name)
            found[name] = moved if tangent is None else moved + step * tangent.to(moved)
        return found
