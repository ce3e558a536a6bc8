"""Rows for triangular matrices: Cholesky and QR factors, and systems solved by substitution."""

from math import nan
from typing import Any, NamedTuple

from vjp_cli.lazy import torch
from vjp_cli.numbers.scalar import to_float
from vjp_cli.ops.symmetrised import DEPARTURE, symmetrised
from vjp_cli.ops.table import Kind, Op


class _QR(NamedTuple):
    Q: Any
    R: Any


def _cholesky(A: Any, upper: bool = False) -> Any:
    return _lower_factor(A.mT).mT if upper else _lower_factor(A)


def _lower_factor(A: Any) -> Any:
    """L of A = L·Lᵀ, column by column; the entries of A above the diagonal are not read."""
    columns: list[Any] = []
    for j in range(A.shape[-1]):
        rest = A[..., j:, j]
        if columns:
            factor = torch.stack(columns, -1)
            rest = rest - (factor[..., j:, :] * factor[..., j : j + 1, :]).sum(-1)
        diagonal = torch.sqrt(rest[..., :1])
        column = torch.cat((diagonal, rest[..., 1:] / diagonal), -1)
        columns.append(torch.nn.functional.pad(column, (j, 0)))
    return torch.stack(columns, -1) if columns else A


def _solve_triangular(
    A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Any:
    if not left:
        turned = _solve_triangular(A.mT, B.mT, upper=not upper, unitriangular=unitriangular)
        return turned.mT
    n = A.shape[-1]
    found: dict[int, Any] = {}
    for i in reversed(range(n)) if upper else range(n):
        row = B[..., i, :]
        if found:
            known = sorted(found)
            values = torch.stack([found[k] for k in known], -2)
            row = row - (A[..., i, known].unsqueeze(-1) * values).sum(-2)
        found[i] = row if unitriangular else row / A[..., i, i].unsqueeze(-1)
    return torch.stack([found[i] for i in range(n)], -2) if n else B


def _cholesky_solve(B: Any, L: Any, upper: bool = False) -> Any:
    if upper:
        L = L.mT
    half = torch.linalg.solve_triangular(L, B, upper=False)
    return torch.linalg.solve_triangular(L.mT, half, upper=True)


def _cholesky_inverse(L: Any, upper: bool = False) -> Any:
    return torch.cholesky_solve(torch.eye(L.shape[-1], dtype=L.dtype), L, upper)


def _qr(A: Any, mode: str = "reduced") -> Any:
    """Gram and Schmidt's columns, with the signs that torch gives the diagonal of R here."""
    rows, columns = A.shape[-2:]
    rank = min(rows, columns)
    signs = _signs_of_torch(A)
    directions: list[Any] = []
    entries: list[list[Any]] = []
    for j in range(columns):
        column = A[..., j]
        above = []
        for direction in directions:
            length = (direction * column).sum(-1)
            column = column - length.unsqueeze(-1) * direction
            above.append(length)
        if j < rank:
            length = signs[..., j] * torch.sqrt((column * column).sum(-1))
            direction = column / length.unsqueeze(-1)
            directions.append(direction)
            # times its length 1, which is not a number where the column depends on others: then
            # neither Q nor this row of R is unique
            above.append(length * (direction * direction).sum(-1))
        entries.append(above)
    zero = torch.zeros(tuple(A.shape[:-2]), dtype=A.dtype)
    height = rows if mode == "complete" else rank
    filled = [torch.stack(above + [zero] * (height - len(above)), -1) for above in entries]
    if mode == "r":
        return _QR(torch.zeros(0, dtype=A.dtype), torch.stack(filled, -1))
    # torch completes Q to a basis in a way of its own: those columns stay unknown
    unknown = torch.full((*A.shape[:-1],), nan, dtype=A.dtype)
    return _QR(torch.stack(directions + [unknown] * (height - rank), -1), torch.stack(filled, -1))


def _signs_of_torch(A: Any) -> Any:
    """-1 or 1 for each element of R's diagonal: constant near the point, so read off there."""
    numbers = [to_float(value) for value in A.node.values.tolist()]
    there = torch.tensor(numbers, dtype=torch.float64).reshape(A.shape)
    diagonal = torch.diagonal(torch.linalg.qr(there).R, 0, -2, -1)
    return torch.where(diagonal < 0, -1.0, 1.0).to(A.dtype)


_ZERO = "where an element of the diagonal is 0"


def _composite(name: str, rule: Any, *samples: str, kinks: str, **more: Any) -> Op:
    path = more.pop("path", name)
    return Op(name, path, Kind.COMPOSITE, rule, samples, kinks=kinks, **more)


ROWS: tuple[Op, ...] = (
    _composite(
        "cholesky",
        _cholesky,
        "cholesky(S)",
        "cholesky(S, upper=True)",
        "cholesky(stack((S, S @ S)))",
        kinks="where the matrix is singular; no real numbers where it is not positive definite",
        path="linalg.cholesky",
        note="symmetrised convention: one triangle is read (the lower one without upper=True), and "
        "torch gives each half of its gradient",
        departure=DEPARTURE,
        as_written=symmetrised(lambda: torch.linalg.cholesky),
    ),
    _composite(
        "solve_triangular",
        _solve_triangular,
        "solve_triangular(S, B, upper=True)",
        "solve_triangular(S, B, upper=False, unitriangular=True)",
        "solve_triangular(S, x, upper=False, left=False)",
        path="linalg.solve_triangular",
        kinks=_ZERO,
    ),
    _composite(
        "cholesky_solve",
        _cholesky_solve,
        "cholesky_solve(B, tril(S))",
        "B.cholesky_solve(triu(S), upper=True)",
        kinks=_ZERO,
    ),
    _composite(
        "cholesky_inverse",
        _cholesky_inverse,
        "cholesky_inverse(tril(S))",
        "triu(S).cholesky_inverse(True)",
        kinks=_ZERO,
    ),
    _composite(
        "qr",
        _qr,
        "qr(x.T).Q",
        "qr(x)[1]",
        "qr(stack((S, S @ S)))[0]",
        path="linalg.qr",
        kinks="where the columns depend on each other: Q is not unique there",
        fields=_QR._fields,
        unique=False,
        note="The signs of R's diagonal are those that torch gives at the point.",
    ),
)
