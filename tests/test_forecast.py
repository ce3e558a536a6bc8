"""What would take too much memory is refused before it is computed, at its place."""

import pytest
import torch

from tests.helpers import run
from tests.test_inspection import solve
from vjp_cli import library
from vjp_cli.errors import LimitError
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
