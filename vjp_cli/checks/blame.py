"""Where a backward makes a gradient: the line of its source to look at. Nothing is run for it."""

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vjp_cli.derivatives.python_backward import PythonBackward
from vjp_cli.errors import shorten
from vjp_cli.settings import LIMITS


@dataclass(frozen=True)
class Line:
    """One line of a source, and what is computed there."""

    number: int
    text: str


def where_to_look(backwards: tuple[PythonBackward, ...], name: str, given: Path | None) -> str:
    """``look at swish.py line 22: return g * s``; of several Functions only their names.

    Args:
        backwards: the custom Functions of the graph.
        name: the input whose gradient is wrong.
        given: the user's file, as the user wrote it.
    """
    if len(backwards) > 1:
        names = ", ".join(dict.fromkeys(backward.name for backward in backwards))
        return f"the custom Functions on the way are {names}"
    line = likely_line(backwards[0], name)
    if line is None:
        return f"look at the backward of {backwards[0].name}"
    return f"look at {_shown(Path(backwards[0].file), given)} line {line.number}: {line.text}"


def _shown(file: Path, given: Path | None) -> str:
    """The file as the user gave it, or relative to the working directory, or by its name."""
    if given is not None and not given.is_absolute() and given.resolve() == file:
        return shorten(str(given))
    if file.is_relative_to(Path.cwd()):
        return shorten(str(file.relative_to(Path.cwd())))
    return shorten(file.name)


def likely_line(backward: PythonBackward, name: str) -> Line | None:
    """Where the gradient of one input is made; None where the source does not show it.

    That is the return statement, the element of the returned tuple that belongs to the input, or,
    where a variable is returned, the last statement that writes it. Of several returns it is the
    last.
    """
    definition = _definition(backward)
    if definition is None:
        return None
    returns = [node for node in _own(definition) if isinstance(node, ast.Return)]
    last = max(returns, key=lambda node: node.lineno, default=None)
    if last is None or last.value is None:
        return None
    value = _element(last.value, backward.arguments.get(name, ()))
    made: ast.expr | ast.stmt = last if value is last.value else value
    if isinstance(value, ast.Name):
        made = _last_write(definition, value) or made
    return Line(made.lineno, shorten(ast.unparse(made)))


def _element(value: ast.expr, positions: tuple[int, ...]) -> ast.expr:
    """The element of a returned tuple that is the gradient; the whole where none stands out."""
    if not isinstance(value, ast.Tuple) or len(positions) != 1:
        return value
    if any(isinstance(element, ast.Starred) for element in value.elts):
        return value
    [position] = positions
    return value.elts[position] if position < len(value.elts) else value


def _definition(backward: PythonBackward) -> ast.FunctionDef | None:
    tree = _tree(Path(backward.file)) if backward.file else None
    for node in () if tree is None else ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            # a code object begins with the first decorator
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == backward.line:
                return node
    return None


def _tree(path: Path) -> ast.Module | None:
    try:
        if not path.is_file() or path.stat().st_size > LIMITS.line_characters:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(path.read_bytes(), str(path))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def _own(definition: ast.FunctionDef) -> Iterator[ast.AST]:
    """The statements and expressions of a function, without those of functions inside it."""
    waiting: list[ast.AST] = list(definition.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, _SCOPES):
            continue
        yield node
        waiting.extend(ast.iter_child_nodes(node))


def _last_write(definition: ast.FunctionDef, variable: ast.Name) -> ast.stmt | None:
    """The last statement before ``variable`` that writes it, in whole or in part."""
    writing = [
        node
        for node in _own(definition)
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign))
        and node.lineno < variable.lineno
        and any(variable.id in _names(target) for target in _targets(node))
    ]
    return max(writing, key=lambda node: node.lineno, default=None)


def _targets(node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _names(target: ast.expr) -> set[str]:
    """The variables that an assignment to ``target`` writes; ``g`` for ``g[0]``."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return {name for element in target.elts for name in _names(element)}
    while isinstance(target, (ast.Subscript, ast.Attribute, ast.Starred)):
        target = target.value
    return {target.id} if isinstance(target, ast.Name) else set()
