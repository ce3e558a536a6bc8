"""Operations with planted faults: each proves that a check can fail.

A planted operation is a row of the table like any other; its torch side is a custom autograd
function whose backward (or whose SymPy rule) is wrong. Faults of all sizes are in ``wrong_grid``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
import sympy
import torch
from torch.overrides import handle_torch_function, has_torch_function

from vjp_cli import lazy
from vjp_cli.ops import catalog
from vjp_cli.ops.table import Kind, Op
from vjp_cli.tracing import registry

Rule = Callable[..., Any]


def plant(
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    function: Rule,
    rule: Rule,
    kind: Kind = Kind.ELEMENTWISE,
) -> None:
    """Make an operation ``name`` whose torch side is ``function`` and whose meaning is ``rule``."""

    def planted(*args: Any) -> Any:
        if has_torch_function(args):
            return handle_torch_function(planted, args, *args)
        return function(*args)

    op = Op(name, name, kind, rule)
    # the lazy module first: it remembers what it finds in torch
    monkeypatch.setattr(lazy.torch, name, planted, raising=False)
    monkeypatch.setattr(torch, name, planted, raising=False)
    monkeypatch.setitem(catalog._BY_NAME, name, op)
    monkeypatch.setattr(registry, "ROWS", (*registry.ROWS, op))
    registry._rows_by_function.cache_clear()


@pytest.fixture
def planting(monkeypatch: pytest.MonkeyPatch) -> Any:
    """``plant`` for one test; the table is whole again afterwards."""
    yield lambda *args: plant(monkeypatch, *args)
    monkeypatch.undo()
    registry._rows_by_function.cache_clear()


@dataclass(frozen=True)
class WrongOp:
    """A function with a right and a wrong backward.

    Attributes:
        right: (v, *inputs) -> the gradients of the inputs.
        wrong: the same with the fault.
        places: where the findings must be, for the wrong one.
    """

    fault: str
    inputs: Mapping[str, str]
    v: str
    forward: Rule
    right: Rule
    wrong: Rule
    rule: Rule
    places: frozenset[str]
    kind: Kind = Kind.ELEMENTWISE

    @property
    def expression(self) -> str:
        """The call of the planted operation."""
        return f"planted({', '.join(self.inputs)})"

    def function(self, backward: Rule) -> Rule:
        """The custom autograd function, as a function of tensors."""
        forward_rule = self.forward

        class Planted(torch.autograd.Function):
            @staticmethod
            def forward(ctx, *inputs):
                ctx.save_for_backward(*inputs)
                return forward_rule(*inputs)

            @staticmethod
            def backward(ctx, v):
                return backward(v, *ctx.saved_tensors)

        return Planted.apply  # type: ignore[no-any-return]


def _one_entry_off(v: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    gradient = v * torch.cos(x)
    gradient[1] = gradient[1] * (1 + 1e-7)
    return gradient


VECTOR = {"x": "0.5,1.25,-2"}
EVERYWHERE = frozenset(
    {f"jacobian.x[{k},{k}]" for k in range(3)} | {f"vjp.x[{k}]" for k in range(3)}
)
MATRIX = {"k": "1,2;3,4", "x": "5,7"}

WRONG = (
    WrongOp(
        "sign",
        VECTOR,
        "1,10,100",
        torch.sin,
        lambda v, x: v * torch.cos(x),
        lambda v, x: -v * torch.cos(x),
        sympy.sin,
        EVERYWHERE,
    ),
    WrongOp(
        "factor",
        VECTOR,
        "1,10,100",
        lambda x: x**2,
        lambda v, x: 2 * v * x,
        lambda v, x: v * x,
        lambda x: x**2,
        EVERYWHERE,
    ),
    WrongOp(
        "missing term",
        VECTOR,
        "1,10,100",
        lambda x: x * torch.sin(x),
        lambda v, x: v * (torch.sin(x) + x * torch.cos(x)),
        lambda v, x: v * torch.sin(x),
        lambda x: x * sympy.sin(x),
        EVERYWHERE,
    ),
    WrongOp(
        "one entry off by 1e-7",
        VECTOR,
        "1,10,100",
        torch.sin,
        lambda v, x: v * torch.cos(x),
        _one_entry_off,
        sympy.sin,
        frozenset({"jacobian.x[1,1]", "vjp.x[1]"}),
    ),
    WrongOp(
        "transposed",
        MATRIX,
        "1,10",
        lambda k, x: k @ x,
        lambda v, k, x: (torch.outer(v, x), k.T @ v),
        lambda v, k, x: (torch.outer(v, x), k @ v),
        lambda k, x: k @ x,
        frozenset({"jacobian.x[0,1]", "jacobian.x[1,0]", "vjp.x[0]", "vjp.x[1]"}),
        Kind.COMPOSITE,
    ),
    WrongOp(
        "outer product the wrong way round",
        MATRIX,
        "1,10",
        lambda k, x: k @ x,
        lambda v, k, x: (torch.outer(v, x), k.T @ v),
        lambda v, k, x: (torch.outer(x, v), k.T @ v),
        lambda k, x: k @ x,
        frozenset(
            {
                *(
                    "jacobian.k[0,0,1]",
                    "jacobian.k[0,1,0]",
                    "jacobian.k[1,0,1]",
                    "jacobian.k[1,1,0]",
                ),
                *("vjp.k[0,1]", "vjp.k[1,0]"),
            }
        ),
        Kind.COMPOSITE,
    ),
    WrongOp(
        "a number where the derivative is 0",
        {"x": "0.5,1.25,-2"},
        "1,10,100",
        lambda x: x * 2,
        lambda v, x: 2 * v,
        lambda v, x: 2 * v + torch.roll(v, 1, 0) * 1e-3,
        lambda x: x * 2,
        frozenset({"jacobian.x[2,0]", "jacobian.x[0,1]", "jacobian.x[1,2]"})
        | {f"vjp.x[{k}]" for k in range(3)},
    ),
)
