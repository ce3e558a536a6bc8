"""Rows of ``torch.fft`` whose results are complex: sums of roots of unity times the elements."""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops.fourier import OPPOSITE, cosines, irfft, one_like, scaled, sines
from vjp_cli.ops.reductions import axes
from vjp_cli.ops.table import Kind, Op


def _roots(one: Any, rows: int, columns: int, size: int) -> Any:
    """exp(2πi·row·column/size), exact where ``one`` is traced.

    Args:
        one: a real 1, of the dtype of the parts.
        rows: how many.
        columns: how many.
        size: what a full turn has.

    Returns:
        Shape (rows, columns).
    """
    turns = torch.arange(rows)[:, None] * torch.arange(columns)
    return torch.complex(cosines(one, turns, size), sines(one, turns, size))


def _transform(input: Any, n: int | None, dim: int, norm: str | None, inverse: bool) -> Any:
    lines = torch.movedim(input, dim, -1)
    size = lines.shape[-1] if n is None else n
    used = min(lines.shape[-1], size)
    weights = _roots(one_like(lines), used, size, size)
    weights = weights if inverse else torch.conj(weights)
    summed = torch.matmul(torch.narrow(lines, -1, 0, used).to(weights.dtype), weights)
    return torch.movedim(scaled(summed, size, norm), -1, dim)


def _fft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    return _transform(input, n, dim, norm, inverse=False)


def _ifft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    return _transform(input, n, dim, OPPOSITE[norm or "backward"], inverse=True)


def _half(spectrum: Any, dim: int) -> Any:
    """The first half of a spectrum and its middle: the rest are their conjugates."""
    return torch.narrow(spectrum, dim, 0, spectrum.shape[dim] // 2 + 1)


def _rfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    return _half(_fft(input, n, dim, norm), dim)


def _ihfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    return _half(_ifft(input, n, dim, norm), dim)


def _places(input: Any, s: Any, dim: Any) -> list[tuple[int, int | None]]:
    """The axes of a transform of several, each with the size that is asked for."""
    if dim is None and s is not None:
        dim = tuple(range(-len(s), 0))
    chosen = axes(dim, input.ndim)
    sizes = [None] * len(chosen) if s is None else [None if size == -1 else size for size in s]
    return list(zip(chosen, sizes, strict=True))


def _paired(input: Any) -> Any:
    """A complex tensor of the same numbers: what a transform along no axis makes of real ones."""
    return input if input.is_complex() else torch.complex(input, torch.zeros_like(input))


def _fftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    for axis, size in _places(input, s, dim):
        input = _fft(input, size, axis, norm)
    return _paired(input)


def _ifftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    for axis, size in _places(input, s, dim):
        input = _ifft(input, size, axis, norm)
    return _paired(input)


def _rfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    *others, (last, size) = _places(input, s, dim)
    input = _rfft(input, size, last, norm)
    for axis, size in others:
        input = _fft(input, size, axis, norm)
    return input


def _fft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
    return _fftn(input, s, dim, norm)


def _ifft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
    return _ifftn(input, s, dim, norm)


def _rfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
    return _rfftn(input, s, dim, norm)


def _irfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    *others, (last, size) = _places(input, s, dim)
    for axis, length in others:
        input = _ifft(input, length, axis, norm)
    return irfft(input, size, last, norm)


def _irfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
    return _irfftn(input, s, dim, norm)


def _row(name: str, rule: Any, *samples: str) -> Op:
    return Op(name, f"fft.{name}", Kind.COMPOSITE, rule, samples)


ROWS: tuple[Op, ...] = (
    _row("fft", _fft, "fft(x)", "fft(b, 4)", "fft(x, n=2, dim=0, norm='ortho')"),
    _row("ifft", _ifft, "ifft(x)", "ifft(b, 2, norm='forward')", "ifft(x, norm='ortho')"),
    _row("rfft", _rfft, "rfft(x)", "rfft(b, 5)", "rfft(x, dim=0, norm='forward')"),
    _row("ihfft", _ihfft, "ihfft(x)", "ihfft(b, 4, norm='ortho')"),
    _row("fft2", _fft2, "fft2(x)", "fft2(x, (2, 2))"),
    _row("ifft2", _ifft2, "ifft2(x, norm='ortho')"),
    _row("rfft2", _rfft2, "rfft2(x)"),
    _row("fftn", _fftn, "fftn(x)", "fftn(x, s=(4,))", "fftn(x, dim=(0,))", "fftn(s)"),
    _row("ifftn", _ifftn, "ifftn(x)", "ifftn(s)"),
    _row("rfftn", _rfftn, "rfftn(x, norm='ortho')"),
    _row("irfft2", _irfft2, "irfft2(x, (2, 3))"),
    _row("irfftn", _irfftn, "irfftn(x)", "irfftn(rfftn(x), (2, 3))"),
)
