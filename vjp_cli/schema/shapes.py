"""What stands in many places of the JSON: numbers, arrays of them, truths and verdicts.

msgspec makes a schema from a type, but a list of lists of any depth is no type that it knows. The
few such shapes are written here as definitions, and the types that refer to them.
"""

from typing import Annotated, Any

from msgspec import Meta

_PART = r"(\d+(\.\d+)?(e[+-]?\d+)?|nan|inf)"
_EXACT = r"(\d+(\.\d+)?(e[+-]?\d+)?|inf)"


def says(description: str, **more: Any) -> Meta:
    """What a key means, in ASCII, for ``Annotated``; ``more`` narrows the schema of its type."""
    return Meta(description=description, extra_json_schema=more or None)


def reference(name: str) -> dict[str, str]:
    """The schema that refers to the definition ``name``."""
    return {"$ref": f"#/$defs/{name}"}


def _nested(entry: dict[str, Any], name: str, description: str) -> dict[str, Any]:
    """Lists of any depth with ``entry`` at the bottom; the entry alone for a scalar."""
    lists = {"type": "array", "items": reference(name)}
    return {"description": description, "anyOf": [entry, lists]}


def _shape(name: str) -> Any:
    return Meta(extra_json_schema=reference(name))


# by the name of the definition
SHAPES: dict[str, dict[str, Any]] = {
    "number": {
        "description": "A number that reads back as the same double. What JSON has no number for "
        "is a string: NaN, infinities, complex numbers such as 2.0+2.0j, whole numbers beyond "
        "2**53.",
        "anyOf": [
            {"type": ["number", "boolean"]},
            {"enum": ["NaN", "Infinity", "-Infinity"]},
            {"type": "string", "pattern": rf"^-?{_PART}[+-]{_PART}j$"},
            {"type": "string", "pattern": r"^-?\d+$"},
        ],
    },
    "numbers": _nested(
        reference("number"), "numbers", "An array of numbers as nested lists; a scalar as it is."
    ),
    "gradients": _nested(
        {"anyOf": [reference("number"), {"type": "null"}]},
        "gradients",
        "An array of numbers as nested lists; null where there is no number.",
    ),
    "jacobian": {
        "description": "The Jacobian by one input: nested lists of shape y.shape + x.shape, or "
        "its entries by their places where it has more of them than --max-entries.",
        "anyOf": [reference("gradients"), reference("Coordinates")],
    },
    "digits": {
        "description": "An exact number as text, to 30 digits: 0, 2.0, -inf, (2.0 - 0.5j).",
        "type": "string",
        "pattern": rf"^(-?{_EXACT}|\(-?{_EXACT} [+-] {_EXACT}j\))$",
    },
    "slope": {
        "description": "A slope to 30 digits, or undefined.",
        "anyOf": [reference("digits"), {"const": "undefined"}],
    },
    "truths": _nested(
        {
            "anyOf": [
                reference("slope"),
                reference("Slopes"),
                reference("Removable"),
                {"type": "null"},
            ]
        },
        "truths",
        "The exact derivatives, nested like the numbers; null where one is not known,"
        " or not written out among many.",
    ),
    "verdicts": _nested(
        reference("Verdict"),
        "verdicts",
        "The verdicts, nested like the numbers; of a Jacobian by coordinates a flat list.",
    ),
    "value": _nested(
        {"type": ["number", "string", "boolean"]},
        "value",
        "A number, nested lists of numbers, or text as on the command line: 1,2,3 or ones(3).",
    ),
}

Number = Annotated[Any, _shape("number")]
Numbers = Annotated[Any, _shape("numbers")]
Gradients = Annotated[Any, _shape("gradients")]
Jacobian = Annotated[Any, _shape("jacobian")]
Digits = Annotated[Any, _shape("digits")]
Slope = Annotated[Any, _shape("slope")]
Truths = Annotated[Any, _shape("truths")]
Verdicts = Annotated[Any, _shape("verdicts")]
Value = Annotated[Any, _shape("value")]
