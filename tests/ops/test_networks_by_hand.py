"""The rows of networks on small numbers, against results worked out by hand."""

from math import inf, log
from typing import Any

import pytest
import torch

from tests.ops.interpreter import EVERY_ROW
from vjp_cli.errors import VjpError
from vjp_cli.expression import parse
from vjp_cli.inspection import inspect
from vjp_cli.report import Report, TruthKind, Verdict
from vjp_cli.request import Request
from vjp_cli.settings import Settings
from vjp_cli.tracing.tracer import Untraceable
from vjp_cli.values import parse_value


def rule(name: str) -> Any:
    (op,) = (op for op in EVERY_ROW if op.name == name)
    return op.rule


def line(*numbers: float) -> torch.Tensor:
    """One signal of one channel."""
    return torch.tensor(numbers, dtype=torch.float64).reshape(1, 1, -1)


def report(expression: str, **inputs: str) -> Report:
    values = {name: parse_value(text, f"--{name}") for name, text in inputs.items()}
    return inspect(Request(parse(expression), values), Settings())


def test_a_convolution_slides_its_kernel_without_turning_it() -> None:
    x, w = line(1, 2, 4, 8), line(1, 10)
    conv = rule("conv1d")
    assert conv(x, w).tolist() == [[[21, 42, 84]]]
    # the odd element of the padding stands behind
    assert conv(x, w, padding="same").tolist() == [[[21, 42, 84, 8]]]
    assert conv(x, w, padding=1, stride=2).tolist() == [[[10, 42, 8]]]
    assert conv(x, w, dilation=3).tolist() == [[[81]]]
    assert conv(x[0], w, torch.tensor([0.5], dtype=torch.float64)).tolist() == [[21.5, 42.5, 84.5]]


def test_a_transposed_convolution_lays_the_kernel_at_each_element() -> None:
    x, w = line(1, 2), line(1, 10, 100)
    transpose = rule("conv_transpose1d")
    assert transpose(x, w).tolist() == [[[1, 12, 120, 200]]]
    assert transpose(x, w, stride=2).tolist() == [[[1, 10, 102, 20, 200]]]
    assert transpose(x, w, stride=2, padding=1, output_padding=1).tolist() == [[[10, 102, 20, 200]]]


def test_groups_keep_their_channels_apart() -> None:
    x = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]], dtype=torch.float64)
    w = torch.tensor([[[10.0]], [[100.0]]], dtype=torch.float64)
    assert rule("conv1d")(x, w, groups=2).tolist() == [[[10, 20], [300, 400]]]


def test_blocks_that_overlap_add_up() -> None:
    blocks = torch.tensor([[[1.0, 2.0], [10.0, 20.0]]], dtype=torch.float64)
    assert rule("fold")(blocks, (1, 3), (1, 2)).tolist() == [[[[1, 12, 20]]]]


def test_means_count_the_padding_or_not() -> None:
    x = line(2, 4, 6)
    pool = rule("avg_pool1d")
    assert pool(x, 2, 2, 1).tolist() == [[[1, 5]]]
    assert pool(x, 2, 2, 1, count_include_pad=False).tolist() == [[[2, 5]]]
    assert pool(x, 2, ceil_mode=True).tolist() == [[[3, 6]]]
    assert rule("adaptive_avg_pool1d")(x, 2).tolist() == [[[3, 5]]]


def test_a_largest_element_says_where_it_stood() -> None:
    x = torch.tensor([[[[1.0, 5.0, 2.0], [7.0, 0.0, -3.0]]]], dtype=torch.float64)
    values, indices = rule("max_pool2d")(x, (2, 1), return_indices=True)
    assert (values.tolist(), indices.tolist()) == ([[[[7, 5, 2]]]], [[[[3, 1, 2]]]])
    # padding is never the largest
    assert rule("max_pool2d")(-x[0] - 9, 2, padding=1).tolist() == [[[-10, -11], [-16, -6]]]


def test_interpolation_between_two_elements() -> None:
    x = line(0, 8)
    resize = rule("interpolate")
    assert resize(x, 4, mode="linear").tolist() == [[[0, 2, 6, 8]]]
    assert resize(x, 5, mode="linear", align_corners=True).tolist() == [[[0, 2, 4, 6, 8]]]
    assert resize(x, 4).tolist() == [[[0, 0, 8, 8]]]
    with pytest.raises(Untraceable, match="antialias"):
        resize(x, 4, mode="linear", antialias=True)


