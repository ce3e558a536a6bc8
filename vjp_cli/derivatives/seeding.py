"""How a cotangent enters torch's backward pass."""

from typing import Any

from vjp_cli.lazy import torch


def gradients(
    output: "torch.Tensor",
    inputs: "list[torch.Tensor]",
    v: "torch.Tensor",
    *,
    differentiable: bool = False,
) -> "list[torch.Tensor | None]":
    """What ``output.backward(v)`` would add to each input's ``.grad``; None where no path leads.

    The graph is kept, so that further cotangents can follow.

    ``torch.autograd.grad`` with an explicit v loads a quarter of a second of modules on its first
    call; a scalar whose backward hands v on, bit for bit, does not.

    Args:
        output: y.
        inputs: tensors that require a gradient.
        v: the cotangent, of y's shape and dtype; the backward gets this very tensor.
        differentiable: whether the gradients have a graph of their own, by v too.

    Raises:
        RuntimeError: as torch does, when a derivative is missing or a backward fails.
    """
    seed = _seed_function().apply(output, v)
    found = torch.autograd.grad(
        seed, inputs, retain_graph=True, allow_unused=True, create_graph=differentiable
    )
    return [None if gradient is None else _allocated(gradient) for gradient in found]


def accumulate(output: "torch.Tensor", v: "torch.Tensor") -> None:
    """``output.backward(v, retain_graph=True)``: vᵀJ is added to every leaf's ``.grad``.

    Raises:
        RuntimeError: as torch does, when a derivative is missing or a backward fails.
    """
    _seed_function().apply(output, v).backward(retain_graph=True)


def _allocated(gradient: "torch.Tensor") -> "torch.Tensor":
    """The gradient with its numbers in memory: torch may hand out a zero that has none."""
    return torch.zeros_like(gradient) if gradient._is_zerotensor() else gradient


_cache: dict[str, Any] = {}


def _seed_function() -> Any:
    """The autograd function y -> scalar whose backward is v (made once torch is there)."""
    if "seed" not in _cache:

        class Seed(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, output: "torch.Tensor", v: "torch.Tensor") -> "torch.Tensor":
                ctx.v = v
                return torch.zeros((), dtype=torch.float64, device=output.device)

            @staticmethod
            def backward(ctx: Any, *cotangents: Any) -> Any:
                return ctx.v, None

        _cache["seed"] = Seed
    return _cache["seed"]
