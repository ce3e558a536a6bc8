"""Runs a file and takes the function or the module from it."""

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from vjp_cli import ending
from vjp_cli.errors import EvaluationError, shorten
from vjp_cli.frames import ENDINGS, said
from vjp_cli.functions.body import UserFunction
from vjp_cli.functions.isolation import Effects, isolated, state
from vjp_cli.functions.signature import Kind
from vjp_cli.functions.source import FunctionSource
from vjp_cli.lazy import torch


def load(source: FunctionSource, seed: int = 0) -> UserFunction:
    """Run the file and take what the source names from it; a class or a factory is called.

    A file is loaded by its path, under a name of its own, so that a file called ``torch.py`` or
    ``json.py`` shadows nothing; its neighbours are found after everything that is installed.

    Args:
        source: what to take.
        seed: of the random numbers that a new module's parameters are drawn from.

    Raises:
        EvaluationError: the file raised while it ran, or has something else under that name then.
    """
    with isolated(seed, Effects()):
        found = _run(source)
        if source.kind in (Kind.CLASS, Kind.FACTORY) and callable(found):
            found = _made(source, found)
        left = state()
    return replace(called(source, found), state=left)


def called(source: FunctionSource, found: Any) -> UserFunction:
    """What is called for an object that is there already.

    Raises:
        EvaluationError: it is not of the kind that its source says.
    """
    if isinstance(found, torch.nn.Module):
        return UserFunction(source, found, inspect.signature(found.forward), found)
    if isinstance(found, type) and issubclass(found, torch.autograd.Function):
        return UserFunction(source, found.apply, _forward_of(found))
    if not callable(found) or source.kind is not Kind.FUNCTION:
        raise EvaluationError(f"{shorten(source.text)} is no {source.kind} once the file has run")
    return UserFunction(source, found, inspect.signature(found))


def _forward_of(function: Any) -> inspect.Signature:
    """The parameters of a custom Function's ``apply``."""
    signature = inspect.signature(function.forward)
    own = function.setup_context is not torch.autograd.Function.setup_context
    skipped = 0 if own else 1
    return signature.replace(parameters=list(signature.parameters.values())[skipped:])


def _run(source: FunctionSource) -> Any:
    """The object of that name in the file, which is run."""
    ending.theirs()
    path = source.path.resolve()
    folder = str(Path.cwd() if source.module else path.parent)
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        module = importlib.import_module(source.module) if source.module else _executed(path)
    except (Exception, *ENDINGS) as error:
        hint = f"vjp runs in the environment {sys.prefix}" if isinstance(error, ImportError) else ""
        words = said(error, source.path)
        raise EvaluationError(f"{shorten(str(source.path))} raised {words}", hint) from error
    return getattr(module, source.name, None)


def _executed(path: Path) -> Any:
    name = f"vjp_user_{abs(hash(path))}"
    spec = importlib.util.spec_from_file_location(name, path)
    # ``find`` lets only ``.py`` through
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _made(source: FunctionSource, make: Callable[[], Any]) -> Any:
    try:
        return make()
    except (Exception, *ENDINGS) as error:
        words = said(error, source.path)
        raise EvaluationError(f"{source.name}() raised {words}") from error
