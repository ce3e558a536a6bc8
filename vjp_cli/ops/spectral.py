"""Rows that have values and no formula: eigenvalues, singular values, the matrix exponential.

They are evaluated as a whole, in balls of any precision; slopes of the whole function judge their
derivatives. Eigenvectors and singular vectors take the sign that torch gives them at the point, and
are NaN where they are not unique.
"""

from collections.abc import Callable
from math import nan
from typing import Any, NamedTuple

from vjp_cli.lazy import flint, torch
from vjp_cli.numbers.exact_array import ExactArray
from vjp_cli.numbers.scalar import ball, is_finite, precision, to_float
from vjp_cli.numbers.symmetric import Eigen, Row, eigen
from vjp_cli.ops.matrices import Matrix, joined, matrices, stacked, transposed
from vjp_cli.ops.symmetrised import DEPARTURE, symmetrised
from vjp_cli.ops.table import Kind, Op


class _Eigh(NamedTuple):
    eigenvalues: Any
    eigenvectors: Any


class _LinalgSVD(NamedTuple):
    U: Any
    S: Any
    Vh: Any


class _SVD(NamedTuple):
    U: Any
    S: Any
    V: Any


# -- signs ---------------------------------------------------------------------------------------


def _aligned(vectors: list[Row], matrix: Matrix, of_torch: Callable[[Any], Any]) -> list[Row]:
    """The vectors with the signs of the columns that torch finds at the nearest doubles."""
    there = torch.tensor([[to_float(x) for x in row] for row in matrix], dtype=torch.float64)
    if not bool(there.isfinite().all()):
        return vectors
    columns = of_torch(there).T.tolist()
    aligned = []
    for vector, column in zip(vectors, columns, strict=False):
        same = sum(to_float(x) * y for x, y in zip(vector, column, strict=True))
        aligned.append([-x for x in vector] if same < 0 else vector)
    return aligned


# -- eigenvalues --------------------------------------------------------------------------------


def _triangle(matrix: Matrix, UPLO: str) -> Matrix:
    return matrix if UPLO.upper() == "L" else transposed(matrix)


def _eigvalsh(A: ExactArray, UPLO: str = "L") -> ExactArray:
    found = [eigen(_triangle(matrix, UPLO)).values for matrix in matrices(A)]
    return joined(A, A.shape[-1], found)


def _eigh(A: ExactArray, UPLO: str = "L") -> Any:
    n = A.shape[-1]
    spectra = [eigen(_triangle(matrix, UPLO)) for matrix in matrices(A)]
    vectors = [
        _aligned(spectrum.vectors, matrix, lambda x: torch.linalg.eigh(x, UPLO).eigenvectors)
        for spectrum, matrix in zip(spectra, matrices(A), strict=True)
    ]
    values = joined(A, n, [spectrum.values for spectrum in spectra])
    return _Eigh(values, stacked(A, (n, n), [transposed(rows) for rows in vectors]))


# -- singular values ----------------------------------------------------------------------------


def _gram(matrix: Matrix) -> Eigen:
    """The spectrum of MᵀM at twice the digits, since a square root halves those of a small one."""
    columns = transposed(matrix)
    return eigen(
        [
            [sum((ball(x) * y for x, y in zip(u, w, strict=True)), flint.arb(0)) for w in columns]
            for u in columns
        ]
    )


def _root(x: "flint.arb") -> "flint.arb":
    """The square root of a ball of which only the part from 0 counts."""
    return flint.arb(0).union(x.upper().sqrt()) if x.contains(0) and x.is_finite() else x.sqrt()


def _singular(matrix: Matrix) -> tuple[Row, list[Row]]:
    """The singular values of a tall matrix, descending, and its right singular vectors."""
    with precision(2 * flint.ctx.prec):
        spectrum = _gram(matrix)
        return [_root(value) for value in spectrum.values[::-1]], spectrum.vectors[::-1]


def _svdvals(A: ExactArray, *, driver: Any = None) -> ExactArray:
    rows, columns = A.shape[-2:]
    if not rows or not columns:
        return ExactArray((*A.shape[:-2], 0), ())
    tall = [matrix if rows >= columns else transposed(matrix) for matrix in matrices(A)]
    return joined(A, min(rows, columns), [_singular(matrix)[0] for matrix in tall])


