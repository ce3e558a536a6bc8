"""Whenever the time is over, what is not judged is ``unchecked: timeout``, and nothing breaks."""

import time
from collections.abc import Iterator

import pytest
import torch

from vjp_cli.library import inspect
from vjp_cli.report import Report, Verdict
from vjp_cli.settings import LIMITS, Settings
from vjp_cli.tracing.node import OutOfTime
from vjp_cli.tracing.tape import Tape

CASES = {
    "right": ("sin(x)*x.roll(1)", True),
    "cut": ("sin(x) + x.detach()*0 + 0*bessel_j1(x)", True),
    "no graph": ("bessel_y0(x)", True),
    "no path": ("sin(x) + bessel_j1(k)", True),
    "outside the pattern": ("relu(x)*k + where(x > 1, x, k)", True),
    "without J": ("cumsum(x*k, 0)", False),
}


@pytest.fixture(autouse=True)
def _all_numbers_wait() -> Iterator[None]:
    before = LIMITS.waiting_elements
    object.__setattr__(LIMITS, "waiting_elements", 0)
    yield
    object.__setattr__(LIMITS, "waiting_elements", before)


def solve(name: str) -> Report:
    source, jacobian = CASES[name]
    x = torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64)
    inputs = {"x": x, "k": x.flip(0) + 1} if "k" in source else {"x": x}
    settings = Settings(jacobian=jacobian, checks=(), remedies=False, timeout=30)
    return inspect(source, inputs, torch.tensor([1.0, -2.0, 3.0]).double(), settings=settings)


def counted(monkeypatch: pytest.MonkeyPatch, allowed: float) -> list[int]:
    """Let the clock of the tapes be looked at so often; then the time is over for all of them."""
    looks = [0]

    def look(tape: Tape) -> None:
        looks[0] += 1
        if looks[0] > allowed:
            # the clock of all others stands at the end, too
            monkeypatch.setattr(time, "monotonic", lambda: 1e12)
            raise OutOfTime

    monkeypatch.setattr(Tape, "look_at_the_clock", look)
    return looks


@pytest.mark.parametrize("name", CASES)
def test_the_time_may_be_over_at_any_look_at_the_clock(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        looks = counted(patch, float("inf"))
        whole = solve(name)
    assert looks[0] > 3
    assert whole.judged_vjp is not None
    stopped = 0
    # about a dozen moments, the first and the last ones among them
    for allowed in {*range(3), *range(3, looks[0], max(looks[0] // 8, 1)), looks[0] - 1}:
        with monkeypatch.context() as patch:
            counted(patch, allowed)
            report = solve(name)
        assert report.judged_vjp is not None
        for each, array in report.judged_vjp.verdicts.items():
            known = whole.judged_vjp.verdicts[each].values
            for verdict, full in zip(array.values, known, strict=True):
                # less is known, and nothing else
                assert verdict in (full, Verdict.UNCHECKED)
                stopped += verdict is Verdict.UNCHECKED
    assert stopped
