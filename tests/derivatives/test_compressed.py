"""The compressed Jacobian equals the dense one, with as many products as there are colours."""

from collections.abc import Callable

import numpy
import pytest
import torch
from torch import Tensor

from vjp_cli.derivatives.compressed import Compressed, compressed_jacobians
from vjp_cli.derivatives.dense import dense_jacobian


def point(*shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(len(shape))
    return torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_()


def compressed_jacobian(
    output: Tensor, x: Tensor, pattern: tuple[numpy.ndarray, numpy.ndarray]
) -> tuple[Compressed | None, int]:
    [found], made = compressed_jacobians(output, [x], [pattern])
    return found, made


def compressed(output: Tensor, x: Tensor, rows: numpy.ndarray, columns: numpy.ndarray) -> Tensor:
    """J from the pattern alone, as a dense tensor."""
    found, made = compressed_jacobian(output, x, (rows, columns))
    assert found is not None
    assert made == max(found.plan.colours, int(output.numel() > 0))
    assert not len(found.stray())
    return found.dense()


CASES: dict[str, tuple[Callable[[Tensor], Tensor], tuple[int, ...]]] = {
    "elements": (lambda x: torch.sin(x) * x, (40,)),
    "one-sided": (lambda x: (x[1:] - x[:-1]) ** 2, (41,)),
    "stencil": (lambda x: x[1:-1] * (x[2:] - 2 * x[1:-1] + x[:-2]), (60,)),
    "grid": (lambda x: x[1:-1, 1:-1] ** 2 + x[2:, 1:-1] * x[1:-1, :-2], (9, 7)),
    "blocks": (lambda x: torch.softmax(x, 1), (12, 5)),
    "arrow": (lambda x: torch.cat([x.square().sum().reshape(1), x[1:] * x[0] ** 2]), (50,)),
    "dense column": (lambda x: x[1:].exp() * x[0], (50,)),
    "linear arrow": (lambda x: torch.cat([x.sum().reshape(1), 2 * x[1:] + x[0]]), (50,)),
    "empty rows": (lambda x: torch.cat([x[:3], torch.zeros(5, dtype=x.dtype)]), (6,)),
    "scalar": (lambda x: x.square().sum(), (20,)),
    "no rows": (lambda x: x[:0], (4,)),
}


@pytest.mark.parametrize("name", CASES)
def test_equals_the_dense_one(name: str) -> None:
    function, shape = CASES[name]
    x = point(*shape)
    output = function(x)
    [dense] = dense_jacobian(output, [x]).parts
    assert dense is not None
    rows, columns = numpy.nonzero(dense.numpy())
    torch.testing.assert_close(compressed(output, x, rows, columns), dense, rtol=1e-15, atol=0)


@pytest.mark.parametrize("seed", range(10))
def test_random_maps(seed: int) -> None:
    draw = numpy.random.default_rng(seed)
    weights = torch.from_numpy(draw.random((23, 31)) * (draw.random((23, 31)) < 0.15))
    x = point(31)
    rows, columns = numpy.nonzero(weights.numpy())
    assert torch.equal(compressed(weights @ x, x, rows, columns), weights)


def test_a_wide_stencil_takes_three_products() -> None:
    x = point(10_002)
    rows = numpy.repeat(numpy.arange(10_000), 3)
    columns = rows + numpy.tile(numpy.arange(3), 10_000)
    output = x[1:-1] * (x[2:] - 2 * x[1:-1] + x[:-2])
    found, made = compressed_jacobian(output, x, (rows, columns))
    assert made == 3
    assert found is not None
    values = found.numbers.reshape(-1, 3)
    point_ = x.detach()
    middle = point_[2:] - 4 * point_[1:-1] + point_[:-2]
    expected = torch.stack([point_[1:-1], middle, point_[1:-1]], 1)
    torch.testing.assert_close(values, expected, rtol=1e-14, atol=1e-15)


def test_no_path_gives_no_matrix() -> None:
    x, other = point(3), point(4)
    assert compressed_jacobian(x * 2, other, (numpy.arange(3), numpy.arange(3)))[0] is None


def test_one_product_looks_at_an_empty_pattern() -> None:
    x, nothing = point(4), numpy.zeros(0, dtype=int)
    assert compressed_jacobian(x * 0, x, (nothing, nothing))[0].stray().tolist() == []
    assert compressed_jacobian(x[:3] * 2, x, (nothing, nothing))[0].stray().tolist() == [0, 1, 2]


def test_a_stray_number_has_its_column() -> None:
    x = point(5)
    output = 3 * x + torch.cat([x[3:4], torch.zeros(4, dtype=x.dtype)])
    pattern = numpy.array([0, 1, 2, 4])
    found, _ = compressed_jacobian(output, x, (pattern, pattern))
    assert found is not None
    assert found.stray().tolist() == [3]
    assert found.at(numpy.array([0, 0, 1]), numpy.array([3, 1, 1])).tolist() == [1, 0, 3]


def diagonal(count: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    return numpy.arange(count), numpy.arange(count)


def test_inputs_share_their_products() -> None:
    a, b, unused = point(30), point(30) * 2, point(4)
    b = b.detach().requires_grad_()
    nothing = numpy.zeros(0, dtype=int)
    patterns = [diagonal(30), diagonal(30), (nothing, nothing)]
    found, made = compressed_jacobians(a * b.exp(), [a, b, unused], patterns)
    assert made == 1
    assert found[2] is None
    torch.testing.assert_close(found[0].dense(), torch.diag(b.exp()).detach(), rtol=0, atol=0)
    torch.testing.assert_close(found[1].dense(), torch.diag(a * b.exp()).detach())
    assert not len(found[0].stray())


def test_inputs_stay_apart_where_that_takes_less() -> None:
    """∂y/∂b is one full column: a JVP of its own, while all rows of it mix in a cotangent."""
    a, b = point(30), point(1)
    everything = (numpy.arange(30), numpy.zeros(30, dtype=int))
    found, made = compressed_jacobians(a**2 * b, [a, b], [diagonal(30), everything])
    assert made == 2
    assert [matrix.plan.tangents for matrix in found] == [0, 1]
    torch.testing.assert_close(found[1].dense(), (a**2)[:, None].detach())


def test_a_shared_product_shows_what_is_stray_in_each_input() -> None:
    a, b = point(3), point(4)
    output = a * 2 + b[:3] * 5
    found, made = compressed_jacobians(output, [a, b], [diagonal(3), (numpy.arange(2),) * 2])
    assert made == 1
    assert found[0].stray().tolist() == []
    assert found[1].stray().tolist() == [2]
