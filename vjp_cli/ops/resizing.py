"""Rows that change the resolution of the last axes: interpolation, and channels spread over space.

All modes but the nearest are sums of a few elements along one axis after another; their weights are
fractions of the sizes, kept exact.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import floor, lcm
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op
from vjp_cli.tracing.tracer import Untraceable

_LINEAR_MODES = ("linear", "bilinear", "trilinear")


def _interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Any:
    if antialias:
        raise Untraceable("interpolate with antialias=True")
    if mode.startswith("nearest"):
        return _nearest(input, size, scale_factor, mode, recompute_scale_factor)
    sizes = tuple(input.shape[2:])
    axes = _axes(sizes, size, scale_factor, bool(recompute_scale_factor), bool(align_corners))
    if mode == "area":
        pool = getattr(torch.nn.functional, f"adaptive_avg_pool{len(sizes)}d")
        return pool(input, tuple(axis.outputs for axis in axes))
    for d, axis in enumerate(axes, start=2):
        terms = [_weighted(input, d, tap) for tap in _taps(input, axis, mode)]
        input = sum(terms[1:], terms[0])
    return input


def _nearest(input: Any, size: Any, scale_factor: Any, mode: str, recompute: Any) -> Any:
    """Torch's own kernel says which element is the nearest: it rounds where fractions tie."""
    sizes = tuple(input.shape[2:])
    places = torch.arange(torch.Size(sizes).numel(), dtype=torch.float64).reshape((1, 1, *sizes))
    chosen = torch.nn.functional.interpolate(
        places, size, scale_factor, mode, recompute_scale_factor=recompute
    )
    return input.reshape((*input.shape[:2], -1))[:, :, chosen[0, 0].long()]


@dataclass(frozen=True)
class _Resized:
    """An axis and what becomes of it: output i lies at input ``step``·i + ``start``."""

    size: int
    outputs: int
    step: Fraction
    start: Fraction

    def source(self, output: int) -> Fraction:
        return self.step * output + self.start


def _axes(
    sizes: tuple[int, ...], size: Any, scale_factor: Any, recompute: bool, align_corners: bool
) -> list[_Resized]:
    given = scale_factor if size is None else size
    numbers = tuple(given) if isinstance(given, list | tuple) else (given,) * len(sizes)
    resized = []
    for inputs, number in zip(sizes, numbers, strict=True):
        outputs = number if size is not None else floor(inputs * number)
        if align_corners:
            step = Fraction(inputs - 1, outputs - 1) if outputs > 1 else Fraction(0)
            start = Fraction(0)
        else:
            exact = size is None and not recompute
            step = 1 / Fraction(number) if exact else Fraction(inputs, outputs)
            # the centres of the first elements, half an element from the edge, lie together
            start = (step - 1) / 2
        resized.append(_Resized(inputs, outputs, step, start))
    return resized


def _taps(input: Any, axis: _Resized, mode: str) -> list[tuple[list[int], Any]]:
    """The elements that each output takes, and their weights of shape (outputs,)."""
    sources = [axis.source(k) for k in range(axis.outputs)]
    if mode in _LINEAR_MODES:
        sources = [max(source, Fraction(0)) for source in sources]
    low = [floor(source) for source in sources]
    beyond = _fractions(input, [s - k for s, k in zip(sources, low, strict=True)])
    weights = [1 - beyond, beyond] if mode in _LINEAR_MODES else cubic_weights(beyond)
    first = 0 if mode in _LINEAR_MODES else -1
    return [
        ([min(max(k + offset, 0), axis.size - 1) for k in low], weight)
        for offset, weight in enumerate(weights, start=first)
    ]


def _fractions(like: Any, fractions: list[Fraction]) -> Any:
    """A tensor of fractions, exact where ``like`` is traced."""
    below = lcm(*(fraction.denominator for fraction in fractions))
    above = torch.tensor([int(fraction * below) for fraction in fractions], dtype=torch.int64)
    return torch.ones_like(like.sum()) * above / below


def cubic_weights(beyond: Any) -> list[Any]:
    """The weights of the four elements around a place, which lies ``beyond`` the second of them.

    They are those of Keys' cubic convolution with the parameter -3/4.
    """
    rest = 1 - beyond
    return [_far(1 + beyond), _near(beyond), _near(rest), _far(1 + rest)]


def _near(t: Any) -> Any:
    return (1.25 * t - 2.25) * t * t + 1


def _far(t: Any) -> Any:
    return -0.75 * (((t - 5) * t + 8) * t - 4)


def _weighted(input: Any, dim: int, tap: tuple[list[int], Any]) -> Any:
    index, weight = tap
    picked = torch.index_select(input, dim, torch.tensor(index, dtype=torch.int64))
    return picked * weight.reshape((-1, *(1 for _ in input.shape[dim + 1 :])))


def _row(name: str, rule: Any, *samples: str) -> Op:
    return Op(name, f"nn.functional.{name}", Kind.COMPOSITE, rule, samples)


_LINE = "B.reshape(1, 2, 6)"
_PLANE = "B.reshape(1, 1, 3, 4)"
_BOX = "B.reshape(1, 1, 3, 2, 2)"

ROWS: tuple[Op, ...] = (
    _row(
        "interpolate",
        _interpolate,
        f"interpolate({_LINE}, 4)",
        f"interpolate({_PLANE}, scale_factor=(2, 0.5))",
        f"interpolate({_PLANE}, (4, 3), mode='nearest-exact')",
        f"interpolate({_LINE}, 9, mode='linear')",
        f"interpolate({_LINE}, scale_factor=1.7, mode='linear')",
        f"interpolate({_LINE}, None, 0.7, 'linear', recompute_scale_factor=True)",
        f"interpolate({_LINE}, 4, mode='linear', align_corners=True)",
        f"interpolate({_PLANE}, (5, 2), mode='bilinear')",
        f"interpolate({_PLANE}, scale_factor=2, mode='bilinear', align_corners=True)",
        f"interpolate({_PLANE}, (1, 7), mode='bicubic', align_corners=True)",
        f"interpolate({_PLANE}, scale_factor=(1.7, 0.8), mode='bicubic')",
        f"interpolate({_BOX}, (2, 3, 1), mode='trilinear')",
        f"interpolate({_PLANE}, (2, 3), mode='area')",
    ),
    Op(
        "channel_shuffle",
        "nn.functional.channel_shuffle",
        Kind.MOVE,
        samples=("channel_shuffle(B.reshape(1, 6, 2), 3)",),
    ),
)
