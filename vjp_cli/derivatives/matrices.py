"""Torch's Jacobian for one input: dense, or the entries of a pattern. Consumers ask both alike."""

from dataclasses import dataclass
from typing import Any

from vjp_cli.lazy import numpy, torch


@dataclass(frozen=True)
class Dense:
    """Every entry, in a tensor of shape (y.numel(), x.numel()) on the CPU."""

    tensor: "torch.Tensor"

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of outputs and of elements of the input."""
        rows, columns = self.tensor.shape
        return rows, columns

    def at(self, rows: Any, columns: Any) -> "torch.Tensor":
        """The numbers at these places (arrays of indices)."""
        return self.tensor[rows, columns]

    def is_pattern(self, rows: Any, columns: Any) -> bool:
        """Whether these arrays are the very pattern that the matrix was computed by."""
        return False

    def nonzero(self) -> tuple[Any, Any]:
        """The rows and the columns of all numbers that are not 0 (one is NaN, too)."""
        rows, columns = self.tensor.nonzero(as_tuple=True)
        return rows.numpy(), columns.numpy()

    def values(self) -> "torch.Tensor":
        """All numbers, flat."""
        return self.tensor.reshape(-1)

    def dense(self) -> "torch.Tensor":
        """The tensor."""
        return self.tensor

    def ordinary(self) -> "Dense":
        """The same with 0 in place of what is not finite."""
        return Dense(torch.where(self.tensor.isfinite(), self.tensor, 0))

    def sizes(self) -> "Dense":
        """The absolute values."""
        return Dense(self.tensor.abs())

    def pulled(self, v: "torch.Tensor") -> "torch.Tensor":
        """vᵀJ in float64; an output with v_i = 0 contributes nothing, not 0·NaN."""
        v = v.double()
        return v[v != 0] @ self.tensor.double()[v != 0]

    def pushed(self, u: "torch.Tensor") -> "torch.Tensor":
        """Ju in float64."""
        return self.tensor.double() @ u.double()


@dataclass(frozen=True)
class Sparse:
    """The entries of a pattern; all others are 0.

    Attributes:
        shape: the numbers of outputs and of elements of the input.
        rows: of the entries, each place once.
        columns: of the entries.
        numbers: of the entries, on the CPU.
    """

    shape: tuple[int, int]
    rows: Any
    columns: Any
    numbers: "torch.Tensor"

    def is_pattern(self, rows: Any, columns: Any) -> bool:
        """See ``Dense``."""
        return rows is self.rows and columns is self.columns

    def at(self, rows: Any, columns: Any) -> "torch.Tensor":
        """See ``Dense``."""
        if self.is_pattern(rows, columns):
            return self.numbers
        keys, order = self._order()
        wanted = rows * self.shape[1] + columns
        places = numpy.searchsorted(keys, wanted)
        known = self.has(rows, columns)
        found = self.numbers.new_zeros(len(wanted))
        taken = order[places[known]]
        found[torch.from_numpy(numpy.flatnonzero(known))] = self.numbers[torch.from_numpy(taken)]
        return found

    def has(self, rows: Any, columns: Any) -> Any:
        """Which of the places belong to the pattern."""
        keys, _ = self._order()
        wanted = rows * self.shape[1] + columns
        places = numpy.minimum(numpy.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        return keys[places] == wanted if len(keys) else numpy.zeros(len(wanted), dtype=bool)

    def nonzero(self) -> tuple[Any, Any]:
        """See ``Dense``."""
        other = (self.numbers != 0).numpy()
        return self.rows[other], self.columns[other]

    def values(self) -> "torch.Tensor":
        """The numbers of the pattern."""
        return self.numbers

    def dense(self) -> "torch.Tensor":
        """All numbers, with the zeros."""
        tensor = self.numbers.new_zeros(self.shape)
        tensor[self.rows, self.columns] = self.numbers
        return tensor

    def ordinary(self) -> "Sparse":
        """See ``Dense``."""
        return self._with(torch.where(self.numbers.isfinite(), self.numbers, 0))

    def sizes(self) -> "Sparse":
        """See ``Dense``."""
        return self._with(self.numbers.abs())

    def pulled(self, v: "torch.Tensor") -> "torch.Tensor":
        """See ``Dense``."""
        rows, columns = torch.from_numpy(self.rows), torch.from_numpy(self.columns)
        weights = v.double()[rows]
        terms = torch.where(weights == 0, 0, weights * self.numbers.double())
        return torch.zeros(self.shape[1], dtype=torch.float64).index_add_(0, columns, terms)

    def pushed(self, u: "torch.Tensor") -> "torch.Tensor":
        """See ``Dense``."""
        rows, columns = torch.from_numpy(self.rows), torch.from_numpy(self.columns)
        terms = self.numbers.double() * u.double()[columns]
        return torch.zeros(self.shape[0], dtype=torch.float64).index_add_(0, rows, terms)

    def _with(self, numbers: "torch.Tensor") -> "Sparse":
        return Sparse(self.shape, self.rows, self.columns, numbers)

    def _order(self) -> tuple[Any, Any]:
        """The flat places in ascending order, and where each comes from."""
        keys = self.rows * self.shape[1] + self.columns
        order = numpy.argsort(keys, kind="stable")
        return keys[order], order


TorchMatrix = Dense | Sparse
