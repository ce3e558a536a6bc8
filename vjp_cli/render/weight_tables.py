"""The tables of what was asked of v and u: the loss, several v, contributions, Ju."""

from collections.abc import Iterator, Sequence
from itertools import compress

from vjp_cli.render.tables import Axis, Cell, Table, compared, product, transposed
from vjp_cli.report import Accumulation, Contributions, Loss, Number, Report, Tangent

AGAINST = "<>"
# elements that are named in a sentence
_NAMED = 6


def sum_words(report: Report, several: Accumulation) -> str:
    """What ``.grad`` is after several v."""
    return (
        f".grad is what y.backward(v, retain_graph=True) leaves after all "
        f"{len(several.pulls)} v, one after another: torch adds each "
        f"{product(report)} to what is there"
    )


def loss_table(report: Report, loss: Loss, name: str) -> Table:
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


def contribution_tables(report: Report, name: str) -> list[Table]:
    """v_i·J_ij with their sum, and the share of each."""
    assert report.contributions is not None
    part = report.contributions.inputs[name]
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
    if transposed(report):
        return [
            Table("v_i·J_ij", inputs, rows, lambda row, column: value(column, row)),
            Table("share", inputs, outputs, lambda row, column: share(column, row)),
        ]
    return [Table("v_i·J_ij", rows, inputs, value), Table("share", outputs, inputs, share)]


def _sums(report: Report, name: str) -> Sequence[float | complex | None]:
    """What the rows add up to: vᵀJ, or ``.grad`` after several v."""
    vjp = report.vjp if report.accumulation is None else report.accumulation.total
    count = len(report.inputs[name].values)
    return (None,) * count if vjp is None else vjp[name].values


def contribution_words(report: Report, found: Contributions) -> Iterator[str]:
    """What a share is of, and where the outputs pull in opposite directions."""
    several = "" if report.accumulation is None else ", v being the sum of all v"
    yield f"share: of Σ_i |v_i·J_ij| for the same element{several}"
    for name, part in found.inputs.items():
        axis = Axis(name, report.inputs[name].shape)
        places = list(compress(range(len(axis)), part.conflicts.values))
        if not places:
            yield f"no conflict: no two outputs pull an element of {name} opposite ways"
            continue
        names = ", ".join(axis[k] for k in places[:_NAMED])
        more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
        yield f"{AGAINST} against the sum: the outputs pull {names}{more} both ways"


def tangent_title(tangent: Tangent) -> str:
    """Ju, and how torch computed it."""
    return f"Ju by {tangent.method}" if tangent.method else "Ju"


def tangent_tables(report: Report, tangent: Tangent) -> list[Table]:
    """The u of each input, and Ju with its symbolic twin."""
    shown = [_column("u", Axis(name, u.shape), u.values) for name, u in tangent.u.items()]
    name = report.output.name
    verdicts = tangent.judged.verdicts[name].values
    truth = tangent.judged.truth[name].values

    def cell(row: int, column: int) -> Cell:
        found = tangent.jvp.values[row], tangent.symbolic.values[row]
        return compared(*found, verdicts[row], truth[row])[column]

    outputs = Axis(name, report.output.value.shape)
    columns = ("torch", "symbolic", "difference")
    return [*shown, Table("Ju", outputs, columns, cell)]


def _column(title: str, rows: Axis, values: Sequence[Number]) -> Table:
    return Table(title, rows, ("",), lambda row, _: Cell(values[row]))
