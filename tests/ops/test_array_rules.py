"""The rules of array rows on real tensors, against results written by hand."""

from math import inf, nan
from typing import Any

import pytest
import torch

from tests.ops.interpreter import EVERY_ROW
from vjp_cli.tracing.tracer import Untraceable


def rule(name: str) -> Any:
    (op,) = (op for op in EVERY_ROW if op.name == name)
    return op.rule


def positions(*shape: int) -> torch.Tensor:
    count = torch.Size(shape).numel()
    return torch.arange(1, count + 1).reshape(shape)


def test_segments_of_sums() -> None:
    x = positions(2, 3)  # [[1, 2, 3], [4, 5, 6]]
    assert rule("sum")(x, 0).tolist() == [[1, 4], [2, 5], [3, 6]]
    assert rule("sum")(x, 1, True).tolist() == [[[1, 2, 3]], [[4, 5, 6]]]
    assert rule("sum")(positions(0, 3), 0).shape == (3, 0)
    assert rule("trace")(x).tolist() == [1, 5]
    assert rule("cumsum")(x, 1)[1].tolist() == [[4, 0, 0], [4, 5, 0], [4, 5, 6]]


def test_segments_of_writing_to_one_place_twice() -> None:
    values = torch.tensor([4, 5, 6])
    places = (torch.tensor([1, 0, 1]),)
    added = rule("index_put")(positions(3), places, values, accumulate=True)
    assert added.tolist() == [[1, 5, 0], [2, 4, 6], [3, 0, 0]]


def test_ties_take_the_place_that_torch_takes() -> None:
    x = torch.tensor([1.0, 3.0, 3.0, 2.0])
    assert rule("max")(x, 0).indices.tolist() == 1
    assert rule("cummax")(x, 0).indices.tolist() == [0, 1, 2, 2]
    assert rule("cummin")(x, 0).indices.tolist() == [0, 0, 0, 0]
    assert rule("sort")(x, descending=True).indices.tolist() == [1, 2, 3, 0]


def test_padding_takes_the_elements_that_the_mode_names() -> None:
    x = positions(1, 3)
    padded = {mode: rule("pad")(x, (2, 1), mode).tolist() for mode in ("reflect", "circular")}
    assert padded == {"reflect": [[3, 2, 1, 2, 3, 2]], "circular": [[2, 3, 1, 2, 3, 1]]}
    assert rule("pad")(x, (2, 1), "replicate").tolist() == [[1, 1, 1, 2, 3, 3]]
    assert rule("pad")(x, (1, -2), value=7).tolist() == [[7, 1]]


def test_quantiles_half_way_between_two_elements() -> None:
    x = torch.tensor([40.0, 10.0, 20.0, 30.0], dtype=torch.float64)  # the rank of 0.5 is 1.5
    expected = {"linear": 25, "lower": 20, "higher": 30, "midpoint": 25, "nearest": 30}
    for mode, value in expected.items():
        assert float(rule("quantile")(x, 0.5, interpolation=mode)) == value


def test_medians_and_quantiles_of_the_numbers_alone() -> None:
    x = torch.tensor([[nan, 3.0, 1.0, 2.0], [nan, nan, 7.0, nan], [nan] * 4], dtype=torch.float64)
    found = rule("nanmedian")(x, 1)
    assert found.values[:2].tolist() == [2.0, 7.0]
    assert found.indices[:2].tolist() == [3, 2]
    assert float(rule("nanmedian")(x)) == 2.0
    quartiles = rule("nanquantile")(x, torch.tensor([0.25, 1.0]).double(), 1)
    assert quartiles[:, :2].tolist() == [[1.5, 7.0], [3.0, 7.0]]
    assert bool(found.values[2].isnan())
    assert bool(quartiles[:, 2].isnan().all())


def test_a_covariance_with_weights() -> None:
    x = torch.tensor([[1.0, 3.0], [2.0, 8.0]], dtype=torch.float64)
    assert rule("cov")(x).tolist() == [[2, 6], [6, 18]]
    # the means of 1, 1, 1, 3 and of 2, 2, 2, 8 are 1.5 and 3.5
    often = rule("cov")(x, fweights=torch.tensor([3, 1]))
    assert often.tolist() == [[1, 3], [3, 9]]
    assert float(rule("cov")(x[0], correction=0)) == 1.0
    # perfect correlation, whatever the spread
    torch.testing.assert_close(rule("corrcoef")(x), torch.ones(2, 2).double())
    assert rule("corrcoef")(x[0]).shape == ()


def test_only_lines_that_are_too_long_are_shortened() -> None:
    x = torch.tensor([[3.0, 4.0], [0.3, 0.4]], dtype=torch.float64)
    expected = torch.tensor([[0.6, 0.8], [0.3, 0.4]], dtype=torch.float64)
    torch.testing.assert_close(rule("renorm")(x, 2, 0, 1.0), expected, rtol=1e-7, atol=0)


def test_a_query_from_which_all_is_hidden_gets_nothing() -> None:
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=torch.float64)
    attend = rule("scaled_dot_product_attention")
    shown = torch.tensor([[False, False], [False, True]])
    assert attend(x, x, x, shown).tolist() == [[0, 0, 0], [4, 5, 6]]
    assert attend(x, x, x, torch.where(shown, 0.0, -inf)).tolist() == [[0, 0, 0], [4, 5, 6]]
    assert attend(x, x, x, is_causal=True)[0].tolist() == [1, 2, 3]
    # equal scores: the mean of the values
    assert attend(0 * x, x, x)[0].tolist() == [2.5, 3.5, 4.5]


def test_attention_that_draws_at_random_is_refused() -> None:
    x = torch.ones(2, 3)
    with pytest.raises(Untraceable, match="random numbers of dropout_p"):
        rule("scaled_dot_product_attention")(x, x, x, dropout_p=0.5)


def test_a_layer_with_a_variance_of_four() -> None:
    x = torch.tensor([[1.0, 5.0], [-2.0, 2.0]], dtype=torch.float64)
    assert rule("layer_norm")(x, (2,), eps=0.0).tolist() == [[-1, 1], [-1, 1]]


def test_what_needs_singular_values_or_an_inverse() -> None:
    x = torch.tensor([[3.0, 0.0, 0.0], [0.0, -4.0, 0.0]], dtype=torch.float64)
    norms = [float(rule("linalg.matrix_norm")(x, order)) for order in ("nuc", 2, -2)]
    torch.testing.assert_close(norms, [7.0, 4.0, 3.0])
    assert rule("linalg.matrix_norm")(x, 2, keepdim=True).shape == (1, 1)
    inverse = rule("matrix_power")(torch.tensor([[2.0, 0.0], [1.0, 1.0]]), -2)
    torch.testing.assert_close(inverse, torch.tensor([[0.25, 0.0], [-0.75, 1.0]]))


def test_norms_at_zero() -> None:
    x = torch.zeros(2, dtype=torch.float64)
    assert [float(rule("linalg.vector_norm")(x, p)) for p in (0, 1, 2, 3, -1)] == [0.0] * 5


def test_products_of_zeros_need_no_division() -> None:
    x = torch.tensor([0.0, 3.0, 0.0, 5.0, 7.0], dtype=torch.float64)
    assert float(rule("prod")(x)) == 0.0
    assert rule("cumprod")(x[1:], 0).tolist() == [3.0, 0.0, 0.0, 0.0]


def test_complex_norms_and_variances_are_real() -> None:
    z = torch.tensor([3.0 + 4.0j, 0.0])
    assert float(rule("norm")(z)) == 5.0
    assert float(rule("var")(z)) == 12.5
