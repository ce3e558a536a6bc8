"""Rows that are matrix products, and all that is written with them (``einsum`` lies beside)."""

from math import prod
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op


def _product(input: Any, other: Any) -> Any:
    return torch.matmul(input, other)


def _mm(input: Any, mat2: Any) -> Any:
    return torch.matmul(input, mat2)


def _mv(input: Any, vec: Any) -> Any:
    return torch.matmul(input, vec)


def _dot(input: Any, tensor: Any) -> Any:
    return torch.matmul(input, tensor)


def _vdot(input: Any, other: Any) -> Any:
    return torch.matmul(_conjugate(input), other)


def _vecdot(x: Any, y: Any, *, dim: int = -1) -> Any:
    return torch.sum(_conjugate(x) * y, dim)


def _conjugate(x: Any) -> Any:
    return x.conj() if x.dtype.is_complex else x


def _outer(input: Any, vec2: Any) -> Any:
    return input.unsqueeze(-1) * vec2


def _inner(input: Any, other: Any) -> Any:
    if input.ndim == 0 or other.ndim == 0:
        return input * other
    return torch.tensordot(input, other, ([-1], [-1]))


def _tensordot(a: Any, b: Any, dims: Any = 2, out: None = None) -> Any:
    if isinstance(dims, int):
        dims = (range(a.ndim - dims, a.ndim), range(dims))
    left = [dim % a.ndim for dim in dims[0]]
    right = [dim % b.ndim for dim in dims[1]]
    rows = [dim for dim in range(a.ndim) if dim not in left]
    columns = [dim for dim in range(b.ndim) if dim not in right]
    shape = [a.shape[dim] for dim in rows] + [b.shape[dim] for dim in columns]
    inside = prod(a.shape[dim] for dim in left)
    first = a.permute((*rows, *left)).reshape((prod(shape[: len(rows)]), inside))
    second = b.permute((*right, *columns)).reshape((inside, prod(shape[len(rows) :])))
    return torch.matmul(first, second).reshape(shape)


def _linear(input: Any, weight: Any, bias: Any = None) -> Any:
    product = torch.matmul(input, weight.transpose(0, 1) if weight.ndim == 2 else weight)
    return product if bias is None else product + bias


def _bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    product = torch.einsum("...i,oij,...j->...o", input1, weight, input2)
    return product if bias is None else product + bias


def _added(input: Any, product: Any, beta: Any, alpha: Any) -> Any:
    scaled = product if alpha == 1 else alpha * product
    if beta == 0:  # torch leaves the input out, even where it is NaN
        return scaled
    return (input if beta == 1 else beta * input) + scaled


def _addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return _added(input, torch.matmul(mat1, mat2), beta, alpha)


def _addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return _added(input, torch.matmul(mat, vec), beta, alpha)


