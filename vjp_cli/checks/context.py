"""What a check is given."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from vjp_cli.derivatives.evaluation import TorchSide
from vjp_cli.exact.side import ExactAnswer
from vjp_cli.exact.tracing_program import Point
from vjp_cli.program import Program
from vjp_cli.report import Report
from vjp_cli.values import Value


class Again(Protocol):
    """The pipeline, handed to checks as a function."""

    def __call__(
        self, inputs: Mapping[str, Value], v: Value | None, dtype: str | None = None
    ) -> Report:
        """The report on the program with these inputs and this v, perhaps in another dtype.

        Raises:
            VjpError: the evaluation failed.
        """


@dataclass(frozen=True)
class Context:
    """One problem as torch computed it.

    Attributes:
        dtype: the name of the problem's dtype.
        seed: for random directions.
        reference: the program that the truth is taken from.
        exact: what the exact side knows of it.
        deadline: no exact run is begun after it.
        again: inspects the same program elsewhere.
        points: at how many further points it is to be judged.
    """

    program: Program
    point: Point
    side: TorchSide
    dtype: str
    seed: int
    reference: Program
    exact: ExactAnswer
    deadline: float
    again: Again
    points: int = 0

    @property
    def is_complex(self) -> bool:
        """Whether an input or y is complex."""
        return any(x.is_complex() for x in (*self.point.inputs.values(), self.side.output))
