"""The worst entries of J as a short table."""

from collections.abc import Iterator
from heapq import nsmallest

from vjp_cli.render.html.elements import tabulated
from vjp_cli.render.html.elements import verdict as said
from vjp_cli.render.html.svg import text
from vjp_cli.render.marks import odd
from vjp_cli.render.tables import Axis, compared
from vjp_cli.report import Report

_MOST = 10


def worst_entries(report: Report, name: str) -> Iterator[str]:
    """At most ten entries that are not ok, the most severe first; nothing where all are."""
    judged, jacobian = report.judged_jacobian, report.jacobian
    if judged is None or jacobian is None:
        return
    found = nsmallest(_MOST + 1, odd(report, name), key=lambda each: (-each[1].severity, each[0]))
    if not found:
        return
    outputs = Axis(report.output.name, report.output.value.shape)
    inputs = Axis(name, report.inputs[name].shape)
    rows = []
    for position, verdict in found[:_MOST]:
        row, column = divmod(position, len(inputs))
        values = jacobian[name].values[position], None, verdict, judged.truth[name].values[position]
        torch, truth, _ = compared(*values)
        place = f"∂{outputs[row]}/∂{inputs[column]}"
        rows.append([text(place), text(torch.text), text(truth.text), said(verdict)])
    title = "the worst entries of J" if len(found) > _MOST else "entries of J that are not ok"
    yield tabulated(title, ["entry", "torch", "truth", ""], rows, "numbers")
