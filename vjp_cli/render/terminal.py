"""A report for the screen: tables side by side where the width allows it, then words.

Rich, behind ``Screen``, wraps lines and writes colours. It is never given a table: at a small width
rich shrinks the cells of one until no number is left in them.
"""

from collections.abc import Sequence

from rich.text import Text

from vjp_cli.render import View, lines
from vjp_cli.render.beside import draw_tables
from vjp_cli.render.chain import write_chain
from vjp_cli.render.elide import hidden_line
from vjp_cli.render.explanation import draw_explanation
from vjp_cli.render.grid import cell_width
from vjp_cli.render.overview import draw_overview, draw_sight, draw_worst_vjp
from vjp_cli.render.reproduction import draw_reproduction
from vjp_cli.render.screen import Screen
from vjp_cli.render.sizes import Size, size_of
from vjp_cli.render.tables import MARKS, tables
from vjp_cli.render.weights import cost_line, draw_weights, judged_parts
from vjp_cli.report import Array, Number, Report, Verdict

_MOST_CHARACTERS = 2_000


def render_terminal(report: Report, view: View) -> str:
    """``report`` as text for a screen of ``view.width`` columns, or for a pipe."""
    screen = Screen(view)
    _heading(screen, report)
    for name in report.problem.wrt:
        _input(screen, report, name)
    _legend(screen, report)
    write_chain(screen, report)
    draw_weights(screen, report)
    # without v the notes stand in the place of vᵀJ: they say why there is none
    sections = (_notes, _checks, _findings) if report.v is None else (_checks, _findings, _notes)
    for section in sections:
        section(screen, report)
    draw_explanation(screen, report)
    draw_reproduction(screen, report)
    return screen.text()


def _heading(screen: Screen, report: Report) -> None:
    label = f"{report.verdict}   "
    first, *others = _flow(lines.headline(report), screen.width - len(label))
    screen.words(first, (label, report.verdict), indent=0)
    for line in others:
        screen.words(line, indent=len(label))
    for name, value in (*report.inputs.items(), (report.output.name, report.output.value)):
        screen.words(f"{name} = {_listing(screen, name, value)}")
    judgement = lines.judgement(report)
    if judgement:
        of = f" of {report.problem.against}" if report.problem.against else ""
        screen.words(f"compared with {lines.reference(report)}{of}: {judgement}")
    for words in (cost_line(report), lines.layout_line(report)):
        if words:
            screen.words(words)


def _flow(parts: Sequence[str], room: int) -> list[str]:
    """``parts`` joined to lines, broken between parts and not within them where possible."""
    flowing = [parts[0]]
    for part in parts[1:]:
        longer = f"{flowing[-1]} · {part}"
        if cell_width(longer) <= room:
            flowing[-1] = longer
        else:
            flowing.append(part)
    return flowing


def _listing(screen: Screen, name: str, value: Array[Number]) -> str:
    if screen.view.full:
        return lines.listing(value, len(value.values) * _MOST_CHARACTERS)
    return lines.listing(value, min(screen.width, _MOST_CHARACTERS) - len(name) - 5)


def _input(screen: Screen, report: Report, name: str) -> None:
    """What belongs to one input: its tables, the pattern of its J and the formulas."""
    if len(report.problem.wrt) > 1:
        screen.title(f"input {name}: {lines.shape_text(report.inputs[name].shape)}")
    size = size_of(screen, report, name)
    if size is not Size.SMALL and report.jacobian is not None:
        draw_overview(screen, report, name, size)
    draw_tables(screen, tables(report, name, matrix=size is Size.SMALL))
    draw_worst_vjp(screen, report, name)
    structure = report.structure.get(name)
    formulas = [lines.formula_lines([g]) for g in report.symbolic.jacobian.get(name, ())]
    if structure or formulas:
        screen.line(Text())
    if structure:
        screen.words(lines.structure_line(structure))
    draw_sight(screen, report, name, size)
    for formula in formulas[: screen.most(len(formulas))]:
        for line in formula:
            screen.words(line)
    _hidden(screen, len(formulas), "formula")


def _legend(screen: Screen, report: Report) -> None:
    """What the signs beside the numbers mean; only those that appear."""
    seen = {
        v
        for side in judged_parts(report)
        for array in side.verdicts.values()
        for v in array.counts()
    }
    signs = [f"{MARKS[verdict]} {verdict}" for verdict in Verdict if verdict in seen]
    if any(
        s.nonzeros < s.shape[0] * s.shape[1] and size_of(screen, report, name) is not Size.LARGE
        for name, s in report.structure.items()
        if report.jacobian
    ):
        signs.insert(0, "· structural zero: this output does not depend on this input")
    signs = [sign for sign in signs if sign != f" {Verdict.OK}"]
    if signs:
        screen.line(Text())
        screen.words("   ".join(signs))


def _checks(screen: Screen, report: Report) -> None:
    shown = [lines.check_line(check) for check in report.checks]
    if not shown:
        return
    screen.title("checks")
    width = max(cell_width(line.label) for line in shown)
    for line in shown:
        verdict = line.verdict or Verdict.OK
        name = line.label + " " * (width - cell_width(line.label))
        screen.words(line.text, (f"{name}   ", ""), (f"{verdict:<9}  ", verdict))


def _findings(screen: Screen, report: Report) -> None:
    findings = sorted(report.findings, key=lambda finding: -finding.verdict.severity)
    if not findings:
        return
    screen.title("findings")
    for finding in findings[: screen.most(len(findings))]:
        head, *details = lines.finding_lines(finding, report)
        screen.words(head.text, (f"{head.label} ", head.verdict or ""))
        for detail in details:
            screen.words(detail.text, (f"{detail.label:<8}", "rule"), indent=4)
    _hidden(screen, len(findings), "finding")


def _notes(screen: Screen, report: Report) -> None:
    if report.notes:
        screen.title("notes")
    for note in report.notes:
        screen.words(note, ("- ", ""))


def _hidden(screen: Screen, count: int, what: str) -> None:
    if count > screen.most(count):
        screen.words(hidden_line(count - screen.most(count), what))