def _addr(input: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return _added(input, torch.outer(vec1, vec2), beta, alpha)


def _baddbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return _added(input, torch.matmul(batch1, batch2), beta, alpha)


def _addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return _added(input, torch.sum(torch.matmul(batch1, batch2), 0), beta, alpha)


def _kron(input: Any, other: Any) -> Any:
    ndim = max(input.ndim, other.ndim)
    left = (1,) * (ndim - input.ndim) + tuple(input.shape)
    right = (1,) * (ndim - other.ndim) + tuple(other.shape)
    first = input.reshape([size for n in left for size in (n, 1)])
    second = other.reshape([size for n in right for size in (1, n)])
    return (first * second).reshape([n * k for n, k in zip(left, right, strict=True)])


def _cross(input: Any, other: Any, dim: int | None = None) -> Any:
    if dim is None:
        dim = tuple(input.shape).index(3)
    return _linalg_cross(input, other, dim=dim)


def _linalg_cross(input: Any, other: Any, *, dim: int = -1) -> Any:
    (left1, left2), (right1, right2) = (
        (torch.roll(x, -1, dim), torch.roll(x, -2, dim)) for x in (input, other)
    )
    return left1 * right2 - left2 * right1


def _multi_dot(tensors: Any) -> Any:
    product, *rest = tensors
    for tensor in rest:
        product = torch.matmul(product, tensor)
    return product


def _matrix_power(input: Any, n: int) -> Any:
    if n < 0:
        return _matrix_power(torch.linalg.inv(input), -n)
    if n == 0:
        size = input.shape[-1]
        return torch.eye(size, dtype=input.dtype).expand(tuple(input.shape))
    if n == 1:
        return input
    half = _matrix_power(input, n // 2)
    square = torch.matmul(half, half)
    return torch.matmul(square, input) if n % 2 else square


def _composite(
    name: str, rule: Any, *samples: str, path: str = "", aliases: tuple[str, ...] = ()
) -> Op:
    return Op(name, path or name, Kind.COMPOSITE, rule, samples, aliases=aliases)


PRODUCTS = (
    Op(
        "matmul",
        "matmul",
        Kind.PRODUCT,
        samples=("matmul(x, B)", "x @ b", "b @ B", "b @ b", "x.matmul(S.reshape(1, 3, 3))"),
    ),
    _composite("mm", _mm, "mm(x, B)", "x.mm(S)"),
    _composite("mv", _mv, "mv(x, b)"),
    _composite("bmm", _product, "bmm(x.reshape(2, 1, 3), y.reshape(2, 3, 1))"),
    _composite("dot", _dot, "dot(b, x[0])", "b.dot(b)"),
    _composite("vdot", _vdot, "vdot(b, x[0])"),
    _composite(
        "linalg.vecdot",
        _vecdot,
        "linalg.vecdot(x, y)",
        "linalg.vecdot(x, y, dim=0)",
        path="linalg.vecdot",
        aliases=("vecdot",),
    ),
    _composite("outer", _outer, "outer(b, x[1])", "b.outer(x[:, 0])", aliases=("ger",)),
    _composite("inner", _inner, "inner(x, b)", "inner(x, y)", "inner(s, x)"),
    _composite(
        "tensordot",
        _tensordot,
        "tensordot(x, B, 1)",
        "tensordot(x, y)",
        "tensordot(x, S, dims=([1], [0]))",
        "tensordot(b, x, 0)",
    ),
    _composite("kron", _kron, "kron(x, y)", "kron(b, x)"),
    _composite("cross", _cross, "cross(x, y, dim=1)", "b.cross(x[0], 0)"),
    _composite("linalg.cross", _linalg_cross, "linalg.cross(x, y)", path="linalg.cross"),
    Op(
        "linalg.multi_dot",
        "linalg.multi_dot",
        Kind.COMPOSITE,
        _multi_dot,
        ("linalg.multi_dot([x, S, B])", "linalg.multi_dot((b, S, b))"),
        aliases=("multi_dot",),
        lists=True,
    ),
    _composite(
        "matrix_power",
        _matrix_power,
        "matrix_power(S, 3)",
        "S.matrix_power(0)",
        "matrix_power(S, 1)",
        aliases=("linalg.matrix_power",),
    ),
)

SUMS = (
    _composite(
        "linear",
        _linear,
        "linear(x, S)",
        "linear(x, y, x[:, 0])",
        "linear(x, b)",
        path="nn.functional.linear",
    ),
    _composite(
        "bilinear",
        _bilinear,
        "bilinear(x, y[:, :2], B.reshape(2, 3, 2))",
        "bilinear(x, y[:, :2], B.reshape(2, 3, 2), b[:2])",
        path="nn.functional.bilinear",
    ),
    _composite("addmm", _addmm, "addmm(B[:2], x, B)", "addmm(y, x, S, beta=0, alpha=2.0)"),
    _composite("addmv", _addmv, "addmv(x[:, 0], y, b)", "addmv(s, y, b, beta=0.5)"),
    _composite("addr", _addr, "addr(x, y[:, 0], b)", "addr(x, y[:, 0], b, beta=2.0, alpha=0.5)"),
    _composite("baddbmm", _baddbmm, "baddbmm(x[None], y[None], S[None], alpha=0.5)"),
    _composite("addbmm", _addbmm, "addbmm(x, y.reshape(1, 2, 3), S.reshape(1, 3, 3))"),
)

ROWS: tuple[Op, ...] = PRODUCTS + SUMS
