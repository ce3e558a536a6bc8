"""Which row a torch function is: from function objects to rows of the operation table.

One operation is reached by several functions: ``tensor + tracer`` arrives as ``torch.Tensor.add``,
``torch.add(tensor, tracer)`` as ``torch.add``, a method as ``torch.Tensor.…``.
"""

from functools import lru_cache
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.catalog import ROWS
from vjp_cli.ops.table import Op

# Python's operators on a real tensor with a tracer at the other side; True: operands are swapped.
_OPERATORS = {
    "__add__": ("add", False),
    "__radd__": ("add", True),
    "__sub__": ("sub", False),
    "__rsub__": ("sub", True),
    "__mul__": ("mul", False),
    "__rmul__": ("mul", True),
    "__truediv__": ("div", False),
    "__rtruediv__": ("div", True),
    "__rdiv__": ("div", True),
    "__floordiv__": ("floor_divide", False),
    "__rfloordiv__": ("floor_divide", True),
    "__mod__": ("remainder", False),
    "__rmod__": ("remainder", True),
    "__pow__": ("pow", False),
    "__rpow__": ("pow", True),
    "__matmul__": ("matmul", False),
    "__rmatmul__": ("matmul", True),
    "__neg__": ("neg", False),
    "__abs__": ("abs", False),
    "__lt__": ("lt", False),
    "__le__": ("le", False),
    "__gt__": ("gt", False),
    "__ge__": ("ge", False),
    "__eq__": ("eq", False),
    "__ne__": ("ne", False),
    "rsub": ("sub", True),
}


def torch_function(op: Op) -> Any:
    """The function of torch whose kernel computes the row's numbers.

    Raises:
        AttributeError: this torch has no such function.
    """
    target: Any = torch
    for part in op.torch.split("."):
        target = getattr(target, part)
    return target


@lru_cache(maxsize=1)
def _rows_by_function() -> dict[Any, tuple[Op, bool]]:
    found: dict[Any, tuple[Op, bool]] = {}
    by_name = {name: op for op in ROWS for name in op.names}
    homes = (torch, torch.Tensor, torch.nn.functional, torch.special, torch.linalg)
    for op in ROWS:
        for name in op.names:
            qualified = "." in name
            for home in homes:
                # ``linalg.norm`` is reached through its own path only: torch.norm is another row
                function = None if qualified else getattr(home, name, None)
                if callable(function) and by_name.get(_qualified(home, name), op) is op:
                    found.setdefault(function, (op, False))
        found[torch_function(op)] = (op, False)
    for method, (name, swapped) in _OPERATORS.items():
        function = getattr(torch.Tensor, method, None) or getattr(torch, method, None)
        if function is not None and name in by_name:
            found[function] = (by_name[name], swapped)
    return found


def _qualified(home: Any, name: str) -> str:
    family = getattr(home, "__name__", "").rpartition(".")[2]
    return f"{family}.{name}"


def row(function: Any) -> tuple[Op, bool] | None:
    """The row of a torch function, and whether its two operands arrive swapped."""
    return _rows_by_function().get(function)
