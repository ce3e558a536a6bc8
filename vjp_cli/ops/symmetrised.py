"""The convention of operations that read one triangle of a symmetric matrix.

The function depends on that triangle alone; torch gives each half of the gradient, as if the matrix
were symmetrised first.
"""

from collections.abc import Callable
from typing import Any

from vjp_cli.lazy import torch

DEPARTURE = "torch symmetrises the gradient of a function that reads one triangle"


def symmetrised(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` of the symmetrised matrix: its value at the triangle that is read."""

    def written(A: Any, *args: Any, upper: bool = False, **kwargs: Any) -> Any:
        if upper or kwargs.get("UPLO", "L") == "U" or "U" in args:
            read = torch.triu(A) + torch.triu(A, 1).mT
        else:
            read = torch.tril(A) + torch.tril(A, -1).mT
        half = (A + A.mT) / 2
        # the value is that of the triangle, the derivative that of the symmetrised matrix
        options = {**kwargs, **({"upper": True} if upper else {})}
        return function()(half + (read - half).detach(), *args, **options)

    return written
