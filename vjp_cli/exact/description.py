"""The exact side in words: formulas and structure for the report."""

from collections.abc import Mapping
from typing import Any

from vjp_cli.exact.side import ExactAnswer
from vjp_cli.lazy import numpy
from vjp_cli.report import Array, Judged, Structure, Symbolic, Truth, TruthKind
from vjp_cli.tracing.formulas import FormulaWriter
from vjp_cli.tracing.pattern import structure

_ZERO = Truth(TruthKind.VALUE, "0")


def symbolic_of(answer: ExactAnswer, output: str, vjp: Mapping[str, Array[Any]] | None) -> Symbolic:
    """Formulas of y and of J, and the exact vᵀJ as floats."""
    side = answer.side
    if side is None or answer.is_complex:
        return Symbolic(vjp=vjp)
    traced = side.traced
    # reading templates computes nothing new, so it may run past the deadline
    writer = FormulaWriter(output)
    values = writer.values(traced.output)
    jacobian = {
        name: writer.jacobian(
            matrix.node,
            (matrix.rows, matrix.columns),
            (traced.output.shape, traced.leaves[name].shape),
            name,
            # at a tie the formula of the branch that was taken is not the derivative
            [k for k, c in enumerate(matrix.columns.tolist()) if c not in side.doubts[name]],
        )
        for name, matrix in side.jacobian.items()
        if matrix.node is not None
    }
    return Symbolic(values, jacobian, vjp)


def structures_of(
    answer: ExactAnswer, judged: Judged | None, *, forward: bool
) -> dict[str, Structure]:
    """The structure of each Jacobian that was built.

    ``forward``: whether double backwards may be used to compute columns of J.

    At a tie the branch that was taken may not show a dependence that the slopes found: such entries
    belong to the pattern as well.
    """
    if answer.side is None:
        return {}
    found = {}
    for name, matrix in answer.side.jacobian.items():
        rows, columns = matrix.rows, matrix.columns
        if judged is not None and name in judged.truth and answer.side.doubts[name]:
            wide = matrix.shape[1]
            known = set((rows * wide + columns).tolist())
            known.update(k for k, truth in judged.truth[name].listed() if truth != _ZERO)
            flat = numpy.array(sorted(known), dtype=int)
            rows, columns = flat // max(wide, 1), flat % max(wide, 1)
        found[name] = structure(matrix.shape, rows, columns, forward=forward)
    return found