def _linalg_svd(A: ExactArray, full_matrices: bool = True, *, driver: Any = None) -> Any:
    rows, columns = A.shape[-2:]
    least = min(rows, columns)
    parts = [_factors(matrix) for matrix in matrices(A)]
    # torch completes the vectors to a basis in a way of its own: those stay unknown
    height, width = (rows, columns) if full_matrices else (least, least)
    left = [transposed(_padded(u, height, rows)) for u, _, _ in parts]
    right = [_padded(v, width, columns) for _, _, v in parts]
    return _LinalgSVD(
        stacked(A, (rows, height), left),
        joined(A, least, [s for _, s, _ in parts]),
        stacked(A, (width, columns), right),
    )


def _padded(vectors: list[Row], count: int, length: int) -> Matrix:
    return [*vectors, *[[flint.arb("nan")] * length] * (count - len(vectors))]


def _factors(matrix: Matrix) -> tuple[list[Row], Row, list[Row]]:
    """The left singular vectors, the singular values, and the right singular vectors."""
    wide = len(matrix) < len(matrix[0])
    tall = transposed(matrix) if wide else matrix
    values, right = _singular(tall)
    right = _aligned(right, matrix, lambda x: _short_side(torch.linalg.svd(x), wide))
    left = [
        [
            sum((ball(x) * y for x, y in zip(row, vector, strict=True)), flint.arb(0)) / value
            for row in tall
        ]
        for value, vector in zip(values, right, strict=True)
    ]
    return (right, values, left) if wide else (left, values, right)


def _short_side(factors: Any, wide: bool) -> Any:
    return factors.U if wide else factors.Vh.T


def _svd(input: ExactArray, some: bool = True, compute_uv: bool = True) -> Any:
    left, values, right = _linalg_svd(input, not some)
    columns = [transposed(matrix) for matrix in matrices(right)]
    return _SVD(left, values, stacked(input, (right.shape[-1], right.shape[-2]), columns))


# -- functions of matrices ----------------------------------------------------------------------


def _matrix_exp(A: ExactArray) -> ExactArray:
    return stacked(A, (A.shape[-1], A.shape[-1]), [_exponential(m) for m in matrices(A)])


def _exponential(matrix: Matrix) -> Matrix:
    if not all(is_finite(x) for row in matrix for x in row):
        return [[flint.arb(nan)] * len(matrix) for _ in matrix]
    balls = flint.arb_mat([[ball(x) for x in row] for row in matrix])
    return [list(row) for row in balls.exp().tolist()]


_EQUAL = "where two eigenvalues are equal"
_ZERO = "where two singular values are equal, or one is 0"
_SYMMETRISED = (
    "symmetrised convention: one triangle is read (the lower one for UPLO='L'), and torch gives "
    "each half of its gradient"
)
_VECTORS = "Vectors have a sign of torch's choice, and no value where two values are equal."


def _opaque(name: str, rule: Any, *samples: str, kinks: str, **more: Any) -> Op:
    path = more.pop("path", f"linalg.{name}")
    return Op(name, path, Kind.OPAQUE, rule, samples, kinks=kinks, **more)


ROWS: tuple[Op, ...] = (
    _opaque(
        "eigvalsh",
        _eigvalsh,
        "eigvalsh(S)",
        "eigvalsh(stack((S, S @ S)), UPLO='U')",
        kinks=_EQUAL,
        note=_SYMMETRISED,
        departure=DEPARTURE,
        as_written=symmetrised(lambda: torch.linalg.eigvalsh),
    ),
    _opaque(
        "eigh",
        _eigh,
        "eigh(S).eigenvalues",
        "eigh(S)[1]",
        "eigh(S, UPLO='U').eigenvectors",
        kinks=_EQUAL,
        fields=_Eigh._fields,
        note=f"{_SYMMETRISED}. {_VECTORS}",
        departure=DEPARTURE,
        as_written=symmetrised(lambda: torch.linalg.eigh),
        unique=False,
    ),
    _opaque("svdvals", _svdvals, "svdvals(x)", "svdvals(stack((B, B.flip(0))))", kinks=_ZERO),
    _opaque(
        "linalg.svd",
        _linalg_svd,
        "linalg.svd(x)[1]",
        "linalg.svd(x, full_matrices=False).U",
        "linalg.svd(B.T, full_matrices=False).Vh",
        path="linalg.svd",
        kinks=_ZERO,
        fields=_LinalgSVD._fields,
        unique=False,
        note=_VECTORS,
    ),
    _opaque(
        "svd",
        _svd,
        "svd(x).S",
        "x.svd()[2]",
        path="svd",
        kinks=_ZERO,
        fields=_SVD._fields,
        unique=False,
        note=f"torch.svd, which gives V; linalg.svd gives its transpose Vh. {_VECTORS}",
    ),
    _opaque("matrix_exp", _matrix_exp, "matrix_exp(S)", "matrix_exp(stack((S, S @ S)))", kinks=""),
)
