"""What a report shows of v and u: the loss, several v, contributions, Ju, and what they cost."""

from collections.abc import Iterator, Sequence
from itertools import compress

from vjp_cli.render import lines
from vjp_cli.render.beside import draw_tables
from vjp_cli.render.numbers import short
from vjp_cli.render.screen import Screen
from vjp_cli.render.tables import Axis, Cell, Table, compared, product, transposed
from vjp_cli.report import (
    Contribution,
    Contributions,
    Judged,
    Loss,
    Number,
    Report,
    Tangent,
    size_text,
)

AGAINST = "<>"
# elements that are named in a sentence
_NAMED = 6


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
        screen.words(
            f".grad is what y.backward(v, retain_graph=True) leaves after all "
            f"{len(report.accumulation.pulls)} v, one after another: torch adds each "
            f"{product(report)} to what is there"
        )
    if report.loss is not None:
        _loss(screen, report, report.loss)
    if report.contributions is not None:
        for name, part in report.contributions.inputs.items():
            _contribution(screen, report, name, part)
        _contribution_words(screen, report, report.contributions)
    if report.tangent is not None:
        _tangent(screen, report, report.tangent)


def _loss(screen: Screen, report: Report, loss: Loss) -> None:
    screen.title("loss")
    screen.words(f"{lines.assigned('loss', loss.expression)} = {short(loss.value)}")
    for formula in lines.formula_lines(loss.formulas):
        screen.words(formula if formula.startswith(" ") else f"v: {formula}")
    for name in report.problem.wrt:
        draw_tables(screen, [_one_go_table(report, loss, name)])


def _one_go_table(report: Report, loss: Loss, name: str) -> Table:
    """vᵀJ beside the gradient of the loss, and its exact value."""
    vjp = report.vjp and report.vjp[name].values
    found = loss.gradient[name].values
    verdicts = loss.judged_gradient.verdicts[name].values
    truth = loss.judged_gradient.truth[name].values
    exact = loss.symbolic[name].values if loss.symbolic else (None,) * len(found)

    def cell(row: int, column: int) -> Cell:
        if column == 0:
            return Cell(vjp[row] if vjp else None, exact=not vjp or vjp[row] != found[row])
        return compared(found[row], exact[row], verdicts[row], truth[row])[column - 1]

    columns = (product(report), "loss.backward()", "symbolic")
    return Table(f"∂loss/∂{name}", Axis(name, report.inputs[name].shape), columns, cell)


def _contribution(screen: Screen, report: Report, name: str, part: Contribution) -> None:
    outputs = Axis(report.output.name, report.output.value.shape)
    inputs = Axis(name, report.inputs[name].shape)
    structure = report.structure.get(name)
    sums = _sums(report, name)

    def structural(k: int) -> bool:
        outside = structure is not None and k not in structure.positions
        return outside and part.values.values[k] == 0

    def value(row: int, column: int) -> Cell:
        if row == len(outputs):
            return Cell(sums[column])
        k = row * len(inputs) + column
        sign = AGAINST if part.against.values[k] else ""
        return Cell(part.values.values[k], structural=structural(k), sign=sign)

    def share(row: int, column: int) -> Cell:
        k = row * len(inputs) + column
        found = part.shares.values[k]
        return Cell("-" if found is None else f"{found:.3g}%", structural=structural(k))

    rows = [*outputs, "sum"]
    shown = (Table("v_i·J_ij", rows, inputs, value), Table("share", outputs, inputs, share))
    if transposed(report):
        shown = (
            Table("v_i·J_ij", inputs, rows, lambda row, column: value(column, row)),
            Table("share", inputs, outputs, lambda row, column: share(column, row)),
        )
    screen.title(f"contributions to the gradient by {name}")
    draw_tables(screen, shown)


def _sums(report: Report, name: str) -> Sequence[float | complex | None]:
    """What the rows add up to: vᵀJ, or ``.grad`` after several v."""
    vjp = report.vjp if report.accumulation is None else report.accumulation.total
    count = len(report.inputs[name].values)
    return (None,) * count if vjp is None else vjp[name].values


def _contribution_words(screen: Screen, report: Report, found: Contributions) -> None:
    screen.line(screen.styled(()))
    several = "" if report.accumulation is None else ", v being the sum of all v"
    screen.words(f"share: of Σ_i |v_i·J_ij| for the same element{several}")
    for name, part in found.inputs.items():
        axis = Axis(name, report.inputs[name].shape)
        places = list(compress(range(len(axis)), part.conflicts.values))
        if not places:
            screen.words(f"no conflict: no two outputs pull an element of {name} opposite ways")
            continue
        names = ", ".join(axis[k] for k in places[:_NAMED])
        more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
        screen.words(f"{AGAINST} against the sum: the outputs pull {names}{more} both ways")


def _tangent(screen: Screen, report: Report, tangent: Tangent) -> None:
    how = f" by {tangent.method}" if tangent.method else ""
    screen.title(f"Ju{how}")
    shown = [_column("u", Axis(name, u.shape), u.values) for name, u in tangent.u.items()]
    name = report.output.name
    verdicts = tangent.judged.verdicts[name].values
    truth = tangent.judged.truth[name].values

    def cell(row: int, column: int) -> Cell:
        found = tangent.jvp.values[row], tangent.symbolic.values[row]
        return compared(*found, verdicts[row], truth[row])[column]

    outputs = Axis(name, report.output.value.shape)
    columns = ("torch", "symbolic", "difference")
    draw_tables(screen, [*shown, Table("Ju", outputs, columns, cell)])


def _column(title: str, rows: Axis, values: Sequence[Number]) -> Table:
    return Table(title, rows, ("",), lambda row, _: Cell(values[row]))
