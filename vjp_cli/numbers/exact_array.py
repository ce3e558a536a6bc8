"""An array of exact numbers, as evaluations without a formula take and give it."""

from dataclasses import dataclass

from vjp_cli.numbers.scalar import Number


@dataclass(frozen=True)
class ExactArray:
    """``numbers`` in row-major order under a ``shape``."""

    shape: tuple[int, ...]
    numbers: tuple[Number, ...]
