"""What a check is given."""

from dataclasses import dataclass

from vjp_cli.derivatives.evaluation import TorchSide
from vjp_cli.exact.side import ExactAnswer
from vjp_cli.exact.tracing_program import Point
from vjp_cli.program import Program


@dataclass(frozen=True)
class Context:
    """One problem as torch computed it.

    Attributes:
        dtype: the name of the problem's dtype.
        seed: for random directions.
        reference: the program that the truth is taken from.
        exact: what the exact side knows of it.
        deadline: no exact run is begun after it.
    """

    program: Program
    point: Point
    side: TorchSide
    dtype: str
    seed: int
    reference: Program
    exact: ExactAnswer
    deadline: float

    @property
    def is_complex(self) -> bool:
        """Whether an input or y is complex."""
        return any(x.is_complex() for x in (*self.point.inputs.values(), self.side.output))