def test_coordinates_outside_an_image() -> None:
    image = torch.tensor([[[[1.0, 3.0]]]], dtype=torch.float64)
    # pixels -1/4 and 7/4 of two
    grid = torch.tensor([[[[-0.75, 0.0], [1.25, 0.0]]]], dtype=torch.float64)
    sample = rule("grid_sample")
    assert sample(image, grid).flatten().tolist() == [0.75, 0.75]
    assert sample(image, grid, padding_mode="border").flatten().tolist() == [1, 3]
    assert sample(image, grid, "nearest").flatten().tolist() == [1, 0]
    aligned = sample(image, 2 * grid, padding_mode="reflection", align_corners=True)
    # pixels -1/4 and 7/4 again, mirrored at the centres: 1/4 and 1/4
    assert aligned.flatten().tolist() == [1.5, 1.5]


def test_a_target_with_two_alignments() -> None:
    chances = torch.tensor([[[0.5, 0.25, 0.25]], [[0.25, 0.5, 0.25]]], dtype=torch.float64)
    loss = rule("ctc_loss")
    target = torch.tensor([[1]])
    # blank-label 1/4, label-label 1/8, label-blank 1/16
    value = loss(chances.log(), target, torch.tensor([2]), torch.tensor([1]), reduction="sum")
    torch.testing.assert_close(float(value), -log(7 / 16))
    # two equal labels need three steps
    impossible = (chances.log(), torch.tensor([[1, 1]]), (2,), (2,), 0, "none")
    assert loss(*impossible).tolist() == [inf]
    assert loss(*impossible, zero_infinity=True).tolist() == [0]


def test_reductions_of_one_place() -> None:
    x, values = torch.tensor([2.0, 5.0, 7.0]), torch.tensor([3.0, 4.0, 1.0])
    index = torch.tensor([0, 0, 1])
    reduce = rule("scatter_reduce")
    assert reduce(x, 0, index, values, "sum").tolist() == [9, 6, 7]
    assert reduce(x, 0, index, values, "prod", include_self=False).tolist() == [12, 1, 7]
    assert reduce(x, 0, index, values, "mean").tolist() == [3, 3, 7]
    assert reduce(x, 0, index, values, "amax").tolist() == [4, 5, 7]
    assert reduce(x, 0, index, values, "amin", include_self=False).tolist() == [3, 1, 7]
    assert float(reduce(x[0], 0, index[0], values[0], "sum")) == 5


def test_a_spectrum_of_three_frequencies() -> None:
    x = torch.tensor([4.0, 1.0, 2.0], dtype=torch.float64)
    # (4 + 2·cos(kπ/2) + 2·cos(kπ))/4 for k = 0, 1, 2, 3
    assert rule("irfft")(x).tolist() == [2, 0.5, 1, 0.5]
    assert rule("irfft")(x, norm="ortho").tolist() == [4, 1, 2, 1]
    assert rule("hfft")(x).tolist() == [8, 2, 4, 2]


def test_margins_that_are_met_and_missed() -> None:
    scores = torch.tensor([[1.0, 0.5, 3.0]], dtype=torch.float64)
    # (1 - 1 + 1/2 + 1 - 1 + 3)/3
    assert float(rule("multi_margin_loss")(scores, torch.tensor([0]))) == 3.5 / 3
    # labels 2 and 0 against class 1: 1 - 3 + 1/2 is met, 1 - 1 + 1/2 is not
    labels = torch.tensor([[2, 0, -1]])
    torch.testing.assert_close(float(rule("multilabel_margin_loss")(scores, labels)), 0.5 / 3)
    a, b, c = (torch.tensor([[value, 0.0]]) for value in (0.0, 3.0, 2.5))
    assert float(rule("triplet_margin_loss")(a, b, c, eps=0.0)) == 1.5
    right = rule("cosine_embedding_loss")(b, b + 3, torch.tensor([1]))
    # (3, 0) and (6, 3): the cosine is 18/(3·√45)
    torch.testing.assert_close(float(right), 1 - 2 / 5**0.5, atol=1e-6, rtol=0)


