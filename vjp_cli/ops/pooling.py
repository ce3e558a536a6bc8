"""Pools: the mean, the largest or the norm of each window that slides over the last axes."""

from collections.abc import Callable
from math import inf, prod
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op
from vjp_cli.ops.windows import OUTSIDE, Axis, batched, combine, each, pick, unbatched

# The signatures with many parameters are torch's own.


def _axes(input: Any, axes: int, options: tuple[Any, ...], ceil: bool) -> list[Axis]:
    """One axis of windows for each of the last axes.

    Args:
        input: what the windows slide over.
        axes: over how many axes they slide.
        options: kernel size, stride (None or empty: the kernel size), dilation and padding.
        ceil: see ``Axis``.
    """
    kernel, stride, dilation, padding = options
    stride = kernel if stride is None or stride in ((), []) else stride
    numbers = zip(
        *(each(value, axes) for value in (kernel, stride, dilation, padding)), strict=True
    )
    return [
        Axis(size, width, step, spread, margin, margin, ceil)
        for size, (width, step, spread, margin) in zip(input.shape[-axes:], numbers, strict=True)
    ]


def _average(axes: int) -> Callable[..., Any]:
    def rule(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Any:
        signal = batched(input, axes)
        windows = _axes(signal, axes, (kernel_size, stride, 1, padding), ceil_mode)
        places = combine([axis.places() for axis in windows], signal.shape[2:])
        total = torch.sum(pick(signal, places, 0), -1)
        if divisor_override is not None:
            return unbatched(total / divisor_override, input)
        counts = (places != OUTSIDE).sum(-1)
        if count_include_pad:
            counts = _outer_product([axis.padded() for axis in windows])
        return unbatched(total / counts, input)

    return rule


def _outer_product(counts: list[Any]) -> Any:
    """The products of one number from each list, of shape (length of each ...)."""
    product = counts[0]
    for more in counts[1:]:
        product = product.unsqueeze(-1) * more
    return product


def _maximum(axes: int, pair: bool) -> Callable[..., Any]:
    def rule(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = pair,
    ) -> Any:
        signal = batched(input, axes)
        windows = _axes(signal, axes, (kernel_size, stride, dilation, padding), ceil_mode)
        places = combine([axis.places() for axis in windows], signal.shape[2:])
        return _largest(input, places, axes, pair or return_indices)

    return rule


def _largest(input: Any, places: Any, axes: int, pair: bool) -> Any:
    """The largest element of each window, and where it stands if a ``pair`` is asked for."""
    picked = pick(batched(input, axes), places, -inf)
    chosen = torch.argmax(picked, -1, True)
    values = torch.gather(picked, -1, chosen).squeeze(-1)
    if not pair:
        return unbatched(values, input)
    table = places.expand(tuple(picked.shape))
    indices = torch.gather(table, -1, chosen).squeeze(-1)
    return unbatched(values, input), unbatched(indices, input)


def _adaptive_places(sizes: Any, output_size: Any) -> Any:
    """Places of the windows that share each axis evenly, overlapping where it does not divide."""
    given = (output_size,) if isinstance(output_size, int | None) else tuple(output_size)
    wanted = given * len(sizes) if len(given) == 1 else given
    tables = []
    for size, outputs in zip(sizes, wanted, strict=True):
        count = size if outputs is None else outputs
        places = torch.arange(count)
        start = places * size // count
        end = -((places + 1) * -size // count)
        offsets = start[:, None] + torch.arange(int((end - start).max()) if count else 0)
        tables.append(torch.where(offsets < end[:, None], offsets, OUTSIDE))
    return combine(tables, sizes)


def _adaptive_average(axes: int) -> Callable[..., Any]:
    def rule(input: Any, output_size: Any) -> Any:
        signal = batched(input, axes)
        places = _adaptive_places(signal.shape[2:], output_size)
        total = torch.sum(pick(signal, places, 0), -1)
        return unbatched(total / (places != OUTSIDE).sum(-1), input)

    return rule


def _adaptive_maximum(axes: int, pair: bool) -> Callable[..., Any]:
    def rule(input: Any, output_size: Any, return_indices: bool = False) -> Any:
        places = _adaptive_places(input.shape[-axes:], output_size)
        return _largest(input, places, axes, pair or return_indices)

    return rule


def _power_average(axes: int) -> Callable[..., Any]:
    def rule(
        input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> Any:
        means = _average(axes)(input**norm_type, kernel_size, stride, 0, ceil_mode)
        # a window counts as full, also where it is not
        return (means * prod(each(kernel_size, axes))) ** (1.0 / norm_type)

    return rule


def _row(name: str, rule: Any, samples: tuple[str, ...], kinks: str = "") -> Op:
    return Op(name, f"nn.functional.{name}", Kind.COMPOSITE, rule, samples, kinks=kinks)


_TIES = "where the largest element of a window is tied"
_LINE = "B.reshape(1, 2, 6)"
_PLANE = "B.reshape(1, 1, 3, 4)"
_BOX = "B.reshape(1, 1, 3, 2, 2)"

_AVERAGES = (
    _row(
        "avg_pool1d",
        _average(1),
        (
            f"avg_pool1d({_LINE}, 2)",
            f"avg_pool1d({_LINE}, 3, 2, 1)",
            f"avg_pool1d({_LINE}[0], 3, stride=2, padding=1, count_include_pad=False)",
            f"avg_pool1d({_LINE}, 4, 3, ceil_mode=True)",
        ),
    ),
    _row(
        "avg_pool2d",
        _average(2),
        (
            f"avg_pool2d({_PLANE}, 2)",
            f"avg_pool2d({_PLANE}, (2, 3), (1, 2), (1, 0), ceil_mode=True)",
            f"avg_pool2d({_PLANE}, 2, 2, 1, True, False)",
            f"avg_pool2d({_PLANE}[0], 2, padding=1, divisor_override=3)",
        ),
    ),
    _row("avg_pool3d", _average(3), (f"avg_pool3d({_BOX}, 2, (1, 1, 2))",)),
    _row(
        "adaptive_avg_pool1d",
        _adaptive_average(1),
        (f"adaptive_avg_pool1d({_LINE}, 4)", f"adaptive_avg_pool1d({_LINE}[0], 2)"),
    ),
    _row(
        "adaptive_avg_pool2d",
        _adaptive_average(2),
        (f"adaptive_avg_pool2d({_PLANE}, (2, 3))", f"adaptive_avg_pool2d({_PLANE}, (None, 1))"),
    ),
    _row("adaptive_avg_pool3d", _adaptive_average(3), (f"adaptive_avg_pool3d({_BOX}, (2, 1, 2))",)),
)


def _maxima(axes: int, samples: tuple[str, ...], adaptive: tuple[str, ...]) -> tuple[Op, ...]:
    """The rows of the maximum over windows of some axes; those that give indices give pairs."""
    plain, shared = f"max_pool{axes}d", f"adaptive_max_pool{axes}d"
    paired, shared_pair = f"{plain}_with_indices", f"{shared}_with_indices"
    return (
        _row(plain, _maximum(axes, False), tuple(f"{plain}({s})" for s in samples), _TIES),
        _row(paired, _maximum(axes, True), (f"{paired}({samples[0]})[0]",), _TIES),
        _row(shared, _adaptive_maximum(axes, False), tuple(f"{shared}({s})" for s in adaptive)),
        _row(shared_pair, _adaptive_maximum(axes, True), (f"{shared_pair}({adaptive[0]})[0]",)),
    )


ROWS: tuple[Op, ...] = (
    *_AVERAGES,
    *_maxima(
        1,
        (f"{_LINE}, 2", f"{_LINE}, 3, 2, 1", f"{_LINE}[0], 2, 1, dilation=2", f"{_LINE}, 4, 3, 0"),
        (f"{_LINE}, 4", f"{_LINE}[0], 2"),
    ),
    *_maxima(
        2,
        (
            f"{_PLANE}, 2",
            f"{_PLANE}, (2, 3), stride=(1, 2), padding=1",
            f"{_PLANE}[0], 2, ceil_mode=True",
        ),
        (f"{_PLANE}, (2, 3)", f"{_PLANE}, (None, 1)"),
    ),
    *_maxima(3, (f"{_BOX}, 2, (1, 1, 2)",), (f"{_BOX}, (2, 1, 2)",)),
    _row(
        "lp_pool1d",
        _power_average(1),
        (f"lp_pool1d(exp({_LINE}), 3, 2)", f"lp_pool1d(exp({_LINE}), 2, 4, 3, True)"),
    ),
    _row("lp_pool2d", _power_average(2), (f"lp_pool2d(exp({_PLANE}), 2, (2, 3), 1)",)),
)
