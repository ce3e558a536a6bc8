"""v as the derivative of a loss."""

from collections.abc import Mapping
from dataclasses import dataclass

from vjp_cli.report.parts import FormulaGroup, Judged
from vjp_cli.report.values import Array, Number


@dataclass(frozen=True)
class Loss:
    """Where v comes from, and the same gradient taken in one go.

    Attributes:
        expression: the loss in terms of the output's name.
        value: of the loss at y.
        formulas: of v, ``dloss/dy[i] = 2*y[i] - 2``.
        judged_v: the verdict and the truth of v at y, under the name of the output.
        gradient: what ``loss(y(x)).backward()`` gives for each input, in its shape; an entry is
            None where torch gives no number.
        symbolic: the exact gradient of the composed program as floats, None where unknown.
        judged_gradient: the verdict and the truth of each entry of ``gradient``.
    """

    expression: str
    value: Number
    formulas: tuple[FormulaGroup, ...]
    judged_v: Judged
    gradient: Mapping[str, Array[Number | None]]
    symbolic: Mapping[str, Array[Number | None]] | None
    judged_gradient: Judged
