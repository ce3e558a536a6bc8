"""The value objects of a report: everything else in the program is built around them.

A report holds numbers and words, no torch tensor, no SymPy object and no layout: renderers read it,
nothing in it knows how it will be shown.
"""

from vjp_cli.report.chain import Chain, ChainStep, Identity, LocalJacobian, Mark, Term
from vjp_cli.report.explanation import Explanation, Paragraph
from vjp_cli.report.parts import (
    CheckResult,
    Finding,
    FormulaGroup,
    Judged,
    Output,
    Problem,
    Structure,
    Symbolic,
)
from vjp_cli.report.reproduction import Point, Reproduction
from vjp_cli.report.values import Array, Number, Truth, TruthKind, Verdict, worst
from vjp_cli.report.whole import Report

SCHEMA = "vjp.report/1"

__all__ = [
    "SCHEMA",
    "Array",
    "Chain",
    "ChainStep",
    "CheckResult",
    "Explanation",
    "Finding",
    "FormulaGroup",
    "Identity",
    "Judged",
    "LocalJacobian",
    "Mark",
    "Number",
    "Output",
    "Paragraph",
    "Point",
    "Problem",
    "Report",
    "Reproduction",
    "Structure",
    "Symbolic",
    "Term",
    "Truth",
    "TruthKind",
    "Verdict",
    "worst",
]
