"""A report as a document: sections of words, formulas and tables, for Markdown, LaTeX and HTML.

What is said, and in which order, is settled here; a format only knows how to write each block.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from vjp_cli.render import lines
from vjp_cli.render.chain import write_chain
from vjp_cli.render.numbers import short
from vjp_cli.render.tables import MARKS, Table, product, tables
from vjp_cli.render.weight_tables import (
    contribution_tables,
    contribution_words,
    loss_table,
    sum_words,
    tangent_tables,
    tangent_title,
)
from vjp_cli.render.weights import cost_line, judged_parts
from vjp_cli.report import CheckResult, Finding, FormulaGroup, Report, Verdict

# titles that a format may treat in its own way
FINDINGS = "findings"
CHAIN = "chain rule, from the output back"
# the columns of a line of it
_LINE = 88


@dataclass(frozen=True)
class Words:
    """A paragraph, or one of several that belong together."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class Formulas:
    """Formulas below each other."""

    groups: tuple[FormulaGroup, ...]


@dataclass(frozen=True)
class Tables:
    """Tables that are read side by side."""

    tables: tuple[Table, ...]


@dataclass(frozen=True)
class Code:
    """Lines that are shown as they are; ``shell`` for those that a shell runs."""

    lines: tuple[str, ...]
    shell: bool = False


@dataclass(frozen=True)
class Checks:
    """The rows of the checks."""

    checks: tuple[CheckResult, ...]


@dataclass(frozen=True)
class Findings:
    """The findings, the worst first."""

    findings: tuple[Finding, ...]


Block = Words | Formulas | Tables | Code | Checks | Findings


@dataclass(frozen=True)
class Section:
    """Blocks under a title."""

    title: str
    blocks: tuple[Block, ...]


def summary(report: Report) -> tuple[str, ...]:
    """The shapes and the dtype, what was compared, and what it took; a sentence each."""
    shapes = " · ".join(lines.headline(report)[1:])
    found = lines.judgement(report)
    of = f" of {report.problem.against}" if report.problem.against else ""
    compared = f"compared with {lines.reference(report)}{of}: {found}" if found else ""
    return tuple(filter(None, (shapes, compared, cost_line(report), lines.layout_line(report))))


def sections(report: Report) -> Iterator[Section]:
    """Everything below the first lines."""
    for name in report.problem.wrt:
        yield _input(report, name)
    yield from _weights(report)
    chain = chain_lines(report)
    if chain:
        yield Section(CHAIN, (Code(chain),))
    if report.checks:
        yield Section("checks", (Checks(report.checks),))
    if report.findings:
        worst = sorted(report.findings, key=lambda finding: -finding.verdict.severity)
        yield Section(FINDINGS, (Findings(tuple(worst)),))
    if report.notes:
        yield Section("notes", (Words(report.notes),))
    if report.explanation is not None:
        texts = tuple(f"{each.label}: {each.text}" for each in report.explanation.paragraphs)
        yield Section(report.explanation.title, (Words(texts),))
    made = report.reproduction
    if made is not None and (made.problem or made.point):
        whole = tuple(filter(None, (made.problem, made.point)))
        yield Section("reproduce", (Code(whole, shell=True),))


def legend(report: Report) -> tuple[str, ...]:
    """What the signs beside the numbers mean; only those that appear."""
    seen: set[Verdict] = set()
    for side in judged_parts(report):
        for array in side.verdicts.values():
            seen.update(array.counts())
    signs = [f"{MARKS[v]} {v}" for v in Verdict if v in seen and MARKS[v]]
    holes = (s.nonzeros < s.shape[0] * s.shape[1] for s in report.structure.values())
    if report.jacobian and any(holes):
        signs.insert(0, "· structural zero: this output does not depend on this input")
    return tuple(signs)


def _input(report: Report, name: str) -> Section:
    several = len(report.problem.wrt) > 1
    title = f"input {name}" if several else f"J and {product(report)}"
    if not several and report.vjp is None:
        title = "J"
    blocks: list[Block] = [Tables(tuple(tables(report, name)))]
    structure = report.structure.get(name)
    if structure is not None:
        blocks.append(Words((lines.structure_line(structure),)))
    groups = report.symbolic.jacobian.get(name, ())
    if groups:
        blocks.append(Formulas(groups))
    return Section(title, tuple(blocks))


def _weights(report: Report) -> Iterator[Section]:
    several, loss = report.accumulation, report.loss
    if several is not None and several.total is not None:
        yield Section("several v", (Words((sum_words(report, several),)),))
    if loss is not None:
        value = f"{lines.assigned('loss', loss.expression)} = {short(loss.value)}"
        shown = tuple(loss_table(report, loss, name) for name in report.problem.wrt)
        formulas = (Formulas(loss.formulas),) if loss.formulas else ()
        yield Section("loss", (Words((value,)), *formulas, Tables(shown)))
    if report.contributions is not None:
        for name in report.contributions.inputs:
            made = Tables(tuple(contribution_tables(report, name)))
            yield Section(f"contributions to the gradient by {name}", (made,))
        words = tuple(contribution_words(report, report.contributions))
        yield Section("shares", (Words(words),))
    if report.tangent is not None:
        shown = tuple(tangent_tables(report, report.tangent))
        yield Section(tangent_title(report.tangent), (Tables(shown),))


class _Collected:
    """The screen that the chain is written on here: lines of one width, without colours."""

    width = _LINE

    def __init__(self) -> None:
        self.lines: list[str] = []

    def title(self, text: str) -> None:
        """The section has one of its own."""

    def words(self, text: str, *label: tuple[str, str], indent: int = 2) -> None:
        self.lines.append(" " * (indent - 2) + "".join(part for part, _ in label) + text)

    def most(self, count: int) -> int:
        return count


def chain_lines(report: Report) -> tuple[str, ...]:
    """The chain rule as lines of text; none where it was not asked for."""
    screen = _Collected()
    write_chain(screen, report)
    return tuple(screen.lines)
