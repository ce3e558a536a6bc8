"""The JSON Schema documents: from the declared types to one object with its definitions."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from vjp_cli.choices import did_you_mean
from vjp_cli.errors import InputError, shorten
from vjp_cli.requests import RequestLine
from vjp_cli.schema import NAMES
from vjp_cli.schema.error import Error
from vjp_cli.schema.parts import Coordinates, Removable, Slopes
from vjp_cli.schema.report import Report
from vjp_cli.schema.shapes import SHAPES, reference

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_TYPES: dict[str, type[msgspec.Struct]] = dict(
    zip(NAMES, (Report, RequestLine, Error), strict=True)
)
# what the shapes refer to, beside the documents
_PARTS = (Coordinates, Slopes, Removable)
# a request is about one of the two
_SUBJECTS = {
    "oneOf": [
        {"properties": {subject: {"type": "string"}}, "required": [subject]}
        for subject in ("expression", "function")
    ]
}


def text(name: str | None = None) -> str:
    """``document`` as JSON on many lines, in ASCII; it ends with a newline."""
    return json.dumps(document(name), indent=2) + "\n"


def document(name: str | None = None) -> dict[str, Any]:
    """The schema of the document ``name``, or of any of them, with what it refers to.

    Objects are open: a later version may add keys, and what is valid now stays so. A request alone
    is closed, for the program refuses a key that it does not know.

    Args:
        name: one of ``vjp_cli.schema.NAMES``.

    Raises:
        InputError: there is no schema of that name.
    """
    if name is not None and name not in _TYPES:
        hint = did_you_mean(name, _TYPES) or f"one of {', '.join(_TYPES)}"
        raise InputError(f"no such schema: '{shorten(name)}'", hint)
    definitions = _definitions()
    names = [type_.__name__ for type_ in _TYPES.values()]
    root = (
        {
            "title": "vjp",
            "description": "What vjp reads and writes as JSON: requests, reports and errors.",
            "anyOf": [reference(each) for each in names],
        }
        if name is None
        else reference(_TYPES[name].__name__)
    )
    used = _used(root, definitions)
    return {
        "$schema": DIALECT,
        **root,
        "$defs": {each: schema for each, schema in definitions.items() if each in used},
    }


def _definitions() -> dict[str, dict[str, Any]]:
    """Every definition by its name, those of the documents first."""
    _, made = msgspec.json.schema_components(
        [*_TYPES.values(), *_PARTS], ref_template="#/$defs/{name}"
    )
    made[RequestLine.__name__] |= _SUBJECTS
    return {type_.__name__: made[type_.__name__] for type_ in _TYPES.values()} | made | SHAPES


def _used(root: Any, definitions: dict[str, dict[str, Any]]) -> set[str]:
    """The names of the definitions that ``root`` needs."""
    found: set[str] = set()
    waiting = [root]
    while waiting:
        for name in _references(waiting.pop()):
            if name not in found:
                found.add(name)
                waiting.append(definitions[name])
    return found


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for part in schema:
            yield from _references(part)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref":
                yield value.rpartition("/")[2]
            else:
                yield from _references(value)
