"""Two ways through torch to the same sums of products: they may differ by rounding only."""

import math
from dataclasses import dataclass

from vjp_cli.checks.verdict import DOT_UNITS
from vjp_cli.lazy import torch
from vjp_cli.numbers.dtypes import FloatFormat
from vjp_cli.report import CheckResult, Verdict


@dataclass
class TwoWays:
    """What was compared so far; where one way is not finite nothing is."""

    form: FloatFormat
    compared: int = 0
    largest: float = 0.0
    apart: bool = False

    def compare(
        self, found: "torch.Tensor", expected: "torch.Tensor", size: "torch.Tensor"
    ) -> None:
        """Compare flat results in float64, whose terms add up to ``size`` in absolute value."""
        error = (found - expected).abs()
        finite = expected.isfinite() & found.isfinite()
        ratio = (error / (DOT_UNITS * self.form.unit * size + self.form.subnormal))[finite]
        self.compared += int(finite.sum())
        self.largest = max([self.largest, *ratio.tolist()])
        # what cancels inside a backward pass costs more than a dot product does, but not half the
        # digits
        allowed = math.sqrt(self.form.unit) * size + self.form.subnormal
        self.apart |= bool((error > allowed)[finite].any())

    def row(self, name: str, reason: str) -> CheckResult:
        """The row of the check; ``reason`` for two that disagree."""
        if self.apart:
            return CheckResult(
                name, Verdict.WRONG, self.compared, max_ratio=self.largest, reason=reason
            )
        return CheckResult(name, Verdict.OK, self.compared, max_ratio=self.largest or None)
