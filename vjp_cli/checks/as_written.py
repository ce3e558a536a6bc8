"""The entries of the program as it is written, where that departs from its mathematics (detach)."""

from dataclasses import dataclass
from typing import Any

from vjp_cli.exact.derivatives import settled
from vjp_cli.exact.oracle import SlopeOracle
from vjp_cli.exact.side import ExactAnswer
from vjp_cli.exact.slopes import agree
from vjp_cli.lazy import flint
from vjp_cli.numbers.scalar import is_finite


@dataclass(frozen=True)
class AsWritten:
    """Answers for one problem, by formula and, where there is none, by slopes.

    Attributes:
        slopes: of the program with every departure as it is written.
    """

    exact: ExactAnswer
    slopes: SlopeOracle

    def entry(self, target: str, name: str, index: tuple[int, ...]) -> tuple[Any, str] | None:
        """The entry, and the departures in words; None where there are none, or no number."""
        if self.exact.side is None or not self.exact.side.traced.tape.departures:
            return None
        words = ", ".join(dict.fromkeys(self.exact.side.traced.tape.departures))
        number = self._by_formula(target, name, index)
        if number is None or not (settled(number) and is_finite(number)):
            column = self.slopes.column(name, index[-1])
            found = None
            if column is not None:
                found = column.weighted if target == "vjp" else column.rows[index[0]]
            if found is None or not agree(found.left, found.right):
                return None
            number = found.left.value
        return None if number is None else (number, words)

    def _by_formula(self, target: str, name: str, index: tuple[int, ...]) -> Any:
        frozen = self.exact.frozen()
        if frozen is None:
            return None
        if target == "vjp":
            return None if frozen.vjp is None else frozen.vjp[name].values[index[0]]
        matrix = frozen.jacobian[name]
        found = matrix.values[(matrix.rows == index[0]) & (matrix.columns == index[1])]
        return found[0] if len(found) else flint.fmpq(0)
