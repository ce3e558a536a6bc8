"""What a report shows of v and u: the loss, several v, contributions, Ju, and what they cost."""

from collections.abc import Iterator

from vjp_cli.render import lines
from vjp_cli.render.beside import draw_tables
from vjp_cli.render.numbers import short
from vjp_cli.render.screen import Screen
from vjp_cli.render.tables import product
from vjp_cli.render.weight_tables import (
    contribution_tables,
    contribution_words,
    loss_table,
    sum_words,
    tangent_tables,
    tangent_title,
)
from vjp_cli.report import Judged, Loss, Report, size_text


def judged_parts(report: Report) -> Iterator[Judged]:
    """Everything in the report that has verdicts."""
    parts = [report.judged_jacobian, report.judged_vjp]
    if report.accumulation is not None:
        parts += [pull.judged for pull in report.accumulation.pulls[1:]]
    if report.loss is not None:
        parts += [report.loss.judged_v, report.loss.judged_gradient]
    if report.tangent is not None:
        parts.append(report.tangent.judged)
    return (part for part in parts if part is not None)


def cost_line(report: Report) -> str:
    """The passes that were made, the size of J, and why frameworks are content with vᵀJ.

    It is "" where nothing was made, and where an explanation says the same at length.
    """
    cost, rows = report.cost, len(report.output.value.values)
    told = report.explanation is not None
    if cost is None or told or not cost.vjp_passes + cost.jacobian_passes:
        return ""
    name, size, made = product(report), size_text(cost.jacobian_bytes), cost.jacobian_passes
    first = f"cost: {name} {_passes(cost.vjp_passes)}"
    whole = f"J {made} and {size}" if made else f"J up to {rows} and {size}"
    if not cost.vjp_passes:
        first, whole = f"cost: J {_passes(made)} and {size}", f"{name} takes 1"
    if rows == 1:
        return f"{first}, {whole}: J has one row, the gradient"
    return f"{first}, {whole}: why frameworks use {name}"


def _passes(count: int) -> str:
    return f"{count} backward pass{'' if count == 1 else 'es'}"


def draw_weights(screen: Screen, report: Report) -> None:
    """The sections that were asked for."""
    if report.accumulation is not None and report.accumulation.total is not None:
        screen.line(screen.styled(()))
        screen.words(sum_words(report, report.accumulation))
    if report.loss is not None:
        _loss(screen, report, report.loss)
    if report.contributions is not None:
        for name in report.contributions.inputs:
            screen.title(f"contributions to the gradient by {name}")
            draw_tables(screen, contribution_tables(report, name))
        screen.line(screen.styled(()))
        for words in contribution_words(report, report.contributions):
            screen.words(words)
    if report.tangent is not None:
        screen.title(tangent_title(report.tangent))
        draw_tables(screen, tangent_tables(report, report.tangent))


def _loss(screen: Screen, report: Report, loss: Loss) -> None:
    screen.title("loss")
    screen.words(f"{lines.assigned('loss', loss.expression)} = {short(loss.value)}")
    for formula in lines.formula_lines(loss.formulas):
        screen.words(formula if formula.startswith(" ") else f"v: {formula}")
    for name in report.problem.wrt:
        draw_tables(screen, [loss_table(report, loss, name)])
