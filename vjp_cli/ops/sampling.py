"""Rows that read an image between its pixels, at coordinates that are inputs themselves.

Axes of an image are counted from the last, as coordinates are: x, then y, then z.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.resizing import cubic_weights
from vjp_cli.ops.table import Kind, Op


@dataclass(frozen=True)
class _Tap:
    """One pixel along an axis for each coordinate: where it is, and its weight (None for 1)."""

    index: Any
    weight: Any


@dataclass(frozen=True)
class _Border:
    """What becomes of coordinates outside an axis of ``size`` pixels.

    Attributes:
        mode: torch's ``padding_mode``.
        align_corners: whether -1 and 1 are the centres of the outer pixels, or their outer edges.
    """

    size: int
    mode: str
    align_corners: bool

    def pixel(self, coordinate: Any) -> Any:
        """Coordinates from -1 to 1 as pixels counted from 0."""
        if self.align_corners:
            return (coordinate + 1) * (self.size - 1) / 2
        return ((coordinate + 1) * self.size - 1) / 2

    def bring_in(self, pixel: Any) -> Any:
        """Pixels outside moved to the border, mirrored, or left for the zeros around."""
        if self.mode == "zeros":
            return pixel
        if self.mode == "reflection":
            pixel = self.mirrored(pixel)
        return torch.clamp(pixel, 0, self.size - 1)

    def mirrored(self, pixel: Any) -> Any:
        edge = 0.0 if self.align_corners else -0.5
        span = self.size - 1 if self.align_corners else self.size
        if span == 0:
            return torch.zeros_like(pixel)
        away = torch.abs(pixel - edge)
        turns = torch.floor(away / span)
        rest = away - turns * span
        return torch.where(turns % 2 == 0, rest + edge, (span + edge) - rest)


def _nearest_taps(border: _Border, coordinate: Any) -> list[_Tap]:
    return [_Tap(torch.round(border.bring_in(border.pixel(coordinate))).long(), None)]


def _linear_taps(border: _Border, coordinate: Any) -> list[_Tap]:
    pixel = border.bring_in(border.pixel(coordinate))
    base = torch.floor(pixel)
    beyond = pixel - base
    return [_Tap(base.long(), 1 - beyond), _Tap(base.long() + 1, beyond)]


def _cubic_taps(border: _Border, coordinate: Any) -> list[_Tap]:
    """Four pixels around; those outside are brought in one by one."""
    pixel = border.pixel(coordinate)
    base = torch.floor(pixel)
    weights = cubic_weights(pixel - base)
    around = [border.bring_in(base + offset).long() for offset in range(-1, 3)]
    return [_Tap(index, weight) for index, weight in zip(around, weights, strict=True)]


_TAPS = {"nearest": _nearest_taps, "bilinear": _linear_taps, "bicubic": _cubic_taps}


def _grid_sample(
    input: Any,
    grid: Any,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Any:
    sizes = tuple(input.shape[:1:-1])
    along = [
        _TAPS[mode](_Border(size, padding_mode, bool(align_corners)), grid[..., d])
        for d, size in enumerate(sizes)
    ]
    terms = [_term(input, taps) for taps in product(*along)]
    return sum(terms[1:], terms[0])


def _term(input: Any, taps: tuple[_Tap, ...]) -> Any:
    """One pixel for each coordinate, times its weights: shape (N, C, grid sizes ...)."""
    sizes = tuple(input.shape[:1:-1])
    present = torch.tensor(True)
    for tap, size in zip(taps, sizes, strict=True):
        present = present & (tap.index >= 0) & (tap.index < size)
    batch = torch.arange(input.shape[0]).reshape((-1, *(1 for _ in sizes)))
    places = [torch.where(present, tap.index, 0) for tap in taps]
    pixels = torch.movedim(input, 1, -1)[(batch, *reversed(places))]
    value = torch.where(present.unsqueeze(-1), pixels, 0)
    for tap in taps:
        value = value if tap.weight is None else value * tap.weight.unsqueeze(-1)
    return torch.movedim(value, -1, 1)


def _affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Any:
    """Shape (N, sizes of the image ..., d) for theta of shape (N, d, d + 1)."""
    image = tuple(size)[2:]
    axes = len(image)
    total = theta[:, :, axes].reshape((-1, *(1 for _ in image), axes))
    for d, pixels in enumerate(reversed(image)):
        # whole numbers over one denominator: the coordinates stay exact
        steps = 2 * torch.arange(pixels) - (pixels - 1)
        count = max(pixels - 1, 1) if align_corners else pixels
        along = steps.reshape((-1, *(1 for _ in range(d)), 1))
        total = total + theta[:, :, d].reshape((-1, *(1 for _ in image), axes)) * along / count
    return total


def _row(name: str, rule: Any, samples: tuple[str, ...], kinks: str = "") -> Op:
    return Op(name, f"nn.functional.{name}", Kind.COMPOSITE, rule, samples, kinks=kinks)


_PLANE = "B.reshape(1, 2, 2, 3)"
_GRID = "x.reshape(1, 1, 3, 2)"

ROWS: tuple[Op, ...] = (
    _row(
        "grid_sample",
        _grid_sample,
        (
            f"grid_sample({_PLANE}, {_GRID}, align_corners=False)",
            f"grid_sample({_PLANE}, {_GRID}, align_corners=True)",
            f"grid_sample({_PLANE}, {_GRID}, padding_mode='border', align_corners=False)",
            f"grid_sample({_PLANE}, {_GRID}, 'bilinear', 'reflection', False)",
            f"grid_sample({_PLANE}, 2*{_GRID}, 'bilinear', 'reflection', True)",
            f"grid_sample({_PLANE}, {_GRID}, 'nearest', 'border', False)",
            f"grid_sample({_PLANE}, {_GRID}, 'bicubic', align_corners=False)",
            f"grid_sample({_PLANE}, {_GRID}, 'bicubic', 'reflection', True)",
            "grid_sample(B.reshape(1, 1, 3, 2, 2), x.reshape(1, 2, 1, 1, 3), align_corners=False)",
        ),
        "where a coordinate meets a pixel, and at the border",
    ),
    _row(
        "affine_grid",
        _affine_grid,
        (
            "affine_grid(x.reshape(1, 2, 3), (1, 1, 3, 2), align_corners=False)",
            "affine_grid(stack((x, y)), [2, 1, 2, 3], align_corners=True)",
            "affine_grid(B.reshape(1, 3, 4), (1, 1, 2, 1, 3), align_corners=False)",
        ),
    ),
)
