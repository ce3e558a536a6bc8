"""Rows for determinants, inverses and linear systems, without pivots.

A pivot is a branch, and a branch has ties where the function has none: the determinant of a
singular matrix is smooth. So determinants and adjugates are polynomials of the entries here, and
inverses and solutions are their quotients: every one is right wherever it is defined.
"""

from itertools import combinations
from typing import Any, NamedTuple

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op

# Up to this size by expansion, the formula that people know; its cost doubles with every row.
_EXPANDED = 6


class _SignAndLog(NamedTuple):
    sign: Any
    logabsdet: Any


class _LeastSquares(NamedTuple):
    solution: Any
    residuals: Any
    rank: Any
    singular_values: Any


# -- polynomials of the entries -----------------------------------------------------------------


def _det(A: Any) -> Any:
    if A.shape[-1] > _EXPANDED:
        return _adjugate_and_det(A)[1]
    if A.shape[-1] == 0:
        return torch.ones(tuple(A.shape[:-2]), dtype=A.dtype)
    minors = A[..., 0, :]
    for k in range(1, A.shape[-1]):
        minors = _next_minors(minors, A[..., k, :], k)
    return minors[..., 0]


def _next_minors(minors: Any, row: Any, k: int) -> Any:
    """The minors of one row more, one for each set of columns in lexical order.

    Args:
        minors: those of the first ``k`` rows, of shape (..., number of sets of k columns).
        row: the next row, of shape (..., n); the expansion goes along it.
        k: the number of rows so far.
    """
    n = row.shape[-1]
    place = {chosen: at for at, chosen in enumerate(combinations(range(n), k))}
    # backwards, so that the signs are +, -, +, …
    columns = [chosen[::-1] for chosen in combinations(range(n), k + 1)]
    rest = [
        [place[tuple(sorted(set(chosen) - {column}))] for column in chosen] for chosen in columns
    ]
    terms = row[..., torch.tensor(columns)] * minors[..., torch.tensor(rest)]
    return terms[..., 0::2].sum(-1) - terms[..., 1::2].sum(-1)


def _adjugate_and_det(A: Any) -> tuple[Any, Any]:
    """The adjugate, of A's shape, and the determinant, of shape A.shape[:-2]."""
    n = A.shape[-1]
    if n > _EXPANDED:
        return _by_traces(A)
    others = torch.tensor([k for i in range(n) for k in range(n) if k != i], dtype=torch.int64)
    others = others.reshape(n, max(n - 1, 0))
    # entry (j, i) leaves out row i and column j
    rows, columns = others[None, :, :, None], others[:, None, None, :]
    parity = torch.arange(n)[:, None] + torch.arange(n)
    signs = torch.where(parity % 2 == 0, 1.0, -1.0).to(A.dtype)
    return _det(A[..., rows, columns]) * signs, _det(A)


def _by_traces(A: Any) -> tuple[Any, Any]:
    """The same by Faddeev and LeVerrier's recursion: n matrix products, n⁴ multiplications."""
    n = A.shape[-1]
    eye = torch.eye(n, dtype=A.dtype)
    adjugate, product = eye, A
    for k in range(1, n):
        adjugate = product - _trace(product)[..., None, None] * eye / k
        product = torch.matmul(A, adjugate)
    # the recursion ends with the adjugate of -A
    sign = 1 if n % 2 else -1
    return sign * adjugate, sign * _trace(product) / n


def _trace(A: Any) -> Any:
    return torch.diagonal(A, 0, -2, -1).sum(-1)


# -- torch's functions --------------------------------------------------------------------------


def _slogdet(A: Any) -> Any:
    determinant = torch.linalg.det(A)
    return _SignAndLog(torch.sign(determinant), torch.log(torch.abs(determinant)))


def _logdet(input: Any) -> Any:
    return torch.log(torch.linalg.det(input))


def _inv(A: Any) -> Any:
    adjugate, determinant = _adjugate_and_det(A)
    return adjugate / determinant[..., None, None]


def _solve(A: Any, B: Any, *, left: bool = True) -> Any:
    adjugate, determinant = _adjugate_and_det(A)
    vector = _is_vector(A, B)
    right = B.unsqueeze(-1) if vector else B
    product = torch.matmul(adjugate, right) if left else torch.matmul(right, adjugate)
    solution = product / determinant[..., None, None]
    return solution.squeeze(-1) if vector else solution


