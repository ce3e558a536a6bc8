"""What the shell offers for the beginning of a value.

Only texts and the names of files are looked at: no library is imported, and no code is run. An
empty answer leaves the shell to offer files.
"""

import ast
import os
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

Words = Sequence[str]


def one_of(choices: Iterable[str]) -> Callable[[str], list[str]]:
    """What continues the beginning of one of ``choices``."""
    return lambda incomplete: [choice for choice in choices if choice.startswith(incomplete)]


def list_of(choices: Words, alone: Words = ()) -> Callable[[str], list[str]]:
    """The same for the last entry of a comma list; ``alone`` are words that no list has."""

    def continued(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        given = before.split(",")
        further = [*choices, *([] if comma else alone)]
        rest = [word for word in further if word.startswith(last) and word not in given]
        return [f"{before}{comma}{word}" for word in rest]

    return continued


def value(incomplete: str) -> list[str]:
    """The files after the ``@`` of a value, as they are or behind ``NAME=``."""
    name, at, path = incomplete.partition("@")
    if not at or (name and not name.endswith("=")):
        return []
    return [f"{name}@{file}" for file in files(path)]


def cotangent(incomplete: str) -> list[str]:
    """The generators that take the shape of y, and files."""
    return value(incomplete) or one_of(("ones", "zeros", "rand", "randn", "e0"))(incomplete)


def operations(incomplete: str) -> list[str]:
    """The names of the operations."""
    # with the table of operations, which nothing else that is completed needs
    rows = pkgutil.resolve_name("vjp_cli.ops.catalog:ROWS")
    return one_of(dict.fromkeys(name for row in rows for name in row.names))(incomplete)


def functions(incomplete: str) -> list[str]:
    """``FILE.py:NAME`` for what the file defines, once the colon is there."""
    file, colon, name = incomplete.rpartition(":")
    if not colon or not file.endswith(".py"):
        return []
    return [f"{file}:{found}" for found in one_of(_defined(file))(name)]


def files(start: str) -> list[str]:
    """The paths that begin so; a folder that is the only one is looked into.

    Hidden ones only where they are asked for.
    """
    folder, slash, name = start.rpartition("/")
    found = []
    with suppress(OSError), os.scandir(folder or slash or ".") as entries:
        for entry in entries:
            if entry.name.startswith(name) and (name or not entry.name.startswith(".")):
                end = "/" if entry.is_dir() else ""
                found.append(f"{folder}{slash}{entry.name}{end}")
    # a shell would end the word behind the only answer
    if len(found) == 1 and found[0].endswith("/"):
        return files(found[0]) or found
    return sorted(found)


def _defined(file: str) -> list[str]:
    """The functions and classes at the top of a file of Python."""
    with suppress(OSError, SyntaxError, ValueError):
        body = ast.parse(Path(file).read_bytes()).body
        kinds = (ast.FunctionDef, ast.ClassDef)
        return [node.name for node in body if isinstance(node, kinds)]
    return []
