"""The gradient of Σ v_i·y_i as a program of its own, so that a Hessian is judged like a Jacobian.

torch takes it with ``create_graph``, through whatever double backward there is; a tracer by reverse
accumulation on its own tape. Both can be differentiated once more.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.observer import Observer


@dataclass(frozen=True)
class Gradient:
    """Which gradient: by what, and with which weights of y.

    Attributes:
        wrt: the inputs, in order.
        v: the weights, in the shape of y.
    """

    wrt: tuple[str, ...]
    v: "torch.Tensor"

    def leaves(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The inputs, as tensors that have a gradient."""
        return {
            name: value.detach().requires_grad_()
            if name in self.wrt and isinstance(value, torch.Tensor) and not value.requires_grad
            else value
            for name, value in inputs.items()
        }

    def of(self, output: Any, inputs: Mapping[str, Any], observer: Observer) -> Any:
        """The gradient in the shape of its one input; of several, one after another."""
        sources = [inputs[name] for name in self.wrt]
        v = self.v.to(dtype=output.dtype, device=output.device)
        if isinstance(output, torch.Tensor) and not output.requires_grad:
            found: Any = [None] * len(sources)
        else:
            with torch.enable_grad(), observer.running():
                found = torch.autograd.grad(
                    output, sources, v, create_graph=True, allow_unused=True
                )
        parts = [
            torch.zeros_like(source) if part is None else part
            for part, source in zip(found, sources, strict=True)
        ]
        if len(parts) == 1:
            return parts[0]
        return torch.cat([part.reshape(-1) for part in parts])
