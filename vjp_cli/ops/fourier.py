"""Rows of ``torch.fft`` whose results are real, and rotations of an axis.

The transforms with complex results lie in ``transforms``.
"""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.table import Kind, Op

# The cosine of so many quarters of a turn.
_QUARTERS = (1, 0, -1, 0)
# What an inverse transform calls the scaling of the opposite direction.
OPPOSITE = {"forward": "backward", "backward": "forward", "ortho": "ortho"}


def cosines(one: Any, turns: Any, size: int) -> Any:
    """cos(2π·turns/size), exact where ``one`` is traced: each value is computed once."""
    return _cosine(one, 4 * torch.arange(size), size)[turns % size]


def sines(one: Any, turns: Any, size: int) -> Any:
    """sin(2π·turns/size), like ``cosines``."""
    return _cosine(one, 4 * torch.arange(size) - size, size)[turns % size]


def _cosine(one: Any, quarters: Any, size: int) -> Any:
    """The cosine of quarters/size quarters of a turn."""
    quarters = quarters % (4 * size)
    cosine = torch.cos(2 * torch.atan(one) * quarters / size)
    # where a cosine is rational without rounding, it is given as a whole number
    whole = torch.tensor(_QUARTERS)[quarters // size].to(one.dtype)
    return torch.where(quarters % size == 0, whole, cosine)


def one_like(input: Any) -> Any:
    """A real 1 of the dtype of the parts, exact where ``input`` is traced."""
    return torch.ones_like(real_part(torch.sum(input)))


def scaled(result: Any, size: int, norm: str | None) -> Any:
    """The plain sums of a transform under torch's names for its scaling."""
    if norm == "ortho":
        return result / torch.sqrt(one_like(result) * size)
    return result / size if norm == "forward" else result


def real_part(input: Any) -> Any:
    """The real part; a real tensor as it is."""
    return torch.real(input) if input.dtype.is_complex else input


def irfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """The rule of the row of that name, along one axis.

    The other half of the spectrum is the conjugate: all but the ends of this half count twice. Of
    the ends the imaginary parts count for nothing.
    """
    lines = torch.movedim(input, dim, -1)
    size = 2 * (lines.shape[-1] - 1) if n is None else n
    used = min(lines.shape[-1], size // 2 + 1)
    half = torch.narrow(lines, -1, 0, used)
    frequency, place = torch.arange(used)[:, None], torch.arange(size)
    twice = torch.where((frequency > 0) & (2 * frequency != size), 2, 1)
    one, turns = one_like(lines), frequency * place
    result = torch.matmul(real_part(half), cosines(one, turns, size) * twice)
    if half.dtype.is_complex:
        result = result - torch.matmul(torch.imag(half), sines(one, turns, size) * twice)
    return torch.movedim(scaled(result, size, OPPOSITE[norm or "backward"]), -1, dim)


def _hfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """``irfft`` of the conjugate, which divides where ``hfft`` does not."""
    conjugate = torch.conj(input) if input.dtype.is_complex else input
    return irfft(conjugate, n, dim, OPPOSITE[norm or "backward"])


def _move(name: str, *samples: str) -> Op:
    return Op(name, f"fft.{name}", Kind.MOVE, samples=samples)


ROWS: tuple[Op, ...] = (
    Op(
        "irfft",
        "fft.irfft",
        Kind.COMPOSITE,
        irfft,
        (
            "irfft(x)",
            "irfft(B, 5)",
            "irfft(B, 4, 0, 'ortho')",
            "irfft(B, n=9, norm='forward')",
        ),
    ),
    Op(
        "hfft",
        "fft.hfft",
        Kind.COMPOSITE,
        _hfft,
        ("hfft(x)", "hfft(B, 5, dim=0)", "hfft(B, norm='ortho')", "hfft(x, norm='forward')"),
    ),
    _move("fftshift", "fftshift(x)", "fftshift(B, dim=1)"),
    _move("ifftshift", "ifftshift(x)", "ifftshift(B, 0)"),
)
