"""A Python function by its file and name: its parameters, read before anything is imported.

Loading a function runs the user's code. Nothing here looks for a function that was not named.
"""

import ast
import difflib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vjp_cli.errors import EvaluationError, InputError, shorten


@dataclass(frozen=True)
class FunctionSource:
    """A function in a file.

    Attributes:
        path: the file.
        name: the function, at the top level of the file.
        parameters: the names of its parameters, in order.
        optional: those that have a default.
    """

    path: Path
    name: str
    parameters: tuple[str, ...]
    optional: frozenset[str]

    @property
    def names(self) -> tuple[str, ...]:
        """The inputs, under the word that an expression has for them."""
        return self.parameters

    @property
    def text(self) -> str:
        """``FILE.py:NAME``."""
        return f"{self.path}:{self.name}"


def find(reference: str, option: str = "--function") -> FunctionSource:
    """The function that ``FILE.py:NAME`` names; its file is parsed, not run.

    Raises:
        InputError: no such file or function, or a file that is not Python.
    """
    file, _, name = reference.rpartition(":")
    if not file or not name.isidentifier():
        raise InputError(
            f"{option}: '{shorten(reference)}' is not FILE.py:NAME", "for example model.py:loss"
        )
    path = Path(file)
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        reason = error.strerror or "it is not a file"
        raise InputError(f"{option}: cannot read {shorten(file)}: {reason}") from error
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{option}: {shorten(file)} is not Python: {error}") from error
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if name not in functions:
        close = difflib.get_close_matches(name, functions, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"it has: {', '.join(functions)}"
        raise InputError(f"{option}: {shorten(file)} has no function '{shorten(name)}'", hint)
    arguments = functions[name].args
    if arguments.vararg or arguments.kwarg:
        raise InputError(
            f"{option}: {name} takes * or ** arguments", "write its parameters one by one"
        )
    positional = [*arguments.posonlyargs, *arguments.args]
    optional = [node.arg for node in positional[len(positional) - len(arguments.defaults) :]]
    keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    optional += [node.arg for node, default in keywords if default is not None]
    names = tuple(node.arg for node in (*positional, *arguments.kwonlyargs))
    return FunctionSource(path, name, names, frozenset(optional))


def load(source: FunctionSource) -> Callable[..., Any]:
    """Run the file and take the function from it.

    The file is loaded by its path, under a name of its own, so that a file called ``torch.py`` or
    ``json.py`` shadows nothing.

    Raises:
        EvaluationError: the file raised while it ran.
    """
    name = f"vjp_user_{abs(hash(source.path.resolve()))}"
    spec = importlib.util.spec_from_file_location(name, source.path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise EvaluationError(f"{source.path} raised {said(error, source.path)}") from error
    function: Callable[..., Any] = getattr(module, source.name)
    return function


def said(error: BaseException, path: Path) -> str:
    """``ValueError: … (line 12)``: an exception with the last line of the user's file it passed."""
    line = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    words = str(error).strip().split("\n")[0]
    where = "" if line is None else f" (line {line})"
    return (
        shorten(f"{type(error).__name__}: {words}" if words else type(error).__name__, 160) + where
    )
