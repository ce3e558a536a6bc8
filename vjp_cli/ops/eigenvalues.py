"""Rows for the eigenvalues of any square matrix, which are complex.

They are evaluated as a whole, in pairs of balls. Order, signs and phases are those that torch finds
at the nearest doubles; what is not proved to be simple is NaN, for its order is not unique.
"""

from typing import Any, NamedTuple

from vjp_cli.lazy import flint, torch
from vjp_cli.numbers.exact_array import ExactArray
from vjp_cli.numbers.scalar import ball, is_finite, to_float, to_number
from vjp_cli.ops.matrices import Matrix, joined, matrices, stacked, transposed
from vjp_cli.ops.table import Kind, Op


class _Eig(NamedTuple):
    eigenvalues: Any
    eigenvectors: Any


# an eigenvalue and its eigenvector, as pairs of balls
_Pair = tuple[Any, list[Any]]


def _eig(A: ExactArray) -> _Eig:
    n = A.shape[-1]
    spectra = [_spectrum(matrix) for matrix in matrices(A)]
    columns = [transposed([vector for _, vector in pairs]) for pairs in spectra]
    values = [[value for value, _ in pairs] for pairs in spectra]
    return _Eig(joined(A, n, values), stacked(A, (n, n), columns))


def _eigvals(A: ExactArray) -> ExactArray:
    return _eig(A).eigenvalues  # type: ignore[no-any-return]


def _spectrum(matrix: Matrix) -> list[_Pair]:
    """The pairs in torch's order, each vector of norm 1 and of torch's phase."""
    if not matrix:
        return []
    pairs = _simple(matrix)
    if pairs is None:
        nan = flint.acb("nan", "nan")
        return [(nan, [nan] * len(matrix)) for _ in matrix]
    there = torch.tensor([[to_float(x) for x in row] for row in matrix], dtype=torch.float64)
    values, vectors = torch.linalg.eig(there)
    ordered = []
    for value, column in zip(values.tolist(), vectors.T.tolist(), strict=True):
        nearest = min(pairs, key=lambda pair: abs(to_number(pair[0]) - value))
        pairs.remove(nearest)
        ordered.append((nearest[0], _scaled(nearest[1], column)))
    return ordered


def _simple(matrix: Matrix) -> list[_Pair] | None:
    """The pairs in any order; None where an eigenvalue is not proved to be simple."""
    if not all(is_finite(x) for row in matrix for x in row):
        return None
    balls = flint.acb_mat([[ball(x) for x in row] for row in matrix])
    try:
        values, columns = balls.eig(right=True, algorithm="rump")
    except ValueError:
        return None
    vectors = [list(vector) for vector in zip(*columns.tolist(), strict=True)]
    return [
        (flint.acb(value.real), _turned_real(vector))
        if _is_real(value, values)
        else (value, vector)
        for value, vector in zip(values, vectors, strict=True)
    ]


def _is_real(value: Any, values: list[Any]) -> bool:
    """Whether the one eigenvalue in a ball, of a real matrix, is proved to be real.

    Its conjugate is an eigenvalue too: where no other ball can hold that, the two are one.
    """
    mirrored = value.conjugate()
    return not any(mirrored.overlaps(other) for other in values if other is not value)


def _turned_real(vector: list[Any]) -> list[Any]:
    """A real multiple of the eigenvector of a real eigenvalue: one element is made 1."""
    largest = max(vector, key=lambda x: to_float(abs(x)))
    return [flint.acb((x / largest).real) for x in vector]


def _scaled(vector: list[Any], column: list[complex]) -> list[Any]:
    """The vector with norm 1, and real, with torch's sign, where torch turns its column real."""
    k = max(range(len(column)), key=lambda i: (column[i].imag == 0) * abs(column[i].real))
    size = abs(vector[k])
    norm = sum((x.real**2 + x.imag**2 for x in vector), flint.arb(0)).sqrt()
    factor = vector[k].conjugate() / size / (norm if column[k].real > 0 else -norm)
    turned = [x * factor for x in vector]
    turned[k] = flint.acb(turned[k].real)
    return turned


_EQUAL = "where two eigenvalues are equal"
_ORDER = "The order is torch's, and there is no value where two eigenvalues are equal"
# a matrix that is not symmetric
_SQUARE = "B[:, :3]"

ROWS: tuple[Op, ...] = (
    Op(
        "eigvals",
        "linalg.eigvals",
        Kind.OPAQUE,
        _eigvals,
        (
            f"eigvals({_SQUARE})",
            f"eigvals({_SQUARE}).abs()",
            f"eigvals(stack(({_SQUARE}, S @ {_SQUARE}))).real",
        ),
        kinks=_EQUAL,
        unique=False,
        note=f"complex. {_ORDER}",
    ),
    Op(
        "eig",
        "linalg.eig",
        Kind.OPAQUE,
        _eig,
        (
            f"eig({_SQUARE}).eigenvalues.real",
            f"eig({_SQUARE})[0].imag",
            f"eig({_SQUARE}).eigenvectors.abs()",
        ),
        kinks=_EQUAL,
        fields=_Eig._fields,
        unique=False,
        note=f"complex. {_ORDER}; vectors have norm 1 and a phase of torch's choice",
    ),
)
