"""Torch's J and vᵀJ as plain numbers: flat, and multiplied with a direction."""

from collections.abc import Mapping
from typing import Any

from vjp_cli.derivatives.evaluation import TorchSide
from vjp_cli.lazy import numpy, torch


def numbers(side: TorchSide, target: str, name: str) -> list[float] | None:
    """J (``jacobian``) or vᵀJ (``vjp``) for one input, row-major; None where torch has no path."""
    gradient = None if side.vjp is None else side.vjp[name]
    if target == "vjp":
        return None if gradient is None else gradient.double().reshape(-1).tolist()
    if side.jacobian is None or name in side.cut:
        return None
    found: list[float] = side.jacobian[name].dense().double().reshape(-1).tolist()
    return found


def along(side: TorchSide, u: "Mapping[str, torch.Tensor]", *, v: bool, sizes: bool = False) -> Any:
    """Ju, and ⟨vᵀJ,u⟩ as a last element with ``v``; NaN where torch has no numbers.

    With ``sizes`` of the absolute values: what the terms of the sums amount to.
    """
    change = torch.abs if sizes else torch.clone
    rows = side.output.numel()
    found = torch.full((rows + v,), torch.nan, dtype=torch.float64)
    parts = {name: change(value.double().cpu().reshape(-1)) for name, value in u.items()}
    if side.jacobian is not None:
        matrices = side.jacobian.items()
        products = [(m.sizes() if sizes else m).pushed(parts[name]) for name, m in matrices]
        found[:rows] = torch.stack(products).sum(0)
    if v and side.vjp is not None:
        gradients = {name: g for name, g in side.vjp.items() if g is not None}
        found[-1] = sum(
            float(change(gradients[name].double().reshape(-1)) @ parts[name]) for name in gradients
        )
    return numpy.asarray(found)