def _is_vector(A: Any, B: Any) -> bool:
    """Torch's rule: what a right-hand side is where it may be a vector or a matrix."""
    return B.ndim == 1 or (A.ndim - 1 == B.ndim and tuple(B.shape) == tuple(A.shape[:-1]))


def _pinv(A: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    if hermitian:
        A = torch.tril(A) + torch.tril(A, -1).transpose(-2, -1)
    rows, columns = A.shape[-2:]
    if rows == columns:
        return torch.linalg.inv(A)
    transposed = A.transpose(-2, -1)
    if rows > columns:
        return torch.matmul(torch.linalg.inv(torch.matmul(transposed, A)), transposed)
    return torch.matmul(transposed, torch.linalg.inv(torch.matmul(A, transposed)))


def _pinverse(input: Any, rcond: Any = None) -> Any:
    return torch.linalg.pinv(input)


def _lstsq(A: Any, B: Any, rcond: Any = None, *, driver: Any = None) -> Any:
    vector = _is_vector(A, B)
    inverse = torch.linalg.pinv(A)
    solution = torch.matmul(inverse, B.unsqueeze(-1) if vector else B)
    rank = torch.full(tuple(A.shape[:-2]), min(A.shape[-2:]))
    nothing = torch.zeros(0, dtype=A.dtype)
    return _LeastSquares(solution.squeeze(-1) if vector else solution, nothing, rank, nothing)


def _cond(A: Any, p: Any = None) -> Any:
    if p in (None, 2, -2):
        values = torch.linalg.svdvals(A)
        quotient = values[..., 0] / values[..., -1]
        return 1 / quotient if p == -2 else quotient
    sizes = [torch.linalg.matrix_norm(matrix, p) for matrix in (A, torch.linalg.inv(A))]
    return sizes[0] * sizes[1]


_SINGULAR = "where the matrix is singular"
_DEFICIENT = "where the matrix has not full rank"


def _composite(name: str, rule: Any, *samples: str, kinks: str = _SINGULAR, **more: Any) -> Op:
    path = more.pop("path", f"linalg.{name}")
    return Op(name, path, Kind.COMPOSITE, rule, samples, kinks=kinks, **more)


_SIGN_AND_LOG = _SignAndLog._fields

ROWS: tuple[Op, ...] = (
    _composite("det", _det, "det(S)", "x[:, :2].det()", "det(stack((S, S @ S)))", kinks=""),
    _composite(
        "slogdet",
        _slogdet,
        "slogdet(S).logabsdet",
        "slogdet(x[:, :2])[1]",
        "slogdet(-S)[0]",
        fields=_SIGN_AND_LOG,
    ),
    _composite(
        "logdet",
        _logdet,
        "logdet(S)",
        path="logdet",
        kinks="where the determinant is 0; not a number where it is negative",
    ),
    _composite("inv", _inv, "inv(S)", "inverse(x[:, :2])", "S.inverse()", aliases=("inverse",)),
    _composite(
        "solve",
        _solve,
        "torch.linalg.solve(S, b)",
        "solve(S, B)",
        "solve(S, x, left=False)",
        "solve(stack((S, S @ S)), x)",
        note="A right-hand side of A's shape without its last axis is a vector, as in torch.",
    ),
    _composite(
        "pinv",
        _pinv,
        "pinv(x)",
        "pinv(x.T)",
        "pinv(S)",
        kinks=_DEFICIENT,
        note="Only for full rank: beyond, the cut-off of torch decides the value.",
    ),
    _composite(
        "pinverse", _pinverse, "pinverse(x)", "x.T.pinverse()", path="pinverse", kinks=_DEFICIENT
    ),
    _composite(
        "lstsq",
        _lstsq,
        "lstsq(x.T, b).solution",
        "lstsq(x, y[:, :2])[0]",
        "lstsq(S, B)[0]",
        kinks=_DEFICIENT,
        fields=_LeastSquares._fields,
        note="Only for full rank; the driver is ignored, and there are no residuals.",
    ),
    _composite(
        "cond",
        _cond,
        "cond(x)",
        "cond(S, -2)",
        "cond(S, p='fro')",
        kinks="where the matrix is singular, and where the norm has a kink",
    ),
)
