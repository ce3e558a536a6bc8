"""What an answer depends on besides its line: the choices of the call, and versions."""

import platform
from dataclasses import fields
from functools import cache
from hashlib import sha256

import vjp_cli
from vjp_cli.lazy import metadata
from vjp_cli.settings import Settings


@cache
def versions() -> dict[str, str]:
    """The versions that a report names; nothing is imported for them."""
    return {
        "vjp": vjp_cli.__version__,
        "torch": metadata.version("torch"),
        "sympy": metadata.version("sympy"),
        "python": platform.python_version(),
    }


def digest(settings: Settings) -> str:
    """One word for all of it, another one where anything differs."""
    values = [(field.name, getattr(settings, field.name)) for field in fields(settings)]
    ordered = [
        (name, sorted(value) if isinstance(value, frozenset) else value) for name, value in values
    ]
    return sha256(repr((ordered, sorted(versions().items()))).encode()).hexdigest()
