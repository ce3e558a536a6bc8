"""Values of composite rows that torch's kernel is not asked for: edges, steps, older switches."""

import math
from typing import Any

import pytest
import torch

from tests.ops.element_rows import ROWS
from vjp_cli.ops.table import Op


def row(name: str) -> Op:
    return next(op for op in ROWS if name in op.names)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("round", [0.5, 1.5, 2.5, -0.5, -1.5, -2.5], [0.0, 2.0, 2.0, 0.0, -2.0, -2.0]),
        ("frac", [1.75, -1.75, 0.0], [0.75, -0.75, 0.0]),
        ("hardsigmoid", [-3.5, -1.5, 0.0, 4.0], [0.0, 0.25, 0.5, 1.0]),
        ("hardshrink", [-0.75, -0.5, 0.5, 2.0], [-0.75, 0.0, 0.0, 2.0]),
        ("softshrink", [-0.75, -0.25, 0.5, 2.0], [-0.25, 0.0, 0.0, 1.5]),
        ("entr", [0.0, 1.0, -1.0], [0.0, 0.0, -math.inf]),
        ("relu", [-1.0, 0.0, 2.0], [0.0, 0.0, 2.0]),
    ],
)
def test_composite_by_hand(name: str, value: list[float], expected: list[float]) -> None:
    result = row(name).rule(torch.tensor(value, dtype=torch.float64))
    torch.testing.assert_close(result, torch.tensor(expected, dtype=torch.float64))


@pytest.mark.parametrize(
    ("size_average", "reduce", "expected"),
    [
        (None, False, [1.0, 4.0]),
        (False, None, 5.0),
        (True, None, 2.5),
        (False, True, 5.0),
        (None, True, 2.5),
        (True, False, [1.0, 4.0]),
    ],
)
def test_older_switches_of_a_loss(
    size_average: bool | None, reduce: bool | None, expected: Any
) -> None:
    target = torch.tensor([1.0, 3.0], dtype=torch.float64)
    loss = row("mse_loss").rule(
        torch.tensor([2.0, 5.0], dtype=torch.float64), target, size_average, reduce
    )
    torch.testing.assert_close(loss, torch.tensor(expected, dtype=torch.float64))


def test_weighted_losses_divide_as_torch_does() -> None:
    x, y, w = (torch.tensor(v, dtype=torch.float64) for v in ([2.0, 5.0], [1.0, 3.0], [1.0, 3.0]))
    # (1·1 + 3·4)/4, (1·1 + 3·2)/4, and for Huber the mean of 1·½ and 3·1½
    assert row("mse_loss").rule(x, y, weight=w).item() == 3.25
    assert row("l1_loss").rule(x, y, weight=w).item() == 1.75
    assert row("huber_loss").rule(x, y, weight=w).item() == 2.5
