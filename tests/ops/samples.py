"""The inputs that the samples of the operation table stand for, and their evaluation.

The names are those of ``Op``'s docstring. Values are generic: no ties, no value at a kink, and no
two tensors alike, so that a rule which swaps its arguments cannot pass.
"""

from types import SimpleNamespace
from typing import Any

import torch

from vjp_cli.ops.table import Op


def sample_inputs(op: Op, seed: int) -> dict[str, torch.Tensor]:
    """float64 tensors strictly inside ``op.domain``, integer indices and a mask, by name.

    x and y are 2x3, A is 2x3, B is 3x4, b has 3 elements, s is a scalar and S is 3x3, symmetric
    positive definite (the domain does not apply to S). i holds two row indices of x and j two
    column indices, so ``x[i, j]``, ``gather(x, 1, j[:, None])`` and class indices ``j`` are valid.
    m is a 2x3 mask with both values in it.
    """
    generator = torch.Generator().manual_seed(seed)
    low, high = op.domain

    def inside(*shape: int) -> torch.Tensor:
        unit = torch.rand(shape, generator=generator, dtype=torch.float64)
        return low + (high - low) * (0.02 + 0.96 * unit)

    root = torch.randn(3, 3, generator=generator, dtype=torch.float64)
    mask = torch.rand(2, 3, generator=generator) > 0.5
    mask[0, 0], mask[1, 2] = True, False
    return {
        "x": inside(2, 3),
        "y": inside(2, 3),
        "A": inside(2, 3),
        "B": inside(3, 4),
        "b": inside(3),
        "s": inside(),
        "S": root @ root.mT + 0.5 * torch.eye(3, dtype=torch.float64),
        "i": torch.randperm(2, generator=generator),
        "j": torch.randperm(3, generator=generator)[:2],
        "m": mask,
    }


def torch_function(path: str) -> Any:
    """The function at ``path`` below ``torch``, for example ``nn.functional.relu``."""
    found: Any = torch
    for part in path.split("."):
        found = getattr(found, part)
    return found


def evaluate(sample: str, inputs: dict[str, Any], functions: dict[str, Any]) -> Any:
    """The value of ``sample``, where a row's name stands for its entry of ``functions``.

    A dotted name (``linalg.norm``) is reached as an attribute. Inputs win over functions.
    """
    namespace: dict[str, Any] = {"torch": torch, "F": torch.nn.functional}
    for name, function in functions.items():
        *families, last = name.split(".")
        if not families:
            namespace[last] = function
            continue
        family = namespace.setdefault(families[0], SimpleNamespace())
        setattr(family, last, function)
    return eval(sample, {**namespace, **inputs})
