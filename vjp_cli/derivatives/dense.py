"""The full Jacobian by repeated VJPs: one unit cotangent a row.

Which way is fastest depends on the number of rows (ratios in the README's notes on speed): a single
plain gradient for one row, a loop for a few, batches under ``vmap`` beyond.
"""

from typing import NamedTuple

from vjp_cli.derivatives.seeding import gradients
from vjp_cli.lazy import torch

# Up to this many rows a loop beats the first use of vmap, which loads modules for 0.07 s.
LOOP_ROWS = 32
# Rows in one batch: more of them cost memory and, from some thousand columns on, time.
BATCH_ROWS = 64


class Built(NamedTuple):
    """J in full, and what it took.

    Attributes:
        parts: for each input J of shape (y.numel(), x.numel()); None where no path leads from any
            row.
        passes: the cotangents that were pulled back; a batch counts as many as it holds.
    """

    parts: "list[torch.Tensor | None]"
    passes: int


def dense_jacobian(output: "torch.Tensor", inputs: "list[torch.Tensor]") -> Built:
    """J for each input.

    Raises:
        RuntimeError: as torch does, when a derivative is missing or a backward fails.
    """
    rows = output.numel()
    if rows <= LOOP_ROWS:
        return _by_loop(output, inputs)
    try:
        return _by_batches(output, inputs)
    except RuntimeError:
        # an operation without a batching rule
        return _by_loop(output, inputs)


def _by_loop(output: "torch.Tensor", inputs: "list[torch.Tensor]") -> Built:
    rows, passes = output.numel(), 0
    found, reached = _empty(rows, inputs)
    for row in range(rows):
        unit = output.new_zeros(rows)
        unit[row] = 1
        pulled = gradients(output, inputs, unit.reshape(output.shape))
        passes += 1
        for k, gradient in enumerate(pulled):
            if gradient is not None:
                found[k][row] = gradient.reshape(-1)
                reached[k] = True
    return Built(_with_a_path(found, reached), passes)


def _empty(rows: int, inputs: "list[torch.Tensor]") -> "tuple[list[torch.Tensor], list[bool]]":
    """Zeros for each input, and whether anything reached it; without rows nothing has to."""
    found = [input.new_zeros((rows, input.numel())) for input in inputs]
    return found, [rows == 0] * len(inputs)


def _with_a_path(found: "list[torch.Tensor]", reached: list[bool]) -> "list[torch.Tensor | None]":
    return [part if has else None for part, has in zip(found, reached, strict=True)]


def _by_batches(output: "torch.Tensor", inputs: "list[torch.Tensor]") -> Built:
    rows, passes = output.numel(), 0
    found, reached = _empty(rows, inputs)
    for start in range(0, rows, BATCH_ROWS):
        stop = min(start + BATCH_ROWS, rows)
        units = output.new_zeros((stop - start, rows))
        units[torch.arange(stop - start), torch.arange(start, stop)] = 1
        part = torch.autograd.grad(
            output,
            inputs,
            units.reshape(stop - start, *output.shape),
            retain_graph=True,
            allow_unused=True,
            is_grads_batched=True,
        )
        passes += stop - start
        for k, gradient in enumerate(part):
            if gradient is not None:
                found[k][start:stop] = gradient.reshape(stop - start, -1)
                reached[k] = True
    return Built(_with_a_path(found, reached), passes)
