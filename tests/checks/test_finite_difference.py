"""What the tracer cannot follow is compared with finite differences of the function itself."""

from collections.abc import Callable
from typing import Any

import numpy
import pytest
import torch

from vjp_cli import inspect
from vjp_cli.checks import finite_difference
from vjp_cli.derivatives import probing
from vjp_cli.errors import EvaluationError
from vjp_cli.report import CheckResult, Finding, Report, Verdict
from vjp_cli.settings import Check, Settings

Function = Callable[..., torch.Tensor]


def by_numpy(function: Callable[..., Any], backward: Callable[..., Any]) -> Function:
    """A custom Function whose forward is NumPy's, which no tracer can follow."""

    class Custom(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(*inputs)
            return torch.as_tensor(function(*(x.detach().numpy() for x in inputs)))

        @staticmethod
        def backward(ctx: Any, *g: torch.Tensor) -> Any:
            return backward(g[0], *ctx.saved_tensors)

    return Custom.apply


sine = by_numpy(numpy.sin, lambda g, x: g * torch.cos(x))
off_sine = by_numpy(numpy.sin, lambda g, x: 1.0001 * g * torch.cos(x))
product = by_numpy(numpy.matmul, lambda g, a, b: (g @ b.T, a.T @ g))
transposed = by_numpy(numpy.matmul, lambda g, a, b: (g @ b.T, (g.T @ a).T * 2))


def row(report: Report) -> CheckResult:
    found = [check for check in report.checks if check.name == finite_difference.NAME]
    assert len(found) == 1, report.checks
    return found[0]


def finding(report: Report, where: str) -> Finding:
    return next(found for found in report.findings if found.where == where)


def test_a_right_backward_stays_unchecked_and_agrees() -> None:
    report = inspect(lambda x: sine(x), {"x": [1.0, 2.0, -0.5]}, v=[1, 10, 100])
    assert (report.verdict, report.exit_code) == (Verdict.UNCHECKED, 0)
    assert (row(report).verdict, row(report).compared) == (Verdict.OK, 12), row(report)
    assert row(report).max_ratio is not None
    assert 0 < row(report).max_ratio <= 1
    assert "they agree to" in row(report).reason
    assert report.judged_vjp is not None
    assert set(report.judged_vjp.verdicts["x"].values) == {Verdict.UNCHECKED}
    assert "agrees with finite differences to" in report.findings[0].cause
    assert "the tracer cannot follow" in report.notes[0]
    # nothing was compared with an exact derivative, so nothing says that it was
    exact = [check for check in report.checks if "exact" in check.name]
    assert [(check.verdict, check.compared) for check in exact] == [(Verdict.UNCHECKED, 0)] * 2


def test_a_wrong_backward_is_wrong_with_as_many_digits_as_are_known() -> None:
    report = inspect(lambda x: off_sine(x), {"x": [1.0, 2.0, -0.5]}, v=[1, 10, 100])
    assert (report.verdict, report.exit_code) == (Verdict.WRONG, 1)
    assert row(report).verdict is Verdict.WRONG
    first = finding(report, "vjp.x[0]")
    assert first.verdict is Verdict.WRONG
    # cos(1) = 0.540302305868139717…
    assert first.truth.startswith("0.54030230")
    assert len(first.truth) <= 15
    assert first.cause.startswith("finite differences give 0.54030230")
    assert report.judged_jacobian is not None
    # only the diagonal is wrong: zeros agree
    verdicts = report.judged_jacobian.verdicts["x"].nested()
    wrong = [[verdict is Verdict.WRONG for verdict in line] for line in verdicts]
    assert wrong == [[True, False, False], [False, True, False], [False, False, True]]


def test_two_inputs_one_of_them_wrong() -> None:
    inputs = {"a": [[1.0, 2.0, -3.0], [0.5, 4.0, 1e-8]], "b": [[1.0], [1e8], [2.0]]}
    report = inspect(lambda a, b: product(a, b), inputs, v=[[1.0], [3.0]])
    assert (report.verdict, row(report).verdict) == (Verdict.UNCHECKED, Verdict.OK)
    # y has 2 elements: J 2·6 and 2·3, vᵀJ 6 and 3
    assert row(report).compared == 27
    report = inspect(lambda a, b: transposed(a, b), inputs, v=[[1.0], [3.0]])
    assert report.judged_vjp is not None
    assert set(report.judged_vjp.verdicts["a"].values) == {Verdict.UNCHECKED}
    assert set(report.judged_vjp.verdicts["b"].values) == {Verdict.WRONG}
    # aᵀv = (1·1 + 0.5·3, 2·1 + 4·3, -3·1 + 1e-8·3)
    truths = [float(truth.value) for truth in report.judged_vjp.truth["b"].values]
    assert truths == pytest.approx([2.5, 14.0, -2.99999997], rel=1e-5)


@pytest.mark.parametrize("shape", [(), (1,), (0,), (2, 0), (1, 3)])
def test_every_shape(shape: tuple[int, ...]) -> None:
    x = torch.linspace(0.5, 1.5, 3, dtype=torch.float64)[: max(1, torch.Size(shape).numel())]
    x = x.reshape(shape) if torch.Size(shape).numel() else torch.empty(shape, dtype=torch.float64)
    right = inspect(lambda x: sine(x), {"x": x}, v=torch.ones(shape))
    wrong = inspect(lambda x: off_sine(x), {"x": x}, v=torch.ones(shape))
    count = x.numel()
    assert right.verdict is (Verdict.UNCHECKED if count else Verdict.OK)
    assert row(right).compared == count * count + count
    assert wrong.verdict is (Verdict.WRONG if count else Verdict.OK)


def test_without_v_and_without_j() -> None:
    report = inspect(lambda x: off_sine(x), {"x": [1.0, 2.0]})
    assert (report.verdict, row(report).compared, report.judged_vjp) == (Verdict.WRONG, 4, None)
    report = inspect(
        lambda x: off_sine(x), {"x": [1.0, 2.0]}, v=[1, 2], settings=Settings(jacobian=False)
    )
    assert (report.verdict, row(report).compared, report.judged_jacobian) == (
        Verdict.WRONG,
        2,
        None,
    )


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_short_formats_are_compared_with_float64(dtype: str) -> None:
    def rounded(function: Function) -> Function:
        # NumPy has no bfloat16
        return lambda x: function(x if x.dtype == torch.float64 else x.float()).to(x.dtype)

    x = torch.tensor([1.0, 2.5, -0.3], dtype=getattr(torch, dtype))
    right, wrong = rounded(sine), rounded(by_numpy(numpy.sin, lambda g, x: 2 * g * torch.cos(x)))
    report = inspect(lambda x: right(x), {"x": x}, v=[1, 2, 3])
    assert (report.verdict, row(report).verdict) == (Verdict.UNCHECKED, Verdict.OK)
    report = inspect(lambda x: wrong(x), {"x": x}, v=[1, 2, 3])
    assert report.verdict is Verdict.WRONG
    # the digits of float64, at the number as the short format has it
    assert finding(report, "vjp.x[0]").cause.startswith("finite differences in float64 give ")
    truth = float(finding(report, "vjp.x[0]").truth)
    assert truth == pytest.approx(numpy.cos(float(x[0])), rel=1e-9)


def test_a_loss_of_digits_in_float32_is_not_called_wrong() -> None:
    # at 1e-3 (1 - cos x)/x² keeps no digit of its derivative in float32
    def function(x: torch.Tensor) -> torch.Tensor:
        x.numpy(force=True)
        return (1 - torch.cos(x)) / x**2

    x = torch.tensor([1e-3, 0.7], dtype=torch.float32)
    report = inspect(lambda x: function(x), {"x": x}, v=[1, 1])
    assert "another value than torch's y" in row(report).reason
    assert Verdict.WRONG not in {found.verdict for found in report.findings}


def test_kinks_and_jumps_are_named_and_nobody_is_accused() -> None:
    absolute = by_numpy(numpy.abs, lambda g, x: 0.3 * g)
    report = inspect(lambda x: absolute(x), {"x": [0.0]}, v=[1])
    assert (report.verdict, row(report).verdict) == (Verdict.UNCHECKED, Verdict.UNCHECKED)
    assert "the one-sided differences disagree" in report.findings[0].cause
    floor = by_numpy(numpy.floor, lambda g, x: g)
    report = inspect(lambda x: floor(x), {"x": [2.0]}, v=[1])
    assert report.verdict is Verdict.UNCHECKED
    assert "a jump" in row(report).reason


def test_kinks_that_cancel_in_the_sum_are_judged_there() -> None:
    # relu(x), relu(-x): with v = (1, -1) the sum is x
    both = by_numpy(
        lambda x: numpy.stack([numpy.maximum(x, 0), numpy.maximum(-x, 0)]),
        lambda g, x: 0 * g[0],
    )
    report = inspect(lambda x: both(x), {"x": 0.0}, v=[1, -1])
    assert report.judged_vjp is not None
    assert report.judged_vjp.verdicts["x"].values == (Verdict.WRONG,)
    assert float(report.judged_vjp.truth["x"].values[0].value) == 1.0
    assert report.judged_jacobian is not None
    assert set(report.judged_jacobian.verdicts["x"].values) == {Verdict.UNCHECKED}


def test_nan_and_infinity() -> None:
    bad = by_numpy(numpy.square, lambda g, x: g * torch.tensor([torch.nan, torch.inf, 6.0]))
    report = inspect(lambda x: bad(x), {"x": [1.0, 2.0, 3.0]}, v=[1, 1, 1])
    assert report.judged_vjp is not None
    expected = (Verdict.NAN, Verdict.WRONG, Verdict.UNCHECKED)
    assert report.judged_vjp.verdicts["x"].values == expected
    assert [float(t.value) for t in report.judged_vjp.truth["x"].values[:2]] == [2.0, 4.0]


def test_a_graph_that_is_cut_misses_the_derivative() -> None:
    report = inspect(
        lambda x: torch.from_numpy(x.detach().numpy() ** 2), {"x": [1.0, 2.0]}, v=[1, 2]
    )
    assert (report.verdict, report.exit_code) == (Verdict.MISSING, 3)
    assert [finding(report, f"vjp.x[{k}]").truth for k in range(2)] == ["2", "8"]
    # one input of two is cut off: 2·b·v is there
    report = inspect(
        lambda a, b: torch.from_numpy(a.detach().numpy() ** 2) * b,
        {"a": [1.0, 2.0], "b": [3.0, 4.0]},
        v=[1, 2],
    )
    assert report.judged_vjp is not None
    assert set(report.judged_vjp.verdicts["a"].values) == {Verdict.MISSING}
    assert set(report.judged_vjp.verdicts["b"].values) == {Verdict.UNCHECKED}


def test_another_result_each_time_is_refused() -> None:
    calls = [0]

    def counting(x: Any) -> Any:
        calls[0] += 1
        return x + calls[0]

    noisy = by_numpy(counting, lambda g, x: 5 * g)
    with pytest.raises(EvaluationError, match="gives different results for the same inputs"):
        inspect(lambda x: noisy(x), {"x": [1.0, 2.0]}, v=[1, 2])
    # without that check nobody is accused
    report = inspect(lambda x: noisy(x), {"x": [1.0, 2.0]}, v=[1, 2], settings=Settings(checks=()))
    assert (row(report).verdict, row(report).compared) == (Verdict.UNCHECKED, 0)
    assert "the function gives different results" in row(report).reason
    assert report.judged_vjp is not None
    assert set(report.judged_vjp.verdicts["x"].values) == {Verdict.UNCHECKED}


def test_a_function_that_drifts_is_not_judged() -> None:
    calls = [0.0]

    def drifting(x: Any) -> Any:
        # so slowly that two calls in a row are alike
        calls[0] += 1
        return x + (calls[0] > 50)

    drift = by_numpy(drifting, lambda g, x: 5 * g)
    report = inspect(lambda x: drift(x), {"x": [1.0, 2.0]}, v=[1, 2], settings=Settings(checks=()))
    assert "the function gives different results" in row(report).reason


def normal(x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    return torch.distributions.Normal(x, s).log_prob(torch.tensor(0.5))


def solved(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.linalg.solve_ex(a, b, check_errors=True).result


def polynomial(x: torch.Tensor) -> torch.Tensor:
    return (
        torch.special.hermite_polynomial_h(x, 0)
        * torch.linalg.ldl_factor(torch.outer(x, x) + 3 * torch.eye(2, dtype=x.dtype)).LD.sum()
    )


OUTSIDE = [
    (normal, {"x": [1.0, -2.0], "s": [0.5, 3.0]}, [1, 10]),
    (
        lambda x, s: torch.distributions.Gamma(x, s).log_prob(torch.tensor(0.5)),
        {"x": 1.5, "s": 2.0},
        1,
    ),
    (
        lambda x: torch.distributions.Dirichlet(x).log_prob(torch.tensor([0.2, 0.5, 0.3]).double()),
        {"x": [[1.0, 2.0, 0.5], [3.0, 1.0, 1.0]]},
        [1, 10],
    ),
    (solved, {"a": [[2.0, 1.0], [0.5, 3.0]], "b": [1.0, -2.0]}, [1, 10]),
    (
        lambda x: torch.linalg.householder_product(x, x[0, :2]),
        {"x": [[1.0, 2.0], [3.0, 4.0], [5.0, 0.5]]},
        None,
    ),
]


@pytest.mark.parametrize("number", range(len(OUTSIDE)))
def test_torch_outside_the_table_of_operations(number: int) -> None:
    function, inputs, v = OUTSIDE[number]
    report = inspect(function, inputs, v)
    found = [check for check in report.checks if check.name == finite_difference.NAME]
    if not found:
        # a row of the table has come meanwhile
        assert report.verdict in (Verdict.OK, Verdict.IMPRECISE)
        return
    assert (report.verdict, found[0].verdict) == (Verdict.UNCHECKED, Verdict.OK), found[0]
    assert found[0].compared >= 2


def test_an_intended_departure_is_no_error() -> None:
    def straight_through(x: torch.Tensor) -> torch.Tensor:
        return sine(x) + (x.round() - x).detach() * x

    report = inspect(straight_through, {"x": [1.2, 2.3]}, v=[1, 2])
    assert report.verdict is Verdict.UNCHECKED
    assert any("maybe by detach" in found.cause for found in report.findings)

    def silent(x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            weight = x * x
        return sine(x) * weight

    report = inspect(silent, {"x": [1.2, 2.3]}, v=[1, 2])
    assert any("maybe by no_grad" in found.cause for found in report.findings)
    assert report.verdict is Verdict.UNCHECKED


def test_a_mask_without_gradients_hides_no_error() -> None:
    def masked(x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            order = x.argsort()
        return off_sine(x)[order]

    report = inspect(masked, {"x": [1.2, 0.3]}, v=[1, 2])
    assert report.verdict is Verdict.WRONG


def test_symmetric_gradients_of_torch_are_no_error() -> None:
    def factor(a: torch.Tensor) -> torch.Tensor:
        a.numpy(force=True)
        return torch.linalg.cholesky(a)

    a = [[4.0, 1.0], [1.0, 3.0]]
    report = inspect(factor, {"a": a}, v=[[1.0, 0.0], [2.0, 3.0]])
    assert report.verdict is Verdict.UNCHECKED, report.findings


def test_too_many_elements_are_compared_along_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "EVALUATIONS", 200)
    x = torch.linspace(0.1, 3.0, 40, dtype=torch.float64)
    settings = Settings(jacobian=False)
    report = inspect(lambda x: sine(x), {"x": x}, v=torch.arange(40.0), settings=settings)
    assert (row(report).verdict, row(report).compared) == (Verdict.OK, probing.DIRECTIONS)
    assert "along random directions" in row(report).reason
    report = inspect(lambda x: off_sine(x), {"x": x}, v=torch.arange(40.0), settings=settings)
    assert (report.verdict, row(report).verdict) == (Verdict.WRONG, Verdict.WRONG)
    assert "along a random direction" in row(report).reason


@pytest.mark.parametrize("expression", ["logical_not(x)", "logical_and(x, x - 1)"])
def test_a_mask_is_compared_as_numbers(expression: str) -> None:
    report = inspect(expression, {"x": [0.5, 2.0, 3.0]})
    assert report.exit_code == 0
    assert {finding.verdict for finding in report.findings} == {Verdict.UNCHECKED}


def test_nothing_is_judged_where_the_tracer_has_another_function(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cube, square = (lambda x: x**3), (lambda x: x * x)
    report = inspect(cube, {"x": [1.5, 2.0]}, v=[1, 2], against=square)
    assert report.verdict is Verdict.UNCHECKED
    assert finite_difference.NAME not in {check.name for check in report.checks}


def test_against_what_cannot_be_traced() -> None:
    cube = by_numpy(lambda x: x**3, lambda g, x: g)
    report = inspect(lambda x: x**3, {"x": [1.5, 2.0]}, v=[1, 2], against=lambda x: cube(x))
    assert row(report).verdict is Verdict.OK
    report = inspect(lambda x: x**2, {"x": [1.5, 2.0]}, v=[1, 2], against=lambda x: cube(x))
    assert (report.verdict, row(report).verdict) == (Verdict.UNCHECKED, Verdict.UNCHECKED)
    assert "another value than torch's y" in row(report).reason


ASKED = Settings(checks=(Check.FINITE_DIFFERENCE,))


def test_when_asked_for_it_checks_what_has_an_exact_derivative_too() -> None:
    report = inspect("sin(x)*k", {"x": [1.0, 2.0], "k": 3.0}, v=[1, 2], settings=ASKED)
    assert (report.verdict, row(report).verdict) == (Verdict.OK, Verdict.OK)
    # J 2·2 and 2·1, vᵀJ 2 and 1
    assert row(report).compared == 9

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return 3 * x

        @staticmethod
        def backward(ctx: Any, *g: torch.Tensor) -> torch.Tensor:
            return 4 * g[0]

    report = inspect(lambda x: Wrong.apply(x), {"x": [1.0, 2.0]}, v=[1, 1], settings=ASKED)
    assert row(report).verdict is Verdict.WRONG
    assert row(report).reason.startswith("jacobian.x[0,0]: finite differences give 3 ±")


def test_it_runs_once() -> None:
    report = inspect(lambda x: sine(x), {"x": [1.0]}, v=[1], settings=ASKED)
    assert row(report).verdict is Verdict.OK


def test_by_default_it_does_not_run_beside_an_exact_derivative() -> None:
    report = inspect("sin(x)", {"x": [1.0]}, v=[1])
    assert finite_difference.NAME not in {check.name for check in report.checks}


def test_complex_numbers_are_left_alone() -> None:
    x = torch.tensor([1 + 2j], dtype=torch.complex128)
    report = inspect(
        "sin(x)", {"x": x}, v=[1], settings=Settings(dtype="complex128", checks=ASKED.checks)
    )
    assert (row(report).verdict, row(report).reason) == (Verdict.UNCHECKED, "it needs real numbers")


def test_no_time_no_comparison() -> None:
    report = inspect(lambda x: off_sine(x), {"x": [1.0]}, v=[1], settings=Settings(timeout=0))
    assert report.verdict is Verdict.UNCHECKED
