"""The operation table: one row an operation, and the names that find a row.

The rows lie by family in the modules of this package and ``catalog`` collects them. Nothing here
imports torch or SymPy: names must be known before either is loaded.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """How elements of the result depend on elements of the arguments.

    ELEMENTWISE: arguments broadcast, then a SymPy formula of scalars.
    MOVE: every element of the result is an element of an argument; torch itself applied to a tensor
        of positions says which.
    SUM: every element of the result is a sum of elements of the argument.
    PRODUCT: a matrix product.
    STEP: constant between jumps (floor, sign); its derivative is 0 wherever it has one.
    COMPARE: the result is a mask or an index, a real tensor that carries no derivative.
    CONSTANT: the result does not depend on the arguments' values (factories).
    COMPOSITE: written with other rows.
    OPAQUE: evaluated to any precision as a whole; only slopes of the function judge it.
    """

    ELEMENTWISE = "elementwise"
    MOVE = "move"
    SUM = "sum"
    PRODUCT = "product"
    STEP = "step"
    COMPARE = "compare"
    CONSTANT = "constant"
    COMPOSITE = "composite"
    OPAQUE = "opaque"


@dataclass(frozen=True)
class Op:
    """One operation.

    Attributes:
        name: as written in an expression; ``linalg.norm`` where ``norm`` alone is another function.
        torch: the path of torch's function below ``torch``, whose own kernel computes the numbers.
        kind: how elements depend on elements.
        rule: ELEMENTWISE: SymPy symbols -> SymPy formula. COMPOSITE: the same mathematics with
            torch's signature, written with other rows. SUM: positions and the other arguments ->
            segments. OPAQUE: for each tensor argument an ``ExactArray``, and
            the other arguments -> one ``ExactArray`` or a tuple of them. Else None.
        samples: calls that the tests run. Names stand for inputs: x, y 2x3; A 2x3, B 3x4; b 3;
            s a scalar; S 3x3, symmetric positive definite; i, j integer indices; m a 2x3 mask.
        domain: where every input of the samples may lie (a bound of values, exclusive).
        kinks: in words, where the operation has no derivative; "" for nowhere.
        aliases: further names.
        fields: the named results, in order (``values``, ``indices``).
        departure: in a few words, how torch's derivative departs from the mathematics by design.
        unique: False where a result that is not a number at a point is one that is not unique
            there (eigenvectors of equal eigenvalues), so that no derivative exists.
        as_written: COMPOSITE: what torch does instead, with torch's signature.
        in_stages: SUM: with torch's signature the same written with other rows, where the segments
            would be too many; None where they are not.
        lists: whether a list stands for several tensors, not for the one tensor that it stacks.
        note: what a reader of ``vjp ops`` should know.
    """

    name: str
    torch: str
    kind: Kind
    rule: Callable[..., Any] | None = None
    samples: tuple[str, ...] = ()
    domain: tuple[float, float] = (-2.0, 2.0)
    kinks: str = ""
    aliases: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    note: str = ""
    departure: str = ""
    as_written: Callable[..., Any] | None = None
    unique: bool = True
    in_stages: Callable[..., Any] | None = None
    lists: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Every name under which an expression finds the row."""
        return (self.name, *self.aliases)
