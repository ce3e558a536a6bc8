"""The value objects of a report: everything else in the program is built around them.

A report holds numbers and words, no torch tensor, no SymPy object and no layout: renderers read it,
nothing in it knows how it will be shown.
"""

from vjp_cli.report.accumulation import Accumulation, Pull
from vjp_cli.report.chain import Chain, ChainStep, Identity, LocalJacobian, Mark, Term
from vjp_cli.report.contributions import Contribution, Contributions
from vjp_cli.report.cost import Cost, size_text
from vjp_cli.report.explanation import Explanation, Paragraph
from vjp_cli.report.loss import Loss
from vjp_cli.report.parts import (
    OUTSIDE,
    PATTERNS,
    CheckResult,
    Finding,
    FormulaGroup,
    Judged,
    Output,
    Problem,
    Structure,
    Symbolic,
    in_words,
)
from vjp_cli.report.reproduction import Point, Reproduction
from vjp_cli.report.tangent import Tangent
from vjp_cli.report.truths import known_truth, number_of, numbers_at, value_of
from vjp_cli.report.values import (
    Array,
    Deferred,
    Number,
    Truth,
    TruthKind,
    Verdict,
    scattered,
    worst,
)
from vjp_cli.report.whole import Report

SCHEMA = "vjp.report/1"

__all__ = [
    "OUTSIDE",
    "PATTERNS",
    "SCHEMA",
    "Accumulation",
    "Array",
    "Chain",
    "ChainStep",
    "CheckResult",
    "Contribution",
    "Contributions",
    "Cost",
    "Deferred",
    "Explanation",
    "Finding",
    "FormulaGroup",
    "Identity",
    "Judged",
    "LocalJacobian",
    "Loss",
    "Mark",
    "Number",
    "Output",
    "Paragraph",
    "Point",
    "Problem",
    "Pull",
    "Report",
    "Reproduction",
    "Structure",
    "Symbolic",
    "Tangent",
    "Term",
    "Truth",
    "TruthKind",
    "Verdict",
    "in_words",
    "known_truth",
    "number_of",
    "numbers_at",
    "scattered",
    "size_text",
    "value_of",
    "worst",
]
