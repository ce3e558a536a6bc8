"""Tensors as arrays of a report."""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.report import Array, Number


def array_of(value: "torch.Tensor") -> Array[Number]:
    """A tensor's numbers in its shape."""
    return Array(tuple(value.shape), numbers_of(value))


def numbers_of(value: "torch.Tensor") -> tuple[Any, ...]:
    """A tensor's numbers, flat; whole numbers and masks as floats."""
    flat = value.detach().cpu().reshape(-1)
    if not (flat.is_floating_point() or flat.is_complex()):
        flat = flat.to(torch.float64)
    return tuple(flat.tolist())
