"""A Python function by its file and name: its parameters, read before anything is imported.

Loading a function runs the user's code. Nothing here looks for a function that was not named.
"""

import ast
import importlib.util
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import normalize

from vjp_cli.choices import did_you_mean
from vjp_cli.errors import EvaluationError, InputError, LimitError, Place, clean, shorten
from vjp_cli.settings import LIMITS


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
        InputError: no such file or function.
        EvaluationError: the file is not Python.
        LimitError: the file is too long.
    """
    file, _, name = reference.rpartition(":")
    if not file.endswith(".py") or not name.isidentifier():
        raise InputError(
            f"{option}: '{shorten(reference)}' is not FILE.py:NAME", "for example model.py:loss"
        )
    path, name = Path(file), normalize("NFKC", name)
    definition = _definition(path, name, option)
    arguments = definition.args
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


def _definition(path: Path, name: str, option: str) -> ast.FunctionDef:
    """The last ``def`` of that name at the top level of the file."""
    shown = shorten(str(path))
    body = _tree(path, option).body
    functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    if name in functions:
        return functions[name]
    if any(isinstance(node, ast.ClassDef) and node.name == name for node in body):
        hint = f"write a function that calls it: def f(x): return {name}…"
        raise InputError(f"{option}: {name} in {shown} is a class, not a function", hint)
    has = f"it has: {shorten(', '.join(functions))}" if functions else "it has none"
    raise InputError(
        f"{option}: {shown} has no function '{shorten(name)}'",
        did_you_mean(name, functions) or has,
    )


def _tree(path: Path, option: str) -> ast.Module:
    try:
        # a pipe or a device would be waited for without end
        if path.exists() and not path.is_file():
            raise InputError(f"{option}: {shorten(str(path))} is not a regular file")
        text = path.read_bytes()
    except (OSError, ValueError) as error:
        near = (str(each) for each in path.parent.glob("*.py"))
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"{option}: cannot read {shorten(str(path))}: {clean(str(reason))}",
            did_you_mean(str(path), near),
        ) from error
    if len(text) > LIMITS.line_characters:
        raise LimitError(f"{option}: {shorten(str(path))} has more than 10 million bytes")
    try:
        with warnings.catch_warnings():
            # said when the file is run, if at all
            warnings.simplefilter("ignore")
            return ast.parse(text, str(path))
    except SyntaxError as error:
        where = f"{shorten(str(path))}:{error.lineno}"
        raise EvaluationError(f"{option}: {where}: {clean(error.msg)}", "", _place(error)) from None
    except (ValueError, RecursionError, MemoryError) as error:
        words = clean(str(error)) or "it is nested too deeply"
        raise EvaluationError(f"{option}: {shorten(str(path))} is not Python: {words}") from None


def _place(error: SyntaxError) -> Place | None:
    """The place in the line that the error is in; None where Python does not say."""
    text, offset = error.text, error.offset
    if not text or not offset:
        return None
    line = text.split("\n")[0]
    start = min(offset - 1, len(line))
    same = error.end_lineno == error.lineno and (error.end_offset or 0) > offset
    return Place(line, start, (error.end_offset or 0) - 1 if same else start + 1)


def load(source: FunctionSource) -> Callable[..., Any]:
    """Run the file and take the function from it.

    The file is loaded by its path, under a name of its own, so that a file called ``torch.py`` or
    ``json.py`` shadows nothing; its neighbours are found after everything that is installed.

    Raises:
        EvaluationError: the file raised while it ran, or has something else under that name then.
    """
    path = source.path.resolve()
    name = f"vjp_user_{abs(hash(path))}"
    spec = importlib.util.spec_from_file_location(name, path)
    # ``find`` lets only ``.py`` through
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        hint = f"vjp runs in the environment {sys.prefix}" if isinstance(error, ImportError) else ""
        words = said(error, source.path)
        raise EvaluationError(f"{shorten(str(source.path))} raised {words}", hint) from error
    function = getattr(module, source.name, None)
    if not callable(function):
        raise EvaluationError(f"{shorten(source.text)} is no function once the file has run")
    return function  # type: ignore[no-any-return]


def said(error: BaseException, path: Path) -> str:
    """``ValueError: … (line 12)``: an exception with the last line of the user's file it passed."""
    line, file = None, str(path.resolve())
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    words = str(error).strip().split("\n")[0]
    where = "" if line is None else f" (line {line})"
    return (
        shorten(f"{type(error).__name__}: {words}" if words else type(error).__name__, 160) + where
    )
