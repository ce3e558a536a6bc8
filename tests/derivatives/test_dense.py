"""The dense Jacobian by loop and by batches, and the whole of torch's side."""

import pytest
import torch
from torch import Tensor

from tests.derivatives.test_seeding import Broken
from vjp_cli.derivatives import dense
from vjp_cli.derivatives.dense import dense_jacobian
from vjp_cli.derivatives.evaluation import Wanted, evaluate
from vjp_cli.derivatives.graph import traits
from vjp_cli.errors import EvaluationError, InputError


def leaf(*shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_()


def parts(output: Tensor, inputs: list[Tensor]) -> list[Tensor | None]:
    return dense_jacobian(output, inputs).parts


def test_rows_are_outputs_and_columns_are_elements() -> None:
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    [found] = parts(torch.stack([x[0] * x[1], x[0], 7 * x[1]]), [x])
    assert found.tolist() == [[3, 2], [1, 0], [0, 7]]


@pytest.mark.parametrize("rows", [1, 2, 31, 32, 33, 64, 65, 130])
def test_loop_and_batches_agree(rows: int) -> None:
    x, unused = leaf(3), leaf(2, 2)
    weights = leaf(rows, 3).detach()
    output = torch.sin(weights @ x) * x[0]
    by_loop = dense._by_loop(output, [x, unused])
    by_batches = dense._by_batches(output, [x, unused], traits(output))
    expected = torch.cos(weights @ x)[:, None] * weights * x[0]
    expected[:, 0] += torch.sin(weights @ x)
    for found in (by_loop.parts, by_batches.parts, parts(output, [x, unused])):
        torch.testing.assert_close(found[0], expected, rtol=1e-14, atol=1e-15)
        assert found[1] is None


@pytest.mark.parametrize("rows", [3, 40])
def test_outputs_need_not_be_contiguous(rows: int) -> None:
    x = leaf(2, rows)
    [found] = parts(3 * x.T, [x])
    positions = torch.arange(2 * rows).reshape(2, rows).T.reshape(-1)
    expected = torch.zeros(2 * rows, 2 * rows, dtype=torch.float64)
    expected[torch.arange(2 * rows), positions] = 3
    assert torch.equal(found, expected)


def test_sizes_of_zero() -> None:
    x, empty = leaf(3), leaf(0)
    assert [part.shape for part in parts(x[:0], [x, empty])] == [(0, 3), (0, 0)]
    assert [part.shape for part in parts(x + empty.sum(), [x, empty])] == [(3, 3), (3, 0)]


@pytest.mark.parametrize("rows", [2, 10, 32, 33])
def test_small_ones_are_bit_for_bit_those_of_plain_backward_passes(rows: int) -> None:
    x = leaf(rows, 3)
    output = (torch.softmax(x * torch.sin(x), 1)[:, 0] - x.flip(0)[:, 1] / 3).exp()
    [found] = parts(output, [x])
    for row in range(rows):
        [plain] = torch.autograd.grad(output[row], x, retain_graph=True)
        assert torch.equal(found[row], plain.reshape(-1))


def test_a_batch_is_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    x = leaf(10)
    y = torch.sin(x) * x
    calls = 0
    grad = torch.autograd.grad

    def counted(*args, **kwargs):
        nonlocal calls
        calls += 1
        return grad(*args, **kwargs)

    monkeypatch.setattr(torch.autograd, "grad", counted)
    assert dense_jacobian(y, [x]).passes == 10
    assert calls == 1
    # a backward in Python, and formulas that torch has twice, are asked row by row
    dense_jacobian(Counted.apply(y), [x])
    assert calls == 1 + 10
    dense_jacobian(y.cumprod(0), [x])
    assert calls == 1 + 20
    # NaN and infinity too are those of a plain backward pass
    zero = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    [found] = parts(torch.sqrt(zero), [zero])
    assert calls == 1 + 20 + 1 + 3
    # 0/0 beside the 1/0 on the diagonal
    assert [[str(n) for n in row] for row in found.tolist()] == [
        ["inf" if i == j else "nan" for j in range(3)] for i in range(3)
    ]


def test_products_share_the_matrix() -> None:
    """One product of matrices, and not one of the matrix with each cotangent."""
    weights, x = leaf(40, 40).detach(), leaf(40)
    y = weights @ x
    dense_jacobian(y, [x])
    with torch.profiler.profile() as kept:
        [found] = parts(y, [x])
    names = {event.key: event.count for event in kept.key_averages()}
    assert names.get("aten::mm") == 1
    assert "aten::bmm" not in names
    assert torch.equal(found, weights)


@pytest.mark.parametrize(
    ("columns", "product", "sizes"),
    [
        # 1 MiB of float64, 512 rows of a product, and never fewer than 16
        (1000, False, {131, 83}),
        (1000, True, {512, 488}),
        (20_000, False, {16, 8}),
    ],
)
def test_batches_fit_the_cache(
    columns: int, product: bool, sizes: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    x = leaf(columns)
    rows = min(columns, 1000)
    y = leaf(rows, columns).detach() @ x if product else torch.sin(x[:rows])
    seen = set()
    many = dense.gradients_of_many

    def kept(output, inputs, units):
        seen.add(len(units))
        return many(output, inputs, units)

    monkeypatch.setattr(dense, "gradients_of_many", kept)
    dense_jacobian(y, [x])
    assert seen == sizes


def test_threads_are_given_back() -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(3)
    seen = []

    class Look(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            seen.append(torch.get_num_threads())
            raise RuntimeError("nothing")

    x = leaf(5)
    try:
        with pytest.raises(RuntimeError, match="nothing"):
            dense_jacobian(Look.apply(x), [x])
        assert (seen, torch.get_num_threads()) == ([1], 3)
    finally:
        torch.set_num_threads(threads)


class Doubled(torch.autograd.Function):
    """Has no batching rule."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, cotangent):
        return torch.from_numpy(cotangent.numpy() * 2)


def test_what_cannot_be_batched_goes_through_the_loop() -> None:
    x = leaf(50)
    [found] = parts(Doubled.apply(x), [x])
    assert torch.equal(found, 2 * torch.eye(50, dtype=torch.float64))


def wanted(*names: str, jacobian: bool = True) -> Wanted:
    return Wanted(names, torch.ones_like, jacobian)


INPUTS = {"a": torch.tensor([2.0, 3.0]), "b": torch.tensor([5.0])}


def test_torch_side() -> None:
    side = evaluate(lambda names: names["a"] * names["b"], INPUTS, wanted("b", "a"))
    assert side.wrt == ("b", "a")
    assert side.output.tolist() == [10, 15]
    assert not side.output.requires_grad
    assert side.jacobian is not None
    assert side.vjp is not None
    assert side.jacobian["b"].dense().tolist() == [[2], [3]]
    assert side.jacobian["a"].dense().tolist() == [[5, 0], [0, 5]]
    assert side.vjp["b"] is not None
    assert side.vjp["b"].tolist() == [5]
    assert (side.failure, side.connected) == ("", True)
    # the inputs were copied
    assert not INPUTS["a"].requires_grad


def test_only_what_is_wanted() -> None:
    side = evaluate(lambda names: names["a"] * names["b"], INPUTS, wanted("a", jacobian=False))
    assert side.jacobian is None
    assert list(side.vjp or {}) == ["a"]
    no_v = evaluate(lambda names: names["a"] * 2, INPUTS, Wanted(("a",), lambda y: None, True))
    assert no_v.vjp is None
    assert list(no_v.jacobian or {}) == ["a"]


def test_a_missing_path_is_none_in_vjp() -> None:
    side = evaluate(lambda names: names["a"] * 2, INPUTS, wanted("a", "b"))
    assert side.vjp is not None
    assert side.vjp["b"] is None


def test_a_cut_graph_and_a_failing_backward_are_told() -> None:
    cut = evaluate(lambda names: names["a"].detach() * 2, INPUTS, wanted("a"))
    assert (cut.vjp, cut.jacobian, cut.connected) == (None, None, False)
    assert "does not require grad" in cut.failure
    assert cut.output.tolist() == [4, 6]
    failed = evaluate(lambda names: Broken.apply(names["a"]), INPUTS, wanted("a"))
    assert (failed.vjp, failed.jacobian, failed.failure) == (None, None, "no derivative here")
    assert failed.output.tolist() == [4, 6]


def test_errors_of_the_program_and_of_v_are_the_users() -> None:
    with pytest.raises(EvaluationError, match="not a tensor"):
        evaluate(lambda names: 3, INPUTS, wanted("a"))

    def refuse(output: Tensor) -> Tensor:
        raise InputError("v has another shape")

    with pytest.raises(InputError, match="another shape"):
        evaluate(lambda names: names["a"] * 2, INPUTS, Wanted(("a",), refuse, True))


def test_no_path_is_told_from_zeros() -> None:
    x, cut, zero = leaf(3), leaf(2), leaf(2)
    given = {"x": x.detach(), "cut": cut.detach(), "zero": zero.detach()}
    wanted = Wanted(("x", "cut", "zero"), lambda output: None, jacobian=True)
    side = evaluate(lambda n: n["x"] + n["cut"].detach().sum() + 0 * n["zero"].sum(), given, wanted)
    assert side.cut == {"cut"}
    assert side.jacobian is not None
    for name in ("cut", "zero"):
        assert side.jacobian[name].dense().tolist() == [[0.0, 0.0]] * 3


class Counted(torch.autograd.Function):
    """Counts the calls of its backward."""

    calls = 0

    @staticmethod
    def forward(ctx, x):
        return x * 3

    @staticmethod
    def backward(ctx, cotangent):
        Counted.calls += 1
        return cotangent * 3


@pytest.mark.parametrize("rows", [0, 1, 5, 32])
def test_passes_are_those_that_were_made(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counted, "calls", 0)
    inputs = {"x": leaf(rows).detach(), "other": leaf(2).detach()}
    side = evaluate(lambda names: Counted.apply(names["x"]), inputs, wanted("x", "other"))
    assert (side.vjp_passes, side.jacobian_passes) == (1, rows)
    assert Counted.calls == 1 + rows


def test_passes_without_v_or_without_a_jacobian() -> None:
    inputs = {"x": leaf(4).detach()}
    side = evaluate(lambda names: names["x"] * 2, inputs, wanted("x", jacobian=False))
    assert (side.vjp_passes, side.jacobian_passes) == (1, 0)
    side = evaluate(lambda names: names["x"] * 2, inputs, Wanted(("x",), lambda y: None, True))
    assert (side.vjp_passes, side.jacobian_passes) == (0, 4)
    cut = evaluate(lambda names: names["x"].detach(), inputs, wanted("x"))
    assert (cut.vjp_passes, cut.jacobian_passes) == (0, 0)


def test_a_batch_counts_the_cotangents_that_it_holds() -> None:
    x = leaf(130)
    assert dense_jacobian(2 * x, [x]).passes == 130
    # one by one, where a batch cannot be had
    assert dense_jacobian(Doubled.apply(x), [x]).passes == 130
