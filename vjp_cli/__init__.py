"""Inspect vector-Jacobian products: what ``y.backward(v)`` computes, and whether it is right."""

import sys

if sys.argv[:1] == ["-m"] and "vjp_cli" in sys.orig_argv and not sys.flags.safe_path:
    # `python -m vjp_cli` is the program `vjp`, which no json.py or torch.py beside it can break
    del sys.path[0]

import pkgutil
from typing import TYPE_CHECKING, Any

from vjp_cli.version import __version__

if TYPE_CHECKING:
    from vjp_cli.library import assert_vjp, inspect
    from vjp_cli.report import Report
    from vjp_cli.settings import Settings

__all__ = ["Report", "Settings", "__version__", "assert_vjp", "inspect"]

_HOMES = {
    "assert_vjp": "vjp_cli.library",
    "inspect": "vjp_cli.library",
    "Report": "vjp_cli.report",
    "Settings": "vjp_cli.settings",
}


def __getattr__(name: str) -> Any:
    """The public names, when they are first asked for.

    The command line imports this package on every call, and needs none of them.
    """
    if name in _HOMES:
        return pkgutil.resolve_name(f"{_HOMES[name]}:{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