def test_likelihoods() -> None:
    zero, two = torch.tensor([0.0]), torch.tensor([2.0])
    assert float(rule("poisson_nll_loss")(zero, two)) == 1
    gaussian = rule("gaussian_nll_loss")(two, zero, torch.tensor([4.0]))
    torch.testing.assert_close(float(gaussian), log(4) / 2 + 0.5)
    assert float(rule("gaussian_nll_loss")(two, zero, zero, eps=1.0)) == 2


def test_random_numbers_are_refused() -> None:
    x = torch.tensor([-2.0, 4.0])
    assert rule("dropout")(x, 0.0).tolist() == [-2, 4]
    assert rule("dropout")(x, 1.0).tolist() == [0, 0]
    assert rule("rrelu")(x, 0.25, 0.75).tolist() == [-1, 4]
    for call in (lambda: rule("dropout")(x), lambda: rule("rrelu")(x, training=True)):
        with pytest.raises(Untraceable, match="random"):
            call()


def test_a_random_program_says_what_was_not_checked() -> None:
    found = report("dropout(x, 0.5)", x="1,2,3")
    assert any("random numbers of dropout" in note for note in found.notes)


def test_ties_in_a_pool_are_kinks() -> None:
    found = report("max_pool1d(x, 2)", x="[[[1, 1, 2, 5]]]")
    assert found.verdict is Verdict.KINK
    verdicts = found.judged_jacobian.verdicts["x"].values
    # a row for each window; only the first window's two elements are tied
    kinks = [k for k, verdict in enumerate(verdicts) if verdict is Verdict.KINK]
    assert kinks == [0, 1]


def test_the_slopes_at_the_border_of_an_image() -> None:
    found = report(
        "grid_sample(tensor([[[[0., 1., 4.]]]], dtype=torch.float64),"
        " stack((x, 0*x), -1).reshape(1, 1, 1, 2), padding_mode='border', align_corners=True)"
        ".reshape(())",
        x="1",
    )
    truth = found.judged_jacobian.truth["x"].values[0]
    assert found.verdict is Verdict.KINK
    assert truth.kind is TruthKind.SLOPES
    assert (float(truth.left), float(truth.right)) == (3, 0)


def test_a_loss_whose_derivative_is_that_of_its_logits() -> None:
    call = "ctc_loss(x, tensor([[1]]), tensor([2]), tensor([1]), reduction='sum')"
    chances = [[[log(0.5), log(0.3), log(0.2)]], [[log(0.4), log(0.4), log(0.2)]]]
    found = report(call, x=str(chances))
    assert found.verdict is Verdict.BY_DESIGN
    truth = [float(number.value) for number in found.judged_jacobian.truth["x"].values]
    # of 0.2 + 0.12 + 0.12 = 0.44: blank-label, label-label, label-blank
    expected = [-0.2 / 0.44, -0.24 / 0.44, 0, -0.12 / 0.44, -0.32 / 0.44, 0]
    assert truth == pytest.approx(expected, rel=1e-12, abs=1e-15)
    # also where the probabilities do not add up to 1
    assert report(call, x="[[[-1, -2, -1]], [[-3, 0, 1]]]").verdict is Verdict.BY_DESIGN


def test_rows_of_a_table_without_a_derivative() -> None:
    found = report("embedding(j, w, padding_idx=1)", j="int64:0,1", w="1,2;3,4;5,6")
    assert found.verdict is Verdict.BY_DESIGN
    frequent = report("embedding(j, w, scale_grad_by_freq=True)", j="int64:0,0", w="1,2;3,4")
    assert frequent.verdict is Verdict.BY_DESIGN


def test_a_window_that_does_not_fit_is_an_error_of_torch() -> None:
    with pytest.raises(VjpError):
        report("conv1d(x, w)", x="[[[1, 2]]]", w="[[[1, 2, 3]]]")


def test_the_bound_on_a_variance_carries_no_derivative_in_torch() -> None:
    found = report("gaussian_nll_loss(x, 0*x, v2, eps=0.5)", x="2,3", v2="0.25,4")
    # beyond the bound the truth is 0; torch has that of 1/2·(1/0.5 - 4/0.25)/2
    assert found.verdict is Verdict.BY_DESIGN
    truth = [float(number.value) for number in found.judged_jacobian.truth["v2"].values]
    assert truth == pytest.approx([0, (1 / 4 - 9 / 16) / 4], rel=1e-12)
