"""Arrays of the chain: made from matrices, added up, and compared."""

import math
from collections.abc import Sequence
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.report import Array, Term


def agree(
    one: "Array[Any] | None", other: "Array[Any] | None", dtype: "torch.dtype", share: float = 0.75
) -> bool | None:
    """Whether all entries that both have agree to this share of the digits; None without both.

    What cancels may be off by as much of the largest entry.
    """
    if one is None or other is None:
        return None
    pairs = [p for p in zip(one.values, other.values, strict=True) if None not in p]
    digits = (torch.finfo(dtype).eps / 2) ** share
    largest = max((abs(b) for _, b in pairs if math.isfinite(b)), default=0.0)
    return all(_close(a, b, digits, digits**1.25 * largest) for a, b in pairs)


def _close(one: float, other: float, digits: float, slack: float) -> bool:
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return one == other or abs(one - other) <= digits * abs(other) + slack


def shaped(matrix: "torch.Tensor", shape: tuple[int, ...]) -> Array[Any]:
    """A matrix of torch's as an array of this shape."""
    return Array(shape, tuple(matrix.detach().cpu().reshape(-1).tolist()))


def total(terms: Sequence[Term]) -> Array[Any] | None:
    """The sum of the terms; None without any."""
    if not terms:
        return None
    columns = zip(*(term.value.values for term in terms), strict=True)
    return Array(terms[0].value.shape, tuple(map(sum, columns)))
