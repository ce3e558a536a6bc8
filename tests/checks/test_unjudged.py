"""Many entries of which nothing is known are one finding, and cost nothing each."""

import time

import torch

from vjp_cli import inspect
from vjp_cli.report import Verdict
from vjp_cli.settings import Settings


def test_a_million_entries_that_time_was_too_short_for() -> None:
    x = torch.eye(1000, dtype=torch.float64)
    start = time.process_time()
    report = inspect(
        "linalg.inv(x)", {"x": x}, torch.ones(1000, 1000), settings=Settings(timeout=1)
    )
    assert report.judged_vjp is not None
    assert report.judged_vjp.verdicts["x"].counts() == {Verdict.UNCHECKED: 1_000_000}
    [finding] = [each for each in report.findings if each.where.startswith("vjp")]
    assert (finding.where, finding.count) == ("vjp.x[0,0]", 1_000_000)
    # vᵀJ = -x⁻ᵀ·v·x⁻ᵀ
    assert finding.torch == -1.0
    assert report.checks[0].compared == 0
    # it was a quarter of a minute for the entries alone
    assert time.process_time() - start < 30
