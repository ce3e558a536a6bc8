"""The Jacobians of a report as arrays to be written, in the dtype of the problem."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

from vjp_cli.lazy import numpy
from vjp_cli.report import Array, Number, Report
from vjp_cli.settings import LIMITS

# in one piece of a matrix that is written in full
_BLOCK_ENTRIES = 1_000_000


@dataclass(frozen=True)
class Matrix:
    """J by one input, always in numerator layout.

    Attributes:
        full_shape: y.shape + x.shape.
        shape: the numbers of outputs and of elements of the input.
        positions: flat, ascending: every place that is not 0, or may be.
        values: torch's numbers there; NaN where it gives none.
    """

    name: str
    full_shape: tuple[int, ...]
    shape: tuple[int, int]
    positions: Any
    values: Any

    @property
    def sparse(self) -> bool:
        """Whether it is larger than what J is built in full up to."""
        return prod(self.shape) > LIMITS.dense_entries

    @property
    def full_bytes(self) -> int:
        """What all numbers take."""
        return prod(self.shape) * int(self.values.dtype.itemsize)

    @property
    def rows(self) -> Any:
        """The row of each of the places."""
        return self.positions // max(self.shape[1], 1)

    @property
    def columns(self) -> Any:
        """The column of each of the places."""
        return self.positions % max(self.shape[1], 1)

    def pieces(self) -> Iterator[Any]:
        """All numbers, flat, some at a time: a J in full may not fit into memory."""
        for start in range(0, prod(self.shape), _BLOCK_ENTRIES):
            stop = min(start + _BLOCK_ENTRIES, prod(self.shape))
            first, last = numpy.searchsorted(self.positions, [start, stop])
            piece = numpy.zeros(stop - start, dtype=self.values.dtype)
            piece[self.positions[first:last] - start] = self.values[first:last]
            yield piece


def matrices_of(report: Report) -> list[Matrix]:
    """One for each input; there is a J."""
    assert report.jacobian is not None
    rows = len(report.output.value.values)
    found = []
    for name, array in report.jacobian.items():
        structure = report.structure.get(name)
        positions, values = _entries(array, structure.positions if structure else frozenset())
        shape = rows, len(report.inputs[name].values)
        typed = _typed(values, report.problem.dtype)
        found.append(Matrix(name, array.shape, shape, positions, typed))
    return found


def _entries(array: Array[Number | None], pattern: frozenset[int]) -> tuple[Any, Any]:
    """The places and numbers that are not +0.0, and those of the pattern."""
    listed = {k: numpy.nan if value is None else value for k, value in array.listed()}
    # -0.0 has its sign in the text alone
    chosen = {k for k, value in listed.items() if value != 0 or str(value).startswith(("-", "(-"))}
    positions = sorted(chosen | pattern)
    return numpy.array(positions, dtype=int), numpy.array(
        [listed.get(k, 0.0) for k in positions], dtype=_widest(listed.values())
    )


def _widest(values: Any) -> Any:
    return complex if any(isinstance(value, complex) for value in values) else float


def _typed(values: Any, dtype: str) -> Any:
    """In the dtype of the problem where it holds every number; NumPy has no bfloat16."""
    name = {"bfloat16": "float32"}.get(dtype, dtype)
    with numpy.errstate(all="ignore"):
        typed = values.astype(name) if name.startswith("complex") else values.real.astype(name)
    same = numpy.array_equal(typed.astype(complex), values.astype(complex), equal_nan=True)
    return typed if same else values
