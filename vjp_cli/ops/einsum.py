"""The row ``einsum``: the equation is parsed here, the operands contract two at a time."""

from math import prod
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op

# The dimensions of an ellipsis get names that no equation can hold.
_ELLIPSIS = tuple(chr(0x2460 + k) for k in range(64))


def _einsum(equation: str, *operands: Any) -> Any:
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    terms, output = _parse(equation, [operand.ndim for operand in operands])
    pending = [_own_diagonal(x, term) for x, term in zip(operands, terms, strict=True)]
    result, names = pending.pop(0)
    while pending:
        other, other_names = pending.pop(0)
        needed = set(output).union(*(term for _, term in pending))
        result, names = _contract((result, names), (other, other_names), needed)
    result, names = _sum_out(result, names, set(output))
    return result.permute(tuple(names.index(name) for name in output))


def _parse(equation: str, ndims: list[int]) -> tuple[list[str], str]:
    """The names of each operand's dimensions, one character each, and those of the output."""
    left, arrow, output = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    hidden = [ndim - len(term) + 3 for term, ndim in zip(terms, ndims, strict=True)]
    widest = max((n for n, term in zip(hidden, terms, strict=True) if "..." in term), default=0)
    shared = "".join(_ELLIPSIS[:widest])
    if not arrow:
        letters = left.replace(",", "").replace(".", "")
        output = "..." + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    spelled = [
        term.replace("...", shared[widest - n :]) for term, n in zip(terms, hidden, strict=True)
    ]
    return spelled, output.replace("...", shared)


def _own_diagonal(x: Any, names: str) -> tuple[Any, str]:
    """``x`` with one dimension for each name: a repeated name means the diagonal."""
    for name in dict.fromkeys(names):
        while names.count(name) > 1:
            first, second = names.index(name), names.rindex(name)
            x = torch.diagonal(x, 0, first, second)
            names = names[:first] + names[first + 1 : second] + names[second + 1 :] + name
    return x, names


def _sum_out(x: Any, names: str, needed: set[str]) -> tuple[Any, str]:
    gone = tuple(dim for dim, name in enumerate(names) if name not in needed)
    kept = "".join(name for name in names if name in needed)
    return (torch.sum(x, gone) if gone else x), kept


def _contract(first: tuple[Any, str], second: tuple[Any, str], needed: set[str]) -> tuple[Any, str]:
    """The product of two operands, summed over the names that are not needed any more.

    It is a batch of matrix products: the names lie as (both and needed, first only, both and
    summed) and (both and needed, both and summed, second only).
    """
    x, left = _sum_out(*first, needed | set(second[1]))
    y, right = _sum_out(*second, needed | set(left))
    x, y = _spread(x, left, y, right), _spread(y, right, x, left)
    batch = [name for name in left if name in right and name in needed]
    summed = [name for name in left if name in right and name not in needed]
    rows = [name for name in left if name not in right]
    columns = [name for name in right if name not in left]
    sizes = dict(zip(left + right, (*x.shape, *y.shape), strict=True))

    def arranged(z: Any, names: str, groups: tuple[list[str], ...]) -> Any:
        order = [names.index(name) for group in groups for name in group]
        shape = [sizes[name] for name in groups[0]]
        shape += [prod(sizes[name] for name in group) for group in groups[1:]]
        return z.permute(tuple(order)).reshape(shape)

    if summed:
        x, y = (
            arranged(x, left, (batch, rows, summed)),
            arranged(y, right, (batch, summed, columns)),
        )
        product = torch.matmul(x, y)
    else:
        one: list[str] = []
        x, y = arranged(x, left, (batch, rows, one)), arranged(y, right, (batch, one, columns))
        product = x * y
    names = batch + rows + columns
    return product.reshape([sizes[name] for name in names]), "".join(names)


def _spread(x: Any, names: str, other: Any, other_names: str) -> Any:
    """``x`` with its dimensions of size 1 expanded to the size that ``other`` gives the name."""
    sizes = dict(zip(other_names, other.shape, strict=True))
    shape = [
        sizes.get(name, size) if size == 1 else size
        for name, size in zip(names, x.shape, strict=True)
    ]
    return x if tuple(shape) == tuple(x.shape) else x.expand(shape)


ROWS: tuple[Op, ...] = (
    Op(
        "einsum",
        "einsum",
        Kind.COMPOSITE,
        _einsum,
        (
            "einsum('ij,jk->ik', x, B)",
            "einsum('ij,jk', x, B)",
            "einsum('ii', S)",
            "einsum('ii->i', S)",
            "einsum('ij->ji', x)",
            "einsum('ij->', x)",
            "einsum('ij,ij->i', x, y)",
            "einsum('i,j->ij', b, x[0])",
            "einsum('...j,j->...', x, b)",
            "einsum('b...,...j->b...j', x, x.unsqueeze(-1)[0])",
            "einsum('i,ij,jk->k', x[:, 0], y, B)",
            "einsum('ba, cb', B, x)",
            "einsum(',ij->ij', s, x)",
        ),
        lists=True,
    ),
)
