"""What a name stands for, read from the source by ``ast``: nothing is imported, nothing is run.

Names are followed through assignments and imports, into the files of installed packages too, so
that ``model = nn.Linear(3, 2)`` is known to take one input.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

# names imported from names imported from …: more steps than any package has
_STEPS = 20


@dataclass(frozen=True)
class Scope:
    """One parsed file.

    Attributes:
        package: where its relative imports start.
        folders: where its neighbours are, looked at after everything that is installed.
    """

    path: Path
    tree: ast.Module
    package: str = ""
    folders: tuple[str, ...] = ()

    @cached_property
    def names(self) -> "dict[str, ast.AST]":
        """The statement that binds each name at the top level; the last one counts."""
        found: dict[str, ast.AST] = {}
        for node in _statements(self.tree.body):
            for name in _bound(node):
                found[name] = node
        return found

    @cached_property
    def stars(self) -> "list[ast.ImportFrom]":
        """Its ``from … import *``."""
        return [
            node
            for node in _statements(self.tree.body)
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
        ]


@dataclass(frozen=True)
class Definition:
    """What a name stands for: a ``def``, a class, or the value of an assignment."""

    scope: Scope
    node: ast.AST = field(repr=False)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements at the top level, those in ``if``, ``try`` and ``with`` included."""
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            for _, inner in ast.iter_fields(node):
                if isinstance(inner, list) and inner and isinstance(inner[0], ast.stmt):
                    yield from _statements(inner)
                elif isinstance(inner, list) and inner and isinstance(inner[0], ast.excepthandler):
                    for handler in inner:
                        yield from _statements(handler.body)


def _bound(node: ast.stmt) -> list[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
        return [node.target.id]
    return []


def lookup(scope: Scope, name: str, steps: int = _STEPS) -> Definition | None:
    """What ``name`` stands for at the top level of a file; None where the source does not say."""
    node: Any = scope.names.get(name)
    if steps == 0:
        return None
    if node is None:
        inner = (_imported(scope, star) for star in scope.stars)
        found = (lookup(other, name, steps - 1) for other in inner if other is not None)
        return next((definition for definition in found if definition is not None), None)
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return Definition(scope, node)
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        if isinstance(node.value, (ast.Name, ast.Attribute)):
            return resolve(scope, node.value, steps - 1)
        return Definition(scope, node.value) if node.value else None
    if isinstance(node, ast.ImportFrom):
        origin = next(a.name for a in node.names if name == (a.asname or a.name))
        module = _imported(scope, node)
        return None if module is None else lookup(module, origin, steps - 1)
    return None


def resolve(scope: Scope, node: ast.AST, steps: int = _STEPS) -> Definition | None:
    """What ``name`` or ``module.name`` stands for."""
    if isinstance(node, ast.Name):
        return lookup(scope, node.id, steps)
    if not isinstance(node, ast.Attribute):
        return None
    module = _module(scope, node.value)
    found = None if module is None else parsed(module, scope.folders)
    return None if found is None else lookup(found, node.attr, steps - 1)


def _module(scope: Scope, node: ast.AST) -> str | None:
    """The dotted name of the module that ``nn`` or ``torch.nn`` is."""
    if isinstance(node, ast.Attribute):
        outer = _module(scope, node.value)
        return None if outer is None else f"{outer}.{node.attr}"
    if not isinstance(node, ast.Name):
        return None
    binding: Any = scope.names.get(node.id)
    if isinstance(binding, ast.Import):
        alias = next(a for a in binding.names if node.id == (a.asname or a.name.partition(".")[0]))
        return alias.name if alias.asname else node.id
    if isinstance(binding, ast.ImportFrom):
        origin = next(a.name for a in binding.names if node.id == (a.asname or a.name))
        return f"{_absolute(scope, binding)}.{origin}"
    return None


def _absolute(scope: Scope, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parents = scope.package.split(".")
    base = parents[: len(parents) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def _imported(scope: Scope, node: ast.ImportFrom) -> Scope | None:
    return parsed(_absolute(scope, node), scope.folders)


def parsed(module: str, folders: tuple[str, ...]) -> Scope | None:
    """The file of an installed module, or of one in ``folders``; None where there is no source."""
    path, is_package = located(module, folders)
    if path is None:
        return None
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except (OSError, SyntaxError, ValueError):
        return None
    return Scope(path, tree, module if is_package else module.rpartition(".")[0], folders)


def located(module: str, folders: tuple[str, ...]) -> tuple[Path | None, bool]:
    """The file of a module, and whether it is a package's; no parent package is imported."""
    where: Any = None
    spec: Any = None
    parts = module.split(".")
    for k in range(len(parts)):
        name = ".".join(parts[: k + 1])
        finders = (getattr(finder, "find_spec", None) for finder in sys.meta_path)
        specs = (find(name, where) for find in finders if find is not None)
        spec = next((found for found in specs if found is not None), None)
        if spec is None and where is None:
            spec = PathFinder.find_spec(name, list(folders))
        if spec is None:
            return None, False
        where = spec.submodule_search_locations
        if where is None and k + 1 < len(parts):
            return None, False
    if not spec.origin or not spec.origin.endswith(".py"):
        return None, False
    return Path(spec.origin), where is not None
