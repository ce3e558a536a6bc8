"""The library: inspections from Python, and an assertion whose text says what is wrong."""

import subprocess
import sys

import pytest
import torch

from tests.functions.user_functions import Cube, Square
from vjp_cli import Settings, assert_vjp, inspect
from vjp_cli.errors import InputError
from vjp_cli.report import Verdict


def test_an_expression_with_tensors_lists_and_numbers() -> None:
    report = inspect(
        "k*x + b", {"k": 2, "x": [1.0, 2.0, 3.0], "b": torch.zeros(3).double()}, [1, 2, 3]
    )
    assert report.verdict is Verdict.OK
    assert report.vjp is not None
    assert report.vjp["x"].values == (2.0, 4.0, 6.0)
    # Σ v_i·x_i
    assert report.vjp["k"].values == (14.0,)


def test_the_dtype_is_that_of_the_inputs() -> None:
    report = inspect("x**2", {"x": torch.tensor([0.1, 0.2])}, torch.ones(2))
    assert report.problem.dtype == "float32"
    assert report.inputs["x"].values == (0.10000000149011612, 0.20000000298023224)


def test_integer_tensors_are_constants() -> None:
    report = inspect("x[i]", {"x": [1.0, 2.0, 3.0], "i": torch.tensor([2, 0])}, [1.0, 10.0])
    assert report.vjp is not None
    assert report.vjp["x"].values == (10.0, 0.0, 1.0)
    assert set(report.vjp) == {"x"}


def test_a_right_backward_passes() -> None:
    assert_vjp(lambda x: Square.apply(x), {"x": [1.0, -2.0]}, [1.0, 3.0])


def test_a_wrong_backward_fails_with_the_entry_both_numbers_and_the_cause() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_vjp(lambda x: Cube.apply(x), {"x": [1.0, 2.0]}, [1.0, 1.0])
    first = str(caught.value).splitlines()[0]
    assert first.startswith("jacobian.x[0,0]: wrong: torch has 1.0, the truth is 3.0") or (
        first.startswith("vjp.x[0]: wrong: torch has 1.0, the truth is 3.0")
    )


def test_gradcheck_passes_what_this_finds() -> None:
    class Slightly(torch.autograd.Function):
        """sin, with a backward that is off by a relative 1e-4."""

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return torch.sin(x)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 1.0001 * torch.cos(x) * g

    def slightly(x):
        return Slightly.apply(x)

    x = torch.tensor([0.5, 1.25], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(slightly, (x,))
    with pytest.raises(AssertionError, match="wrong"):
        assert_vjp(slightly, {"x": x}, [1.0, 1.0])


def test_what_cannot_be_judged_does_not_pass() -> None:
    def without_a_row(x):
        return torch.frexp(x)[0]

    reason = r"x\[0\]: unchecked: .* torch.frexp, which has no row .*\(test_library.py line 77\)"
    with pytest.raises(AssertionError, match=reason):
        assert_vjp(without_a_row, {"x": [1.0, 2.0]}, [1.0, 1.0])


def test_against_another_function() -> None:
    assert_vjp(lambda x: Square.apply(x), {"x": [3.0]}, against=lambda x: x**2)


def test_an_unknown_input_is_refused() -> None:
    with pytest.raises(InputError, match="there is no input 'z'"):
        inspect("x**2", {"x": 1.0, "z": 2.0})


def test_settings_are_used() -> None:
    report = inspect("x**2", {"x": [1.0]}, settings=Settings(dtype="bfloat16", jacobian=False))
    assert (report.problem.dtype, report.jacobian) == ("bfloat16", None)


def test_the_library_does_not_touch_the_command_line() -> None:
    code = (
        "import sys; from vjp_cli import inspect; inspect('x**2', {'x': 1.0});"
        "print(sorted(m for m in ('typer', 'rich', 'msgspec') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_nothing_to_judge_does_not_pass() -> None:
    with pytest.raises(AssertionError, match="the verdict is unchecked"):
        assert_vjp("x**2", {"x": [1.0, 2.0]}, settings=Settings(jacobian=False))


def test_the_text_says_what_is_wrong_with_a_backward_and_nothing_of_options() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_vjp(lambda x: Cube.apply(x), {"x": [1.0, 2.0]})
    assert str(caught.value).splitlines()[-1].startswith("the backward for x: ")
    assert "--" not in str(caught.value)


@pytest.mark.parametrize("function", [torch.sin, Square.apply, lambda *tensors: tensors[0]])
def test_a_function_without_named_parameters(function) -> None:
    with pytest.raises(InputError, match="no named parameters"):
        inspect(function, {"x": 1.0})


def test_parameters_of_all_kinds_and_any_name() -> None:
    def product(y, /, z, *, out, result=2.0):
        return y * z * out * result

    report = inspect(product, {"y": 3.0, "z": 5.0, "out": 7.0})
    assert report.vjp is not None
    # each is 2 times the other two
    assert [report.vjp[name].values for name in ("y", "z", "out")] == [(70.0,), (42.0,), (30.0,)]
    assert report.output.name == "y2"


def test_the_report_says_where_the_truth_came_from() -> None:
    def double(x):
        return 2 * x

    report = inspect("x + x", {"x": 1.0}, against=double)
    assert report.problem.against is not None
    assert report.problem.against.endswith("test_library.py:double")
    assert inspect("x + x", {"x": 1.0}).problem.against is None


def test_an_entry_that_was_not_judged_keeps_torchs_number() -> None:
    def without_a_row(x):
        return x * 2 + 0 * torch.frexp(x)[0].detach()

    report = inspect(without_a_row, {"x": [2.0, 5.0]}, [1.0, 10.0])
    found = {finding.where: finding.torch for finding in report.findings}
    assert found["vjp.x[0]"] == 2.0
    whole = inspect(without_a_row, {"x": [2.0, 5.0]})
    assert [(f.where, f.torch, f.count) for f in whole.findings] == [("jacobian.x[0,0]", 2.0, 4)]
