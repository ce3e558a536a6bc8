"""The full Jacobian by repeated VJPs: one unit cotangent a row.

A single plain gradient for one row, batches under ``torch.func.vmap`` for more (several times
faster from two rows on), and a loop for what cannot be batched. The choice depends on the graph and
on sizes, never on a clock: equal calls give equal bits.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from vjp_cli.derivatives.graph import Traits, traits
from vjp_cli.derivatives.seeding import gradients, gradients_of_many
from vjp_cli.lazy import torch

# Up to this many rows J is small enough to be looked at number by number: there a batch has to do
# just what a loop of plain backward passes does, and gives way to it where it may not.
LOOP_ROWS = 32
# A batch larger than the cache of a processor is slower than two halves of it.
_BATCH_BYTES = 1 << 20
# The rows from which a matrix product is at its full speed, and what they may take.
_PRODUCT_ROWS = 512
_PRODUCT_BYTES = 64 << 20
_LEAST_ROWS = 16
# Below, a second thread costs more than it computes.
_SMALL = 100_000


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
    with _one_thread_for(rows * max(input.numel() for input in inputs)):
        if rows == 1 and not output.is_complex():
            return _of_one(output, inputs)
        graph = traits(output)
        if rows > LOOP_ROWS or (rows > 1 and graph.alike):
            try:
                built = _by_batches(output, inputs, graph)
            except Exception:
                # an operation that cannot be batched, or an error that the loop meets too
                return _by_loop(output, inputs)
            if rows > LOOP_ROWS or _finite(built):
                return built
        return _by_loop(output, inputs)


@contextmanager
def _one_thread_for(elements: int) -> Iterator[None]:
    threads = torch.get_num_threads()
    if threads == 1 or elements > _SMALL:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _finite(built: Built) -> bool:
    return all(bool(part.isfinite().all()) for part in built.parts if part is not None)


def _of_one(output: "torch.Tensor", inputs: "list[torch.Tensor]") -> Built:
    found = torch.autograd.grad(output, inputs, retain_graph=True, allow_unused=True)
    return Built([None if part is None else part.reshape(1, -1).clone() for part in found], 1)


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


def _by_batches(output: "torch.Tensor", inputs: "list[torch.Tensor]", graph: Traits) -> Built:
    rows = output.numel()
    found: list[torch.Tensor | None] = [None] * len(inputs)
    size = _batch_rows(output, inputs, graph)
    if size >= rows:
        units = torch.eye(rows, dtype=output.dtype, device=output.device)
        some = gradients_of_many(output, inputs, units.reshape(rows, *output.shape))
        # an expanded one has the same numbers in every row, and no memory for each
        alone = [None if part is None else part.reshape(rows, -1).contiguous() for part in some]
        return Built(alone, rows)
    for start in range(0, rows, size):
        stop = min(start + size, rows)
        units = output.new_zeros((stop - start, rows))
        units.diagonal(start).fill_(1)
        some = gradients_of_many(output, inputs, units.reshape(-1, *output.shape))
        for k, gradient in enumerate(some):
            if gradient is None:
                continue
            part = found[k]
            if part is None:
                part = found[k] = gradient.new_zeros((rows, inputs[k].numel()))
            part[start:stop] = gradient.reshape(stop - start, -1)
    return Built(found, rows)


def _batch_rows(output: "torch.Tensor", inputs: "list[torch.Tensor]", graph: Traits) -> int:
    """How many rows are pulled back at once."""
    width = max(output.numel(), graph.widest, *(input.numel() for input in inputs), 1)
    row = width * output.element_size()
    rows = max(_LEAST_ROWS, _BATCH_BYTES // row)
    if graph.products:
        rows = max(rows, min(_PRODUCT_ROWS, _PRODUCT_BYTES // row))
    return rows
