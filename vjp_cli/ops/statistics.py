"""Rows for covariances and correlations of the rows of a matrix."""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op


def _cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    variables = input if input.ndim == 2 else input.reshape((1, -1))
    weights = [w for w in (fweights, aweights) if w is not None]
    if not weights:
        centred = variables - torch.mean(variables, 1, True)
        count = max(variables.shape[1] - correction, 0)
        return torch.squeeze(_products(centred, centred) / count)
    weight = weights[0] if len(weights) == 1 else weights[0] * weights[1]
    total = torch.sum(weight)
    centred = variables - torch.sum(variables * weight, 1, True) / total
    count = total - correction
    if aweights is not None and correction:
        count = total - correction * torch.sum(weight * aweights) / total
    return torch.squeeze(_products(centred, centred * weight) / count)


def _products(left: Any, right: Any) -> Any:
    columns = right.transpose(0, 1)
    return torch.matmul(left, columns.conj() if columns.dtype.is_complex else columns)


def _corrcoef(input: Any) -> Any:
    covariance = torch.cov(input)
    if covariance.ndim == 0:
        return covariance / covariance
    spread = torch.sqrt(torch.diagonal(covariance))
    return covariance / spread.unsqueeze(1) / spread


ROWS: tuple[Op, ...] = (
    Op(
        "cov",
        "cov",
        Kind.COMPOSITE,
        _cov,
        (
            "cov(x)",
            "cov(b)",
            "S.cov(correction=0)",
            "cov(x, fweights=tensor([1, 2, 3]))",
            "cov(x, aweights=b**2)",
            "cov(x, correction=0, aweights=b**2)",
            "cov(x, fweights=tensor([1, 2, 3]), aweights=b**2)",
        ),
    ),
    Op(
        "corrcoef",
        "corrcoef",
        Kind.COMPOSITE,
        _corrcoef,
        ("corrcoef(S)", "corrcoef(b)", "B.corrcoef()"),
        kinks="where all elements of a row are equal",
    ),
)
