"""What the derivatives took."""

from dataclasses import dataclass

_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


@dataclass(frozen=True)
class Cost:
    """Backward passes and memory.

    Attributes:
        vjp_passes: the backward passes that were made for vᵀJ: one for each v.
        jacobian_passes: those that were made for J; 0 where it was not built.
        jacobian_bytes: what J in full takes, or would take.
    """

    vjp_passes: int
    jacobian_passes: int
    jacobian_bytes: int


def size_text(count: int) -> str:
    """So many bytes in words: ``72 bytes``, ``80 GB``."""
    size, unit = float(count), 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {_UNITS[unit]}"
