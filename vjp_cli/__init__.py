"""Inspect vector-Jacobian products: what ``y.backward(v)`` computes, and whether it is right."""

from typing import Any

from vjp_cli.lazy import metadata


def __getattr__(name: str) -> Any:
    """``__version__``, read from the metadata when first asked for: reading it takes 0.05 s."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return metadata.version("vjp-cli")
