"""The exact side in words: formulas and structure for the report."""

from collections.abc import Mapping
from typing import Any

from vjp_cli.exact.side import ExactAnswer
from vjp_cli.report import Array, Structure, Symbolic
from vjp_cli.tracing.formulas import FormulaWriter
from vjp_cli.tracing.pattern import structure


def symbolic_of(answer: ExactAnswer, output: str, vjp: Mapping[str, Array[Any]] | None) -> Symbolic:
    """Formulas of y and of J, and the exact vᵀJ as floats."""
    side = answer.side
    if side is None:
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
        )
        for name, matrix in side.jacobian.items()
        if matrix.node is not None
    }
    return Symbolic(values, jacobian, vjp)


def structures_of(answer: ExactAnswer) -> dict[str, Structure]:
    """The structure of each Jacobian that was built."""
    if answer.side is None:
        return {}
    return {
        name: structure(matrix.shape, matrix.rows, matrix.columns)
        for name, matrix in answer.side.jacobian.items()
    }
