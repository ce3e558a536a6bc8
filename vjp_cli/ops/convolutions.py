"""Convolutions, their transposes, and the folding of blocks: windows times weights, summed."""

from collections.abc import Callable
from math import prod
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op
from vjp_cli.ops.windows import Axis, batched, combine, each, inside, pick, unbatched

# The signatures with many parameters are torch's own.


def _convolution(axes: int) -> Callable[..., Any]:
    def rule(
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        signal = batched(input, axes)
        windows = [
            Axis(size, kernel, step, spread, *margins)
            for size, kernel, step, spread, margins in zip(
                signal.shape[2:],
                weight.shape[2:],
                each(stride, axes),
                each(dilation, axes),
                _margins(padding, weight.shape[2:], each(dilation, axes)),
                strict=True,
            )
        ]
        places = combine([axis.places() for axis in windows], signal.shape[2:])
        kernel = weight.reshape((weight.shape[0], weight.shape[1], places.shape[-1]))
        return unbatched(_contract(pick(signal, places, 0), kernel, bias, groups), input)

    return rule


def _margins(padding: Any, kernels: Any, dilations: tuple[int, ...]) -> list[tuple[int, int]]:
    """The padding before and behind each axis; 'same' puts the odd element behind."""
    if padding == "same":
        totals = [spread * (kernel - 1) for kernel, spread in zip(kernels, dilations, strict=True)]
        return [(total // 2, total - total // 2) for total in totals]
    widths = each(0 if padding == "valid" else padding, len(dilations))
    return [(width, width) for width in widths]


def _contract(picked: Any, kernel: Any, bias: Any, groups: int) -> Any:
    """Sum windows times weights over the channels of a group and the elements of a window.

    Args:
        picked: shape (N, C, counts ..., K).
        kernel: shape (O, C / groups, K).
        bias: shape (O,), or None.
        groups: the number of groups.

    Returns:
        Shape (N, O, counts ...).
    """
    batch, counts = picked.shape[0], tuple(picked.shape[2:-1])
    outputs, channels, width = kernel.shape
    windows = picked.reshape((batch, groups, channels, prod(counts), width))
    rows = windows.permute((0, 1, 3, 2, 4))
    rows = rows.reshape((batch, groups, prod(counts), channels * width))
    columns = kernel.reshape((groups, outputs // groups, channels * width)).transpose(1, 2)
    product = torch.matmul(rows, columns).permute((0, 1, 3, 2))
    result = product.reshape((batch, outputs, *counts))
    return result if bias is None else result + bias.reshape((-1, *(1 for _ in counts)))


def _transposed(axes: int) -> Callable[..., Any]:
    def rule(
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
    ) -> Any:
        signal = batched(input, axes)
        steps, spreads = each(stride, axes), each(dilation, axes)
        margins, extras = each(padding, axes), each(output_padding, axes)
        tables = [
            _sources(Axis(size, kernel, step, spread, margin), extra)
            for size, kernel, step, spread, margin, extra in zip(
                signal.shape[2:], weight.shape[2:], steps, spreads, margins, extras, strict=True
            )
        ]
        places = combine(tables, signal.shape[2:])
        channels, outputs, width = weight.shape[0], weight.shape[1], places.shape[-1]
        kernel = weight.reshape((groups, channels // groups, outputs, width)).transpose(1, 2)
        kernel = kernel.reshape((groups * outputs, channels // groups, width))
        return unbatched(_contract(pick(signal, places, 0), kernel, bias, groups), input)

    return rule


def _sources(axis: Axis, extra: int) -> Any:
    """Which input meets each element of the kernel at each output of a transpose."""
    reach = axis.dilation * (axis.kernel - 1) + 1
    outputs = (axis.size - 1) * axis.stride - 2 * axis.before + reach + extra
    start = torch.arange(outputs)[:, None] + axis.before
    offsets = start - torch.arange(axis.kernel) * axis.dilation
    places = torch.div(offsets, axis.stride, rounding_mode="floor")
    return inside(torch.where(offsets % axis.stride == 0, places, -1), axis.size)


def _fold(
    input: Any,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Any:
    """Each element is the sum of the blocks' elements that stand there."""
    sizes = each(output_size, 2)
    options = (each(option, 2) for option in (kernel_size, stride, dilation, padding))
    axes = [
        Axis(size, kernel, step, spread, margin, margin)
        for size, kernel, step, spread, margin in zip(sizes, *options, strict=True)
    ]
    places = combine([axis.places() for axis in axes], sizes)
    blocks = input if input.ndim == 3 else input.unsqueeze(0)
    width = places.shape[-1]
    blocks = blocks.reshape((blocks.shape[0], blocks.shape[1] // width, width, blocks.shape[2]))
    target = places.reshape((-1, width)).T
    kept = target >= 0
    ground = torch.zeros((*blocks.shape[:2], sizes[0] * sizes[1]), dtype=input.dtype)
    summed = torch.index_add(ground, 2, target[kept], blocks[:, :, kept])
    return unbatched(summed.reshape((*blocks.shape[:2], *sizes)), input.unsqueeze(-1))


def _row(name: str, rule: Any, *samples: str) -> Op:
    return Op(name, f"nn.functional.{name}", Kind.COMPOSITE, rule, samples)


_LINE = "B.reshape(1, 2, 6)"
_PLANE = "B.reshape(1, 2, 2, 3)"

ROWS: tuple[Op, ...] = (
    _row(
        "conv1d",
        _convolution(1),
        f"conv1d({_LINE}, x.reshape(1, 2, 3))",
        f"conv1d({_LINE}, x.reshape(1, 2, 3), s.reshape(1), stride=2, padding=1, dilation=2)",
        f"conv1d({_LINE}, x.reshape(2, 1, 3), groups=2, padding='same')",
        f"conv1d({_LINE}[0], x.reshape(1, 2, 3), None, 1, 'valid')",
        f"conv1d({_LINE}, B.reshape(3, 2, 2), b, padding='same', dilation=2)",
    ),
    _row(
        "conv2d",
        _convolution(2),
        f"conv2d({_PLANE}, A[:, :2].reshape(1, 2, 1, 2))",
        f"conv2d({_PLANE}, S[:2, :2].reshape(2, 1, 2, 1), y[0, :2], (2, 1), (1, 0), (1, 2), 2)",
        "conv2d(x.reshape(1, 2, 3), b.reshape(1, 1, 1, 3), padding='same')",
    ),
    _row("conv3d", _convolution(3), "conv3d(B.reshape(1, 1, 2, 3, 2), x.reshape(1, 1, 2, 3, 1))"),
    _row(
        "conv_transpose1d",
        _transposed(1),
        f"conv_transpose1d({_LINE}, x.reshape(2, 1, 3))",
        f"conv_transpose1d({_LINE}, B.reshape(2, 3, 2), b, 2, 1, 1)",
        f"conv_transpose1d({_LINE}[0], x.reshape(2, 1, 3), groups=2, dilation=2)",
    ),
    _row(
        "conv_transpose2d",
        _transposed(2),
        f"conv_transpose2d({_PLANE}, B.reshape(2, 1, 2, 3), stride=(1, 2), padding=(0, 1))",
    ),
    _row(
        "conv_transpose3d",
        _transposed(3),
        "conv_transpose3d(x.reshape(1, 1, 2, 3, 1), A.reshape(1, 1, 1, 3, 2))",
    ),
    _row(
        "fold",
        _fold,
        "fold(B.reshape(1, 4, 3), (2, 4), (2, 2))",
        "fold(B.reshape(4, 3), (2, 4), 2)",
        "fold(B.reshape(1, 2, 6), (3, 3), (1, 2), 2, (0, 1), (2, 1))",
    ),
)
