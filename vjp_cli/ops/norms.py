"""Rows for norms and distances of vectors and matrices."""

from math import inf
from typing import Any

from vjp_cli.lazy import numpy, torch
from vjp_cli.ops.reductions import axes
from vjp_cli.ops.table import Kind, Op


def _vector_norm(
    x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    if dtype is not None:
        x = x.to(dtype)
    merged = axes(dim, x.ndim)
    if ord == 2:
        squares = (x * x.conj()).real if x.dtype.is_complex else x * x
        return torch.sqrt(torch.sum(squares, merged, keepdim))
    if ord == 0:
        return torch.sum((x != 0).to(x.dtype), merged, keepdim)
    sizes = torch.abs(x)
    if ord in (inf, -inf):
        return (torch.amax if ord > 0 else torch.amin)(sizes, merged, keepdim)
    if ord == 1:
        return torch.sum(sizes, merged, keepdim)
    return _root(torch.sum(sizes**ord, merged, keepdim), ord)


def _root(x: Any, degree: Any) -> Any:
    """x**(1/degree) for x ≥ 0, without rounding 1/degree; 0 and infinity stay what they are."""
    inside = (x != 0) & (x != inf)
    root = torch.exp(torch.log(torch.where(inside, x, 1)) / degree)
    at_end = x if degree > 0 else 1 / x
    return torch.where(inside, root, at_end)


def _matrix_norm(
    A: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Any:
    if ord == "fro":
        return torch.linalg.vector_norm(A, 2, dim, keepdim, dtype=dtype)
    if ord not in (1, -1, inf, -inf):
        return _spectral_norm(A if dtype is None else A.to(dtype), ord, dim, keepdim)
    summed, compared = axes(dim, A.ndim)
    if abs(ord) == inf:
        summed, compared = compared, summed
    sums = torch.linalg.vector_norm(A, 1, summed, True, dtype=dtype)
    norm = (torch.amax if ord > 0 else torch.amin)(sums, compared, True)
    return norm if keepdim else torch.squeeze(norm, (summed, compared))


def _spectral_norm(A: Any, ord: Any, dim: Any, keepdim: bool) -> Any:
    rows, columns = axes(dim, A.ndim)
    singular = torch.linalg.svdvals(torch.movedim(A, (rows, columns), (-2, -1)))
    if ord == "nuc":
        norm = torch.sum(singular, -1)
    else:  # 2 or -2: singular values descend
        norm = torch.select(singular, -1, 0 if ord > 0 else -1)
    if not keepdim:
        return norm
    return norm.reshape([1 if d in (rows, columns) else n for d, n in enumerate(A.shape)])


def _linalg_norm(
    A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    if ord is None:
        return torch.linalg.vector_norm(A, 2, dim, keepdim, dtype=dtype)
    count = A.ndim if dim is None else len(axes(dim, A.ndim))
    if count == 1:
        return torch.linalg.vector_norm(A, ord, dim, keepdim, dtype=dtype)
    return torch.linalg.matrix_norm(A, ord, dim or (-2, -1), keepdim, dtype=dtype)


def _norm(
    input: Any,
    p: Any = "fro",
    dim: Any = None,
    keepdim: bool = False,
    out: None = None,
    dtype: Any = None,
) -> Any:
    if p == "nuc":
        return torch.linalg.matrix_norm(input, "nuc", dim or (-2, -1), keepdim, dtype=dtype)
    order = 2 if p in (None, "fro") else p
    return torch.linalg.vector_norm(input, order, dim, keepdim, dtype=dtype)


def _dist(input: Any, other: Any, p: Any = 2) -> Any:
    return torch.linalg.vector_norm(input - other, p)


def _pairwise_distance(
    x1: Any, x2: Any, p: Any = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Any:
    return torch.linalg.vector_norm(x1 - x2 + eps, p, -1, keepdim)


def _cdist(x1: Any, x2: Any, p: Any = 2.0, compute_mode: Any = None) -> Any:
    return torch.linalg.vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


def _pdist(input: Any, p: Any = 2.0) -> Any:
    first, second = torch.triu_indices(input.shape[0], input.shape[0], 1)
    gaps = torch.index_select(input, 0, first) - torch.index_select(input, 0, second)
    return torch.linalg.vector_norm(gaps, p, -1)


def _normalize(input: Any, p: Any = 2.0, dim: Any = 1, eps: float = 1e-12, out: None = None) -> Any:
    return input / torch.clamp(torch.linalg.vector_norm(input, p, dim, True), min=eps)


def _renorm(input: Any, p: float, dim: int, maxnorm: float) -> Any:
    others = [d for d in range(input.ndim) if d != dim % input.ndim]
    norm = torch.linalg.vector_norm(input, p, others, True)
    return input * torch.where(norm > maxnorm, maxnorm / (norm + 1e-7), 1)


def _cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    shape = numpy.broadcast_shapes(tuple(x1.shape), tuple(x2.shape))
    first, second = x1.expand(shape), x2.expand(shape)
    lengths = (torch.linalg.vector_norm(x, 2, dim, True) for x in (first, second))
    left, right = (torch.clamp(length, min=eps) for length in lengths)
    return torch.sum((first / left) * (second / right), dim)


def _composite(name: str, path: str, rule: Any, samples: tuple[str, ...], kinks: str) -> Op:
    return Op(name, path, Kind.COMPOSITE, rule, samples, kinks=kinks)


_ZERO = "at the zero vector; for p = 1 where an element is 0, for p = inf at ties"
_EQUAL = "where the two vectors are equal; for p = 1 where two elements are, for p = inf at ties"

ROWS: tuple[Op, ...] = (
    Op(
        "linalg.vector_norm",
        "linalg.vector_norm",
        Kind.COMPOSITE,
        _vector_norm,
        (
            "linalg.vector_norm(x)",
            "linalg.vector_norm(x, 1)",
            "linalg.vector_norm(x, 3, dim=1)",
            "linalg.vector_norm(x, 2.5, 0, True)",
            "linalg.vector_norm(x, float('inf'), dim=0)",
            "linalg.vector_norm(x, -float('inf'))",
            "linalg.vector_norm(x, -1)",
            "linalg.vector_norm(x, 0)",
        ),
        kinks=_ZERO,
        aliases=("vector_norm",),
    ),
    Op(
        "linalg.matrix_norm",
        "linalg.matrix_norm",
        Kind.COMPOSITE,
        _matrix_norm,
        (
            "linalg.matrix_norm(x)",
            "linalg.matrix_norm(x, 1)",
            "linalg.matrix_norm(x, -1, keepdim=True)",
            "linalg.matrix_norm(x, float('inf'))",
            "linalg.matrix_norm(x, -float('inf'), (1, 0))",
        ),
        kinks="at the zero matrix, where an element is 0, and where two line sums tie",
        aliases=("matrix_norm",),
    ),
    _composite(
        "linalg.norm",
        "linalg.norm",
        _linalg_norm,
        (
            "linalg.norm(x)",
            "linalg.norm(b, 3)",
            "linalg.norm(x, 1)",
            "linalg.norm(x, 1, dim=1)",
            "linalg.norm(x, dim=(0, 1), keepdim=True)",
        ),
        _ZERO,
    ),
    _composite(
        "norm",
        "norm",
        _norm,
        ("norm(x)", "x.norm(dim=1)", "norm(x, 1)", "norm(x, 4, dim=(0, 1))", "x.norm(p=2, dim=0)"),
        _ZERO,
    ),
    _composite("dist", "dist", _dist, ("dist(x, y)", "dist(x, y, 3)"), _EQUAL),
    _composite(
        "pairwise_distance",
        "nn.functional.pairwise_distance",
        _pairwise_distance,
        ("pairwise_distance(x, y)", "pairwise_distance(x, y, 1, keepdim=True)"),
        _EQUAL,
    ),
    _composite("cdist", "cdist", _cdist, ("cdist(x, S)", "cdist(x, S, p=1.0)"), _EQUAL),
    _composite("pdist", "nn.functional.pdist", _pdist, ("pdist(S)", "pdist(S, 3)"), _EQUAL),
    _composite(
        "normalize",
        "nn.functional.normalize",
        _normalize,
        ("normalize(x)", "normalize(x, p=1, dim=0)", "normalize(b, dim=-1)"),
        "where the norm is eps; for p = 1 where an element is 0",
    ),
    _composite(
        "renorm",
        "renorm",
        _renorm,
        ("renorm(x, 2, 0, 0.75)", "x.renorm(1, -1, 0.5)", "renorm(x, p=3, dim=0, maxnorm=10.0)"),
        "where a norm is maxnorm; for p = 1 where an element is 0",
    ),
    _composite(
        "cosine_similarity",
        "nn.functional.cosine_similarity",
        _cosine_similarity,
        ("cosine_similarity(x, y)", "cosine_similarity(b, y[0], dim=0)"),
        "where a norm is eps",
    ),
)
