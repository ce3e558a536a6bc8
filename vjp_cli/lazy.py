"""The one place for late imports.

torch takes one to two seconds to import and SymPy a third of one, while help, completion and every
rejected input need neither. All other modules write ``from vjp_cli.lazy import torch`` at their top
and pay on first use. Importing happens with the cyclic collector off, and what was imported is then
frozen: torch creates about a million objects that live for ever, and scanning them again and again
costs a tenth of the whole call.
"""

import gc
import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any


class _LazyModule(ModuleType):
    """A module that is imported when one of its attributes is first asked for."""

    def __getattr__(self, attribute: str) -> Any:
        collecting = gc.isenabled()
        gc.disable()
        try:
            module = importlib.import_module(self.__name__)
        except Exception as error:
            if self.__name__.startswith("vjp_cli"):
                raise
            # a library that is there and broken may raise anything, and under another name
            reason = str(error) if isinstance(error, ImportError) else repr(error)
            raise ImportError(reason, name=self.__name__) from error
        finally:
            gc.freeze()
            if collecting:
                gc.enable()
        value = getattr(module, attribute)
        # the next look-up of the same attribute finds it without coming here
        self.__dict__[attribute] = value
        return value


if TYPE_CHECKING:
    from importlib import metadata

    import flint
    import matplotlib
    import numpy
    import sympy
    import torch
    from matplotlib import figure

    # only where the extra is installed
    distributed: Any
    encoding: Any
    # typed, they would tie every module that imports this one into one circle
    checking: Any
    cli: Any
    inspection: Any
else:
    torch = _LazyModule("torch")
    sympy = _LazyModule("sympy")
    numpy = _LazyModule("numpy")
    flint = _LazyModule("flint")
    metadata = _LazyModule("importlib.metadata")
    encoding = _LazyModule("msgspec.json")
    distributed = _LazyModule("distributed")
    # of an extra: only a plot needs them
    matplotlib = _LazyModule("matplotlib")
    figure = _LazyModule("matplotlib.figure")
    # our own pipeline: a hundred modules, of which help and refusals need none
    inspection = _LazyModule("vjp_cli.inspection")
    cli = _LazyModule("vjp_cli.cli")
    # with the table of operations: sixty modules, of which help needs none
    checking = _LazyModule("vjp_cli.language.checker")

__all__ = [
    "checking",
    "cli",
    "distributed",
    "encoding",
    "figure",
    "flint",
    "inspection",
    "matplotlib",
    "metadata",
    "numpy",
    "sympy",
    "torch",
]
