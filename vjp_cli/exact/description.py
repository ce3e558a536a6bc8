"""The exact side in words: formulas and structure for the report."""

from collections.abc import Hashable, Mapping
from typing import Any

from vjp_cli.exact.derivatives import ExactSide
from vjp_cli.exact.matrices import Matrix
from vjp_cli.exact.side import ExactAnswer
from vjp_cli.kept import Kept
from vjp_cli.lazy import numpy
from vjp_cli.report import Array, FormulaGroup, Judged, Structure, Symbolic, Truth, TruthKind
from vjp_cli.tracing.fingerprint import fingerprint
from vjp_cli.tracing.formulas import FormulaWriter
from vjp_cli.tracing.node import Index, OutOfTime
from vjp_cli.tracing.pattern import structure

_Formulas = tuple[tuple[FormulaGroup, ...], dict[str, tuple[FormulaGroup, ...]]]
# a batch asks for the same formulas at many points
_WRITTEN: Kept[_Formulas] = Kept(512)
_ZERO = Truth(TruthKind.VALUE, "0")


def symbolic_of(answer: ExactAnswer, output: str, vjp: Mapping[str, Array[Any]] | None) -> Symbolic:
    """Formulas of y and of J, and the exact vᵀJ as floats."""
    side = answer.side
    if side is None or answer.is_complex:
        return Symbolic(vjp=vjp)
    matrices = {name: m for name, m in side.jacobian.items() if m.node is not None}
    # at a tie the formula of the branch that was taken is not the derivative
    chosen = {
        name: numpy.flatnonzero(~numpy.isin(matrix.columns, [*side.doubts[name]]))
        if side.doubts[name]
        else numpy.arange(matrix.count)
        for name, matrix in matrices.items()
    }
    try:
        values, jacobian = _WRITTEN.get(
            _question(side, matrices, chosen, output),
            lambda: _written(side, matrices, chosen, output),
        )
    except OutOfTime:
        # reading templates computes nothing new, so it may run past the deadline; but numbers that
        # waited until then (constants of a large problem) are not made any more
        return Symbolic(vjp=vjp)
    return Symbolic(values, dict(jacobian), vjp)


def _question(
    side: ExactSide, matrices: Mapping[str, Matrix], chosen: Mapping[str, Index], output: str
) -> Hashable | None:
    """What the formulas depend on; None where they are not worth keeping."""
    found = fingerprint([side.traced.output, *[m.node for m in matrices.values() if m.node]])
    if found is None:
        return None
    places = [
        (name, matrix.rows.tobytes(), matrix.columns.tobytes(), chosen[name].tobytes())
        for name, matrix in matrices.items()
    ]
    shapes = tuple(leaf.shape for leaf in side.traced.leaves.values())
    return output, found, tuple(places), shapes


def _written(
    side: ExactSide, matrices: Mapping[str, Matrix], chosen: Mapping[str, Index], output: str
) -> _Formulas:
    traced, writer = side.traced, FormulaWriter(output)
    values = writer.values(traced.output)
    jacobian = {
        name: writer.jacobian(
            matrix.node,
            (matrix.rows, matrix.columns),
            (traced.output.shape, traced.leaves[name].shape),
            name,
            chosen[name],
        )
        for name, matrix in matrices.items()
        if matrix.node is not None
    }
    return values, jacobian


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
