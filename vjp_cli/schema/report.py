"""The JSON of a report: its keys in their order, and what each of them means.

A new key of ``vjp_cli.render.json`` is declared here, in one line; the schema, its tests and the
check of every sample follow from it. Keys are only ever added.
"""

from typing import Annotated

from vjp_cli.errors import ExitCode
from vjp_cli.report import SCHEMA, Verdict
from vjp_cli.schema.chain import ChainStep, Identity
from vjp_cli.schema.parts import (
    Answer,
    Check,
    Finding,
    Judgement,
    Output,
    Problem,
    Reproduction,
    Structure,
    Symbolic,
    Truth,
)
from vjp_cli.schema.shapes import Gradients, Jacobian, Numbers, says
from vjp_cli.schema.weights import Contribution, Cost, Loss, Tangent


class Report(Answer, kw_only=True):
    """The answer to one problem: what vjp inspect --json prints, and a line of vjp batch."""

    schema: Annotated[str, says("The name and version of this format.", const=SCHEMA)]
    ok: Annotated[bool, says("Whether the exit code is 0.")]
    verdict: Annotated[Verdict, says("The worst verdict of all entries and checks.")]
    exit_code: Annotated[ExitCode, says("The exit code of a call with this problem alone.")]
    problem: Problem
    inputs: Annotated[dict[str, Numbers], says("The value of each input, rounded to the dtype.")]
    output: Output
    v: Annotated[Numbers | None, says("The cotangent; null for none, a list of several.")]
    jacobian: Annotated[
        dict[str, Jacobian] | None, says("torch's J by each input; null where it was not built.")
    ]
    vjp: Annotated[
        dict[str, Gradients] | list[dict[str, Gradients] | None] | None,
        says(
            "For each input what y.backward(v) leaves in .grad; null without v, a list of several."
        ),
    ]
    symbolic: Symbolic
    structure: Annotated[dict[str, Structure], says("The pattern of J, by input, where known.")]
    truth: Truth
    verdicts: Judgement
    checks: Annotated[list[Check], says("What was compared, a row each.")]
    findings: Annotated[list[Finding], says("The entries that are not ok, each with its cause.")]
    notes: Annotated[list[str], says("Sentences that the reader must see.")]
    environment: Annotated[
        dict[str, str | int | float], says("Versions, the seed and the number of threads.")
    ]
    chain: Annotated[
        list[ChainStep] | None, says("With --chain: the steps from the output back, inputs last.")
    ]
    identity: Annotated[list[Identity] | None, says("With --chain: the chain rule for each input.")]
    explanation: Annotated[
        list[str] | None, says("With --explain: the report in words, a paragraph each.")
    ]
    reproduce: Annotated[
        Reproduction | None, says("With --reproduce: the problem as a command line.")
    ]
    cost: Annotated[Cost | None, says("What the VJP and J took.")]
    loss: Annotated[Loss | None, says("With --loss: where v comes from.")]
    accumulated: Annotated[
        dict[str, Gradients] | None,
        says("With several v: what .grad holds after all of them; null where a pass raised."),
    ]
    contributions: Annotated[
        dict[str, Contribution | None] | None,
        says("With --contributions: by input; null for one of more entries than --max-entries."),
    ]
    tangent: Annotated[Tangent | None, says("With --u: the derivative along u.")]
