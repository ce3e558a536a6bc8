"""Errors of a custom backward that a short format hides are found in float64."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

from vjp_cli import assert_vjp, inspect
from vjp_cli.checks import in_float64
from vjp_cli.report import CheckResult, Report, Verdict
from vjp_cli.settings import Settings

SHORT = ["float32", "float16", "bfloat16"]


def custom(forward: Callable[..., Any], backward: Callable[..., Any]) -> Callable[..., Any]:
    """A custom Function; ``backward`` is given the cotangent and the inputs."""

    class Custom(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(*inputs)
            return forward(*inputs)

        @staticmethod
        def backward(ctx: Any, *g: torch.Tensor) -> Any:
            return backward(g[0], *ctx.saved_tensors)

    return lambda *inputs: Custom.apply(*inputs)


def square(factor: float) -> Callable[..., Any]:
    return custom(lambda x: x * x, lambda g, x: 2 * x * g * factor)


def row(report: Report) -> CheckResult:
    found = [check for check in report.checks if check.name == in_float64.NAME]
    assert len(found) == 1, report.checks
    return found[0]


def tensor(numbers: Any, dtype: str) -> torch.Tensor:
    return torch.tensor(numbers, dtype=getattr(torch, dtype))


@pytest.mark.parametrize(
    ("dtype", "factor"),
    [("bfloat16", 1.005), ("bfloat16", 1 + 1e-6), ("float16", 1.0005), ("float32", 1 + 1e-8)],
)
def test_what_the_format_hides_is_found(dtype: str, factor: float) -> None:
    backward = square(factor)
    report = inspect(lambda x: backward(x), {"x": tensor([1.0, 3.0, -0.7], dtype)}, v=[1, 2, 4])
    assert (report.verdict, report.exit_code) == (Verdict.WRONG, 1)
    assert report.judged_vjp is not None
    # the entries themselves are right as far as the format can show
    assert set(report.judged_vjp.verdicts["x"].values) == {Verdict.OK}
    assert row(report).verdict is Verdict.WRONG
    assert row(report).compared == 12
    assert "torch has" in row(report).reason
    assert "the truth is" in row(report).reason


def test_the_reason_has_the_numbers_and_the_relation() -> None:
    backward = square(1.005)
    x = tensor([[1.0, 3.0]], "bfloat16")
    report = inspect(lambda x: backward(x), {"x": x}, v=tensor([[1.0, 0.5]], "bfloat16"))
    # ∂x²/∂x at 1 and 3 with v = 1, 0.5 is 2 and 3; J and vᵀJ are all off by one factor
    pairs = r"2\.0[01]\d*, the truth is 2|3\.01[45]\d*, the truth is 3|6\.0[23]\d*, the truth is 6"
    assert re.search(
        f"torch has ({pairs}), a relative error of 5e-3; the backward for x: ", row(report).reason
    )
    assert "times the true one" in row(report).reason
    with pytest.raises(AssertionError, match="the same backward in float64: wrong: "):
        assert_vjp(lambda x: backward(x), {"x": x}, v=tensor([[1.0, 0.5]], "bfloat16"))


@pytest.mark.parametrize("dtype", SHORT)
@pytest.mark.parametrize("numbers", [2.0, [1.1], [[0.1, -3.0, 7.7]], []])
def test_a_right_backward_is_right_there_too(dtype: str, numbers: Any) -> None:
    backward = square(1.0)
    x = tensor(numbers, dtype)
    report = inspect(lambda x: backward(x), {"x": x}, v=torch.ones_like(x))
    assert report.verdict is Verdict.OK
    # y has as many elements as x: all of J, and vᵀJ
    assert (row(report).verdict, row(report).compared) == (Verdict.OK, x.numel() ** 2 + x.numel())


def saves_in(
    save: Callable[[torch.Tensor], torch.Tensor], factor: float = 1.0
) -> Callable[..., Any]:
    """exp(x) whose backward works with a copy of the result in another format."""

    class Exponential(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            y = torch.exp(x)
            ctx.save_for_backward(save(y))
            return y

        @staticmethod
        def backward(ctx: Any, *g: torch.Tensor) -> torch.Tensor:
            (y,) = ctx.saved_tensors
            return (g[0].to(y) * y * factor).to(g[0].dtype)

    return lambda x: Exponential.apply(x)


def _short_for_short(y: torch.Tensor) -> torch.Tensor:
    return y if y.dtype == torch.float64 else y.to(torch.float16)


@pytest.mark.parametrize(
    ("dtype", "save"),
    [
        # only where the problem is in a short format
        ("bfloat16", _short_for_short),
        ("float32", lambda y: y if y.dtype == torch.float64 else y.float()),
        # more digits than the problem has, and fewer than float64
        ("bfloat16", lambda y: y.float()),
        ("float16", lambda y: y.float()),
        ("float32", lambda y: y.float()),
        ("bfloat16", lambda y: y.half()),
        ("bfloat16", lambda y: y.bfloat16()),
    ],
)
def test_fewer_digits_inside_are_no_error(dtype: str, save: Callable[..., Any]) -> None:
    backward = saves_in(save)
    x = tensor([0.3, -1.7, 2.9], dtype)
    report = inspect(lambda x: backward(x), {"x": x}, v=[1, 2, 4])
    assert row(report).verdict is Verdict.OK, row(report)
    assert report.exit_code == 0


def test_an_error_beside_fewer_digits_inside_is_found() -> None:
    backward = saves_in(lambda y: y.float(), 1.005)
    x = tensor([0.3, -1.7, 2.9], "bfloat16")
    report = inspect(lambda x: backward(x), {"x": x}, v=[1, 2, 4])
    assert row(report).verdict is Verdict.WRONG


def test_a_function_that_is_bound_to_its_format_is_not_checked_there() -> None:
    def refuse(x: torch.Tensor) -> torch.Tensor:
        if x.dtype == torch.float64:
            raise TypeError("bfloat16 only")
        return x * x

    raising = custom(refuse, lambda g, x: 2 * x * g)
    report = inspect(lambda x: raising(x), {"x": tensor([1.0, 3.0], "bfloat16")}, v=[1, 2])
    assert (report.verdict, row(report).verdict) == (Verdict.OK, Verdict.UNCHECKED)
    assert "bfloat16 only" in row(report).reason
    fixed = custom(lambda x: (x * x).bfloat16(), lambda g, x: 2 * x * g)
    report = inspect(lambda x: fixed(x), {"x": tensor([1.0, 3.0], "bfloat16")}, v=[1, 2])
    assert (report.verdict, row(report).verdict) == (Verdict.OK, Verdict.UNCHECKED)
    assert row(report).reason == "it returns torch.bfloat16 there"


def test_no_row_without_need() -> None:
    names = set()
    backward = square(1.0)
    report = inspect(lambda x: backward(x), {"x": tensor([1.0, 3.0], "float64")}, v=[1, 2])
    names |= {check.name for check in report.checks}
    report = inspect("x*x", {"x": tensor([1.0, 3.0], "bfloat16")}, v=[1, 2])
    names |= {check.name for check in report.checks}
    assert in_float64.NAME not in names


def test_several_inputs_a_constant_and_no_v() -> None:
    product = custom(lambda a, b: a @ b, lambda g, a, b: (g @ b.T, 1.004 * (a.T @ g)))

    def function(a: torch.Tensor, b: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
        return product(a, b)[:, k]

    a, b = (
        tensor([[1.0, 2.0, 3.0]], "bfloat16"),
        tensor([[1.0, 5.0], [3.0, 0.5], [4.0, 7.0]], "bfloat16"),
    )
    report = inspect(function, {"a": a, "b": b, "k": torch.tensor([1, 1])})
    assert report.verdict is Verdict.WRONG
    assert row(report).reason.startswith("jacobian.b[")
    # y is 1 x 2; J of a has 2·3 entries, of b 2·6
    assert row(report).compared == 18


def test_against_another_function() -> None:
    backward = square(1.005)
    report = inspect(
        lambda x: backward(x),
        {"x": tensor([1.0, 3.0], "bfloat16")},
        v=[1, 2],
        against=lambda x: x**2,
    )
    assert row(report).verdict is Verdict.WRONG


def test_finite_differences_judge_there_too() -> None:
    def by_numpy(factor: float) -> Callable[..., Any]:
        return custom(
            lambda x: torch.as_tensor(x.detach().double().numpy() ** 2).to(x),
            lambda g, x: 2 * x * g * factor,
        )

    wrong, right = by_numpy(1.005), by_numpy(1.0)
    x = tensor([1.0, 3.0], "bfloat16")
    assert row(inspect(lambda x: wrong(x), {"x": x}, v=[1, 2])).verdict is Verdict.WRONG
    report = inspect(lambda x: right(x), {"x": x}, v=[1, 2])
    assert (report.verdict, row(report).verdict) == (Verdict.UNCHECKED, Verdict.UNCHECKED)
    assert "agrees with finite differences" in row(report).reason


def test_no_time_left() -> None:
    backward = square(1.005)
    x = tensor([1.0], "bfloat16")
    report = inspect(
        lambda x: backward(x), {"x": x}, v=[1], settings=Settings(dtype="bfloat16", timeout=0)
    )
    assert row(report).verdict is Verdict.UNCHECKED
