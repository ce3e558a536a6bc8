"""Windows that slide over the last axes of a tensor, as positions of the elements they hold.

A window is a line of a table of places: real integers that count the elements of all axes it slides
over, -1 where it reaches outside. Convolutions, pools and folds pick elements by such tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from vjp_cli.lazy import torch

OUTSIDE = -1


@dataclass(frozen=True)
class Axis:
    """How a window moves along one axis.

    Attributes:
        size: the elements of the axis.
        kernel: the elements of the window.
        stride: from one window to the next.
        dilation: from one element of the window to the next.
        before: the padding in front.
        after: the padding behind.
        ceil: whether a last window that is not full counts, if it starts before the padding behind.
    """

    size: int
    kernel: int
    stride: int = 1
    dilation: int = 1
    before: int = 0
    after: int = 0
    ceil: bool = False

    @property
    def count(self) -> int:
        """The number of windows."""
        free = self.size + self.before + self.after - self.dilation * (self.kernel - 1) - 1
        count = (free + (self.stride - 1 if self.ceil else 0)) // self.stride + 1
        if self.ceil and (count - 1) * self.stride >= self.size + self.before:
            count -= 1
        return max(count, 0)

    def offsets(self) -> Any:
        """Where each element of each window lies, from -before on; shape (count, kernel)."""
        start = torch.arange(self.count) * self.stride - self.before
        return start[:, None] + torch.arange(self.kernel) * self.dilation

    def places(self) -> Any:
        """``offsets`` with ``OUTSIDE`` for whatever lies in the padding."""
        return inside(self.offsets(), self.size)

    def padded(self) -> Any:
        """How many elements of each window lie in the axis or its padding; shape (count,)."""
        return (self.offsets() < self.size + self.after).sum(-1)


def each(value: Any, axes: int) -> tuple[int, ...]:
    """An option of torch as one number an axis: it is given as one for all, or as a sequence."""
    numbers = (value,) if isinstance(value, int) else tuple(value)
    return numbers * axes if len(numbers) == 1 else numbers


def inside(offsets: Any, size: int) -> Any:
    """``offsets`` where they count elements of an axis of that size, else ``OUTSIDE``."""
    return torch.where((offsets >= 0) & (offsets < size), offsets, OUTSIDE)


def combine(tables: Sequence[Any], sizes: Sequence[int]) -> Any:
    """The places of windows over several axes from those over each.

    Args:
        tables: for each axis a table of shape (count, kernel).
        sizes: the sizes of the axes.

    Returns:
        Places of shape (count of each axis ..., product of the kernels).
    """
    axes = len(tables)
    total, outside = torch.zeros((1,) * (2 * axes), dtype=torch.int64), torch.tensor(False)
    for d, table in enumerate(tables):
        shape = [1] * (2 * axes)
        shape[d], shape[axes + d] = table.shape
        along = table.reshape(shape)
        total = total * sizes[d] + along
        outside = outside | (along == OUTSIDE)
    places = torch.where(outside, OUTSIDE, total)
    counts = places.shape[:axes]
    return places.reshape((*counts, prod(places.shape[axes:])))


def pick(input: Any, places: Any, padding: float) -> Any:
    """The elements that a table of places names.

    Args:
        input: shape (N, C, size of each axis ...).
        places: shape (..., K), counting over the axes after the second.
        padding: what stands outside.

    Returns:
        Shape (N, C, ..., K).
    """
    rows = input.reshape((*input.shape[:2], prod(input.shape[2:])))
    present = places != OUTSIDE
    picked = rows[:, :, torch.where(present, places, 0)]
    return picked if bool(present.all()) else torch.where(present, picked, padding)


def batched(input: Any, axes: int) -> Any:
    """``input`` with the batch axis that it may lack."""
    return input.unsqueeze(0) if input.ndim == axes + 1 else input


def unbatched(result: Any, input: Any) -> Any:
    """``result`` without the batch axis that ``batched`` added to ``input``."""
    return result.squeeze(0) if result.ndim > input.ndim else result
