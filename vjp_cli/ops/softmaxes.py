"""Rows that compare exponentials: logsumexp, and softmax with its relations.

No maximum is subtracted first: exact numbers and balls do not overflow.
"""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op


def _logsumexp(input: Any, dim: Any, keepdim: bool = False) -> Any:
    return torch.log(torch.sum(torch.exp(input), dim, keepdim))


def _softmax_dim(dim: int | None, ndim: int) -> int:
    """The dimension that torch's functional softmax takes where none is given."""
    if dim is not None:
        return dim
    return 0 if ndim in (0, 1, 3) else 1


def _softmax(input: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    powers = torch.exp(input if dtype is None else input.to(dtype))
    return powers / torch.sum(powers, _softmax_dim(dim, input.ndim), True)


def _softmin(input: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    return _softmax(-input, dim, dtype=dtype)


def _log_softmax(input: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    cast = input if dtype is None else input.to(dtype)
    return cast - torch.logsumexp(cast, _softmax_dim(dim, input.ndim), True)


ROWS: tuple[Op, ...] = (
    Op(
        "logsumexp",
        "logsumexp",
        Kind.COMPOSITE,
        _logsumexp,
        ("logsumexp(x, 0)", "x.logsumexp((0, 1), keepdim=True)", "logsumexp(s, 0)"),
    ),
    Op(
        "softmax",
        "nn.functional.softmax",
        Kind.COMPOSITE,
        _softmax,
        ("softmax(x, 1)", "x.softmax(dim=0)", "softmax(s, dim=-1)"),
    ),
    Op(
        "softmin",
        "nn.functional.softmin",
        Kind.COMPOSITE,
        _softmin,
        ("softmin(x, dim=1)", "softmin(b, 0)"),
    ),
    Op(
        "log_softmax",
        "nn.functional.log_softmax",
        Kind.COMPOSITE,
        _log_softmax,
        ("log_softmax(x, dim=1)", "x.log_softmax(0)"),
    ),
)
