"""Documents against the schema that ``vjp schema`` prints, with every undeclared key told."""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from tests.helpers import run
from vjp_cli import schema

_FOLDER = Path(schema.__file__).parent


def printed(*names: str) -> dict[str, Any]:
    """The schema as the program prints it."""
    result = run("schema", *names)
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


@cache
def validator(name: str) -> Draft202012Validator:
    """The published schema, in which objects are open."""
    return Draft202012Validator(printed(name))


@cache
def closed(name: str) -> Draft202012Validator:
    """The published schema, but nothing is allowed that it does not declare."""
    found = deepcopy(printed(name))
    for part in objects(found):
        part.setdefault("additionalProperties", False)
    return Draft202012Validator(found)


def objects(found: Any) -> Iterator[dict[str, Any]]:
    """The parts of a schema that declare an object by its keys."""
    if isinstance(found, list):
        for part in found:
            yield from objects(part)
    elif isinstance(found, dict):
        # a condition on an object that is declared elsewhere says no type
        if "properties" in found and found.get("type") == "object":
            yield found
        for part in found.values():
            yield from objects(part)


def problems(document: Any, name: str) -> list[str]:
    """What keeps ``document`` from being the declared one, and what to do; empty where it is."""
    return [_worded(error) for error in closed(name).iter_errors(document)]


def _worded(error: ValidationError) -> str:
    deepest = best_match([error])
    assert deepest is not None
    place = deepest.json_path
    if deepest.validator != "additionalProperties":
        return f"{place}: {deepest.message}"
    title = deepest.schema["title"]
    keys = ", ".join(map(repr, deepest.instance.keys() - deepest.schema["properties"].keys()))
    return (
        f"{place}: the key {keys} is not declared: add it to the class {title} in "
        f"vjp_cli/schema/{_home(title)}, with a description"
    )


def _home(title: str) -> str:
    for file in sorted(_FOLDER.glob("*.py")):
        if re.search(rf"^class {title}\(", file.read_text(encoding="utf-8"), re.MULTILINE):
            return file.name
    raise AssertionError(f"no file of vjp_cli/schema declares {title}")
