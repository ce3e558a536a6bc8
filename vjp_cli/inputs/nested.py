"""Arrays as text: rows with commas and semicolons, JSON, and lists that are already decoded."""

import json
import re
from typing import Any

from vjp_cli.errors import InputError
from vjp_cli.inputs.literals import Value, check_size, path_of, read_numbers, where


def from_rows(text: str, name: str) -> Value:
    """``3``, ``1,2,3`` or ``1,2;3,4`` as a raw value of shape (), (n,) or (rows, columns).

    Raises:
        InputError: at an entry that is empty or no number, or if the rows differ in length.
        LimitError: before splitting, if there are too many entries.
    """
    check_size((text.count(",") + text.count(";") + 1,), name)
    rows = [row.split(",") for row in text.split(";")]
    if len(rows) == 1 and len(rows[0]) == 1:
        return Value((), read_numbers(rows[0], name, lambda _: ""))
    if len(rows) == 1 and len(rows[0]) == 2 and rows[0][0].strip() and not rows[0][1].strip():
        # one trailing comma makes a single number 1-d
        del rows[0][1]
    for index in range(len(rows)):
        _check_row(rows, index, name)
    shape = (len(rows), len(rows[0]))[1 if len(rows) == 1 else 0 :]
    tokens = [token for row in rows for token in row]
    return Value(shape, read_numbers(tokens, name, lambda k: where(path_of(k, shape))))


def _check_row(rows: list[list[str]], index: int, name: str) -> None:
    row = rows[index]
    place = f"{name}: row {index + 1}" if len(rows) > 1 else name
    if len(row) == 1 and not row[0].strip():
        hint = "one row of a matrix is written [[1,2]]"
        raise InputError(f"{place} of {len(rows)} is empty", hint)
    for position, token in enumerate(row, 1):
        if not token.strip():
            raise InputError(
                f"{place}{',' if len(rows) > 1 else ':'} entry {position} of {len(row)} is empty",
                "two commas, or one at the end?",
            )
    if len(row) != len(rows[0]):
        raise InputError(
            f"{place} has {_entries(len(row))}, row 1 has {len(rows[0])}",
            "every row needs as many entries as the first",
        )


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def from_nested(decoded: object, name: str) -> Value:
    """Nested lists of numbers and spelled numbers as a raw value, the shape read off the nesting.

    Raises:
        InputError: at a ragged place, or an entry that is not a number.
        LimitError: if there are too many elements or levels.
    """
    shape: tuple[int, ...] = ()
    level: list[Any] = [decoded]
    while level and isinstance(level[0], list):
        first = level[0]
        for index, item in enumerate(level):
            if not isinstance(item, list):
                raise _mixed(name, path_of(index, shape), "a number, not a list")
            if len(item) != len(first):
                path = path_of(index, shape)
                raise InputError(
                    f"{name}: {_row(path)} has {_entries(len(item))}, "
                    f"{_row((0,) * len(path))} has {len(first)}",
                    "every row needs as many entries as the first",
                )
        shape = (*shape, len(first))
        check_size(shape, name)
        level = [entry for item in level for entry in item]
    for index, item in enumerate(level):
        if isinstance(item, list):
            raise _mixed(name, path_of(index, shape), "a list, not a number")
    return Value(shape, read_numbers(level, name, lambda k: where(path_of(k, shape))))


def _row(path: tuple[int, ...]) -> str:
    return f"row {path[0] + 1}" if len(path) == 1 else "".join(f"[{index}]" for index in path)


def _mixed(name: str, path: tuple[int, ...], found: str) -> InputError:
    first = where((0,) * len(path))
    return InputError(f"{name}: {where(path)} is {found} as {first} is")


_TOKEN = re.compile(r'"[^"]*"|[^\s\[\]{}:,"]+')


def from_json(text: str, name: str) -> Value:
    """A JSON array as a raw value; bare ``inf``, ``.5`` and ``1+2j`` are taken too.

    Raises:
        InputError: if it is not JSON, or its entries are no numbers.
        LimitError: before decoding, if there are too many entries.
    """
    check_size((text.count(",") + 1,), name)
    try:
        # numbers go on as text, so that every spelling is read, and refused, by one function
        return from_nested(json.loads(_TOKEN.sub(_quote, text)), name)
    except json.JSONDecodeError as error:
        position = _unquoted(text, error.pos)
        line = text.count("\n", 0, position) + 1
        column = position - text.rfind("\n", 0, position)
        place = f"line {line}, column {column}" if "\n" in text.strip() else f"character {column}"
        raise InputError(
            f"{name}: not a JSON array: {error.msg[0].lower()}{error.msg[1:]} at {place}",
            "[1,2] has two entries, [[1,2],[3,4]] has two rows",
        ) from None
    except RecursionError:
        raise InputError(f"{name}: the lists are nested too deeply") from None


def _quote(match: re.Match[str]) -> str:
    token = match[0]
    return token if token[0] == '"' or token in ("true", "false", "null") else f'"{token}"'


def _unquoted(text: str, position: int) -> int:
    """The position in ``text`` of a position in its quoted form."""
    added = 0
    for match in _TOKEN.finditer(text):
        if match.start() + added >= position:
            break
        added += len(_quote(match)) - len(match[0])
    return min(position - added, len(text))
