"""What would take too much memory is refused before it is computed, at its place."""

import pytest
import torch

from tests.helpers import run
from tests.test_inspection import solve
from vjp_cli import library
from vjp_cli.errors import EvaluationError, LimitError
from vjp_cli.failures import known
from vjp_cli.report import Verdict
from vjp_cli.settings import Settings


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("x[:, None]*x", "10,000,000,000"),
        ("sum(x[:, None] - x)", "10,000,000,000"),
        ("outer(x, x).sum()", "10,000,000,000"),
        ("x.reshape(-1, 1) @ x.reshape(1, -1)", "10,000,000,000"),
    ],
)
def test_an_array_that_fits_no_memory_is_refused(text: str, count: str) -> None:
    with pytest.raises(LimitError) as caught:
        solve(text, {"x": "linspace(0,1,100000)"}, None)
    assert caught.value.message == f"this would have {count} elements, more than 10,000,000"
    assert caught.value.place is not None
    assert caught.value.exit_code == 4


@pytest.mark.parametrize(
    "text",
    [
        "x.expand(10**12).sum()",
        "x.expand(2, 10**12).sum()",
        "x.repeat(10**9)",
        "x.repeat_interleave(10**9)",
        "x + zeros(10**12)",
        "x + ones(99999, 99999)",
        "x + full((10**10,), 1.0)",
        "x + arange(1e15)",
        "x + linspace(0, 1, 10**9)",
        "sum(eye(10**6))*x",
        "pad(x, (10**10, 0))",
        "sum(one_hot(tensor([0]), 10**12))*x",
        "sum(tril_indices(10**6, 10**6))*x",
        "interpolate(x[None, None], scale_factor=1e9)",
    ],
)
def test_a_size_that_is_written_is_refused(text: str) -> None:
    # one element times a number: expanded, it takes no memory but for ever
    with pytest.raises(LimitError, match=r"more than 10,000,000|not enough memory") as caught:
        solve(text, {"x": "3,"}, None)
    assert caught.value.place is not None


def test_a_number_beyond_all_floats() -> None:
    with pytest.raises(EvaluationError):
        solve("roll(x, 10**400)", {"x": "1,2"}, None)


@pytest.mark.parametrize("text", ["x*10**18", "x + 1e300", "roll(x, 10**9)", "x.sum(0)*10**9"])
def test_a_number_is_no_size(text: str) -> None:
    assert solve(text, {"x": "1,2"}, None).exit_code == 0


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried …"),
        RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"),
    ],
)
def test_memory_that_runs_out_is_a_limit(error: Exception) -> None:
    assert known(error).exit_code == 4
    assert "allocate" not in known(error).message


def test_the_place_is_shown() -> None:
    result = run("inspect", "1 + x[:, None]*x", "--x", "ones(4000)")
    assert result.exit_code == 4
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        "vjp: error: this would have 16,000,000 elements, more than 10,000,000",
        "  1 + x[:, None]*x",
        "      ^^^^^^^^^^^^",
        "hint: take fewer elements, or a product that needs no such array",
    ]


def test_large_arguments_with_a_small_result_are_welcome() -> None:
    settings = Settings(jacobian=False)
    report = solve("x @ x", {"x": "linspace(0,1,5000)"}, None, settings)
    assert report.verdict is Verdict.OK


def test_what_torch_cannot_foresee_runs() -> None:
    # how many elements are chosen depends on their values
    settings = Settings(jacobian=False)
    report = solve("x[x > 0.5]*2", {"x": "linspace(0,1,4000)"}, "ones", settings)
    assert report.verdict is Verdict.OK


def test_a_function_with_too_many_outputs_is_refused() -> None:
    x = torch.ones(4000, dtype=torch.float64)
    with pytest.raises(LimitError, match="y would have 16,000,000 elements"):
        library.inspect(lambda x: x[:, None] * x, {"x": x}, v=None)
