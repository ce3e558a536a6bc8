"""A Jacobian that is too large to be built in full: from its pattern, or left out with a reason.

The pattern comes from the exact side, which needs torch's y: so torch runs once more for J.
"""

from collections.abc import Mapping
from dataclasses import replace

from vjp_cli.derivatives.evaluation import TorchSide, Wanted, evaluate
from vjp_cli.errors import LimitError
from vjp_cli.exact.side import ExactAnswer
from vjp_cli.exact.tracing_program import Point
from vjp_cli.forecast import refuse_size
from vjp_cli.lazy import torch
from vjp_cli.program import Program
from vjp_cli.report import size_text
from vjp_cli.settings import LIMITS


def forecast(output: "torch.Tensor", point: "Mapping[str, torch.Tensor]", wanted: Wanted) -> str:
    """What is about to be built, in words, now that y is known.

    Raises:
        LimitError: y is too large for anything.
    """
    refuse_size(output.numel())
    rows, columns = output.numel(), sum(point[name].numel() for name in wanted.wrt)
    if not wanted.jacobian:
        return f"vᵀJ of {columns:,} entries"
    size = f"{rows:,} x {columns:,}, {size_text(rows * columns * output.element_size())} in full"
    if not wanted.postpones(rows, columns, custom=False):
        return f"torch's J, {size}"
    return f"vᵀJ first: J, {size}, only by its pattern"


def with_jacobian(
    program: Program, point: Point, side: TorchSide, exact: ExactAnswer
) -> tuple[TorchSide, str]:
    """Torch's side with the J that was postponed, or the reason why there is none.

    Raises:
        LimitError: there is no v either, so that nothing would be left to show.
    """
    known = exact.side is not None and not exact.reason and not exact.is_complex
    unheld = known and exact.side is not None and not exact.side.jacobian
    if not side.postponed and not (unheld and side.jacobian):
        return side, ""
    wanted = Wanted(point.wrt, lambda output: point.v, jacobian=True)
    if known and not unheld and exact.side is not None:
        matrices = exact.side.jacobian
        patterns = {name: (matrix.rows, matrix.columns) for name, matrix in matrices.items()}
        return evaluate(program, point.inputs, replace(wanted, patterns=patterns)), ""
    entries = side.output.numel() * sum(point.inputs[name].numel() for name in point.wrt)
    size = size_text(entries * side.output.element_size())
    why = f"J would have {entries:,} entries ({size}), and their pattern is not known"
    if known:
        why = f"J has more than {LIMITS.exact_entries:,} possible non-zeros, or on the way"
    if point.v is None:
        raise LimitError(why, "add --v and --no-jacobian to compute vᵀJ alone")
    side = replace(side, jacobian=None, postponed=False)
    return side, f"{why}: it was not computed, and vᵀJ alone is compared"
