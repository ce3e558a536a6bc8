"""The rows of the families that work element by element."""

from vjp_cli.ops import (
    activations,
    arithmetic,
    class_losses,
    comparisons,
    elementary,
    losses,
    rounding,
    selection,
    special,
)
from vjp_cli.ops.table import Op

MODULES = (
    arithmetic,
    elementary,
    special,
    selection,
    activations,
    rounding,
    comparisons,
    losses,
    class_losses,
)
ROWS: tuple[Op, ...] = tuple(op for module in MODULES for op in module.ROWS)
