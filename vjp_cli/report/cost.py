"""What the derivatives took."""

from dataclasses import dataclass


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
