"""Rows of ``torch.fft`` that are real at real inputs: sums of cosines, and rotations of an axis.

The transforms with complex results have no rows.
"""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op

# The cosine of so many quarters of a turn.
_QUARTERS = (1, 0, -1, 0)


def _irfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """A real input is a spectrum without imaginary parts: the result is a sum of cosines."""
    lines = torch.movedim(input, dim, -1)
    size = 2 * (lines.shape[-1] - 1) if n is None else n
    used = min(lines.shape[-1], size // 2 + 1)
    summed = torch.matmul(torch.narrow(lines, -1, 0, used), _cosines(lines, used, size))
    if norm == "ortho":
        summed = summed / torch.sqrt(torch.ones_like(summed.sum()) * size)
    elif norm != "forward":
        summed = summed / size
    return torch.movedim(summed, -1, dim)


def _hfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """The same sums as ``irfft``, which divides them where ``hfft`` does not."""
    opposite = {"forward": "backward", "ortho": "ortho"}.get(norm or "backward", "forward")
    return _irfft(input, n, dim, opposite)


def _cosines(like: Any, used: int, size: int) -> Any:
    """How much of each frequency each place has: (2 or 1)·cos(2π·frequency·place/size).

    Returns:
        Shape (used, size), exact where ``like`` is traced.
    """
    frequency, place = torch.arange(used)[:, None], torch.arange(size)
    turns = frequency * place % size
    one = torch.ones_like(like.sum())
    cosine = torch.cos(8 * torch.atan(one) * turns / size)
    # where a cosine is rational without rounding, it is given as a whole number
    quarters = torch.tensor(_QUARTERS)[4 * turns // size % 4]
    cosine = torch.where(4 * turns % size == 0, quarters.to(torch.float64), cosine)
    # all but the first frequency and half the size stand for two, of opposite signs
    twice = (frequency > 0) & (2 * frequency != size)
    return cosine * torch.where(twice, 2, 1)


def _move(name: str, *samples: str) -> Op:
    return Op(name, f"fft.{name}", Kind.MOVE, samples=samples)


ROWS: tuple[Op, ...] = (
    Op(
        "irfft",
        "fft.irfft",
        Kind.COMPOSITE,
        _irfft,
        (
            "irfft(x)",
            "irfft(B, 5)",
            "irfft(B, 4, 0, 'ortho')",
            "irfft(B, n=9, norm='forward')",
        ),
        note="of a real input, which is a spectrum without imaginary parts",
    ),
    Op(
        "hfft",
        "fft.hfft",
        Kind.COMPOSITE,
        _hfft,
        ("hfft(x)", "hfft(B, 5, dim=0)", "hfft(B, norm='ortho')", "hfft(x, norm='forward')"),
        note="of a real input",
    ),
    _move("fftshift", "fftshift(x)", "fftshift(B, dim=1)"),
    _move("ifftshift", "ifftshift(x)", "ifftshift(B, 0)"),
)
