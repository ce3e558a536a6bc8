"""A Python function or module by its file and name, read before anything is imported.

Nothing here looks for a function that was not named.
"""

import ast
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from unicodedata import normalize

from vjp_cli.choices import did_you_mean
from vjp_cli.errors import EvaluationError, InputError, LimitError, Place, clean, shorten
from vjp_cli.functions.definitions import Definition, Scope, located, lookup
from vjp_cli.functions.signature import Kind, kind_and_signature, needed_by
from vjp_cli.settings import LIMITS


@dataclass(frozen=True)
class FunctionSource:
    """A function or a module in a file.

    Attributes:
        path: the file.
        name: at the top level of the file.
        parameters: the names of the parameters of a call, in order.
        optional: those that have a default.
        plain: those that take a plain Python value, and its type.
        module: the dotted name of the file, where it was given so.
    """

    path: Path
    name: str
    parameters: tuple[str, ...]
    optional: frozenset[str]
    plain: Mapping[str, str] = field(default_factory=dict)
    kind: Kind = Kind.FUNCTION
    module: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The inputs, under the word that an expression has for them."""
        return self.parameters

    @property
    def output(self) -> str:
        """The name of the output: ``y``, or another where a parameter has that name."""
        candidates = chain(("y", "z", "out", "result"), map("y{}".format, count(2)))
        return next(name for name in candidates if name not in self.parameters)

    @property
    def text(self) -> str:
        """``FILE.py:NAME`` or ``package.module:NAME``."""
        return f"{self.module or self.path}:{self.name}"


def find(reference: str, option: str = "--function") -> FunctionSource:
    """What ``FILE.py:NAME`` or ``package.module:NAME`` names; the file is parsed, not run.

    Raises:
        InputError: no such file or name, or nothing that can be called.
        EvaluationError: the file is not Python.
        LimitError: the file is too long.
    """
    file, _, name = reference.rpartition(":")
    name = normalize("NFKC", name)
    if not name.isidentifier() or not file:
        raise InputError(
            f"{option}: '{shorten(reference)}' is not FILE.py:NAME", "for example model.py:loss"
        )
    path, package = Path(file), ""
    if not file.endswith(".py"):
        path, package = _file_of(file, reference, option)
    scope = Scope(path, _tree(path, option), package, (str(path.resolve().parent), "."))
    definition = _definition(scope, name, option, shorten(file))
    called = kind_and_signature(definition)
    if called is None:
        hint = f"write a function that calls it: def f(x): return {name}(x)"
        what = "a class" if isinstance(definition.node, ast.ClassDef) else "something else"
        raise InputError(
            f"{option}: {name} in {shorten(file)} is {what}, not a function or a module", hint
        )
    kind, signature = called
    if signature.starred:
        raise InputError(
            f"{option}: {name} takes * or ** arguments", "write its parameters one by one"
        )
    needed = needed_by(definition) if kind in (Kind.CLASS, Kind.FACTORY) else ()
    if needed:
        raise InputError(
            f"{option}: {name} cannot be made without {', '.join(needed)}",
            f"write a function without parameters that makes it: def make(): return {name}(…)",
        )
    module = "" if file.endswith(".py") else file
    return FunctionSource(
        path, name, signature.names, signature.optional, signature.plain, kind, module
    )


def _file_of(module: str, reference: str, option: str) -> tuple[Path, str]:
    """The file of ``package.module``, and the package that its relative imports start from."""
    if not all(part.isidentifier() for part in module.split(".")):
        raise InputError(
            f"{option}: '{shorten(reference)}' is not FILE.py:NAME", "for example model.py:loss"
        )
    path, is_package = located(module, (".",))
    if path is None:
        raise InputError(
            f"{option}: there is no Python module '{shorten(module)}'",
            "write FILE.py:NAME for a file, or start where the package is",
        )
    return path, module if is_package else module.rpartition(".")[0]


def _definition(scope: Scope, name: str, option: str, shown: str) -> Definition:
    found = lookup(scope, name)
    if found is not None:
        return found
    if name in scope.names:
        raise InputError(
            f"{option}: the source of {shown} does not say what {name} is",
            f"write a function that calls it: def f(x): return {name}(x)",
        )
    functions = [
        n for n, s in scope.names.items() if isinstance(s, (ast.FunctionDef, ast.ClassDef))
    ]
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
