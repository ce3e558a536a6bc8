"""The report on one problem."""

from collections.abc import Mapping
from dataclasses import dataclass

from vjp_cli.report.accumulation import Accumulation
from vjp_cli.report.chain import Chain
from vjp_cli.report.contributions import Contributions
from vjp_cli.report.cost import Cost
from vjp_cli.report.explanation import Explanation
from vjp_cli.report.loss import Loss
from vjp_cli.report.parts import (
    CheckResult,
    Finding,
    Judged,
    Output,
    Problem,
    Structure,
    Symbolic,
)
from vjp_cli.report.reproduction import Reproduction
from vjp_cli.report.tangent import Tangent
from vjp_cli.report.values import Array, Number, Verdict


@dataclass(frozen=True)
class Report:
    """The whole answer to one problem.

    Attributes:
        jacobian: for each input of ``wrt`` an array of shape y.shape + x.shape, always in numerator
            layout; None when it was not built.
        vjp: for each input of ``wrt`` an array of its shape; None without v. An entry is None where
            torch gives no number.
        notes: sentences that the reader must see (no v, what could have hidden an error).
        chain: the chain rule step by step; None when it was not asked for.
        environment: versions, seed, number of threads.
        explanation: the report in words, where asked for.
        reproduction: what makes the report again, where asked for.
        cost: what vᵀJ and J took.
        loss: what v is the derivative of, if it was given so.
        accumulation: of several v, each vᵀJ and their sum; ``v`` and ``vjp`` are the first then.
        contributions: v_i·J_ij, if asked for.
        tangent: Ju, if asked for.
    """

    problem: Problem
    inputs: Mapping[str, Array[Number]]
    output: Output
    v: Array[Number] | None
    jacobian: Mapping[str, Array[Number | None]] | None
    vjp: Mapping[str, Array[Number | None]] | None
    symbolic: Symbolic
    structure: Mapping[str, Structure]
    judged_jacobian: Judged | None
    judged_vjp: Judged | None
    checks: tuple[CheckResult, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    environment: Mapping[str, str | int | float]
    verdict: Verdict
    exit_code: int
    chain: Chain | None = None
    explanation: Explanation | None = None
    reproduction: Reproduction | None = None
    cost: Cost | None = None
    loss: Loss | None = None
    accumulation: Accumulation | None = None
    contributions: Contributions | None = None
    tangent: Tangent | None = None

    @property
    def ok(self) -> bool:
        """Whether the exit code is 0."""
        return self.exit_code == 0
