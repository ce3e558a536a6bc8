"""How a cotangent enters torch's backward pass."""

import warnings
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
    seed = _seed_function().apply(output, [v])
    found = torch.autograd.grad(
        seed, inputs, retain_graph=True, allow_unused=True, create_graph=differentiable
    )
    return [None if gradient is None else _allocated(gradient) for gradient in found]


def accumulate(output: "torch.Tensor", v: "torch.Tensor") -> None:
    """``output.backward(v, retain_graph=True)``: vᵀJ is added to every leaf's ``.grad``.

    Raises:
        RuntimeError: as torch does, when a derivative is missing or a backward fails.
    """
    _seed_function().apply(output, [v]).backward(retain_graph=True)


def gradients_of_many(
    output: "torch.Tensor", inputs: "list[torch.Tensor]", cotangents: "torch.Tensor"
) -> "list[torch.Tensor | None]":
    """``gradients`` for many cotangents in one pass, under ``torch.func.vmap``.

    ``is_grads_batched`` multiplies a matrix that every cotangent shares once for each of them;
    and ``torch.func.jacrev`` loads half a second of modules.

    Args:
        output: y.
        inputs: tensors that require a gradient.
        cotangents: of shape (count, *y.shape).

    Returns:
        For each input the gradients, of shape (count, *x.shape); None where no path leads.

    Raises:
        Exception: as torch does, also where an operation cannot be batched.
    """
    held: list[Any] = []
    seed = _seed_function().apply(output, held)
    reached: list[bool] = []

    def pull(v: "torch.Tensor") -> "tuple[torch.Tensor, ...]":
        held[:] = [v]
        found = torch.autograd.grad(seed, inputs, retain_graph=True, allow_unused=True)
        reached[:] = [gradient is not None for gradient in found]
        # vmap knows no None
        return (v, *(gradient for gradient in found if gradient is not None))

    with warnings.catch_warnings():
        # that an operation has no batching rule, and is looped over
        warnings.simplefilter("ignore")
        _, *some = torch.func.vmap(pull)(cotangents)
    held.clear()
    rest = iter(some)
    return [_allocated(next(rest)) if has else None for has in reached]


def _allocated(gradient: "torch.Tensor") -> "torch.Tensor":
    """The gradient with its numbers in memory: torch may hand out a zero that has none."""
    return torch.zeros_like(gradient) if gradient._is_zerotensor() else gradient


_cache: dict[str, Any] = {}


def _seed_function() -> Any:
    """The function y -> scalar whose backward is the v held then (made once torch is there)."""
    if "seed" not in _cache:

        class Seed(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, output: "torch.Tensor", held: Any) -> "torch.Tensor":
                ctx.held = held
                return torch.zeros((), dtype=torch.float64, device=output.device)

            @staticmethod
            def backward(ctx: Any, *cotangents: Any) -> Any:
                return ctx.held[0], None

        _cache["seed"] = Seed
    return _cache["seed"]
