"""The values of parameters that take a plain Python value: a flag, a count, a mode."""

from typing import Any

from vjp_cli.errors import InputError, shorten

_BOOLS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def plain_value(given: Any, kind: str, name: str) -> bool | int | float | str:
    """The value of a text, or of an already decoded JSON value.

    Args:
        given: the text, or the JSON value.
        kind: ``bool``, ``int``, ``float`` or ``str``.
        name: the parameter as the user wrote it, for messages.

    Raises:
        InputError: it is no such value.
    """
    if kind == "str" and isinstance(given, str):
        return given
    text = given.strip() if isinstance(given, str) else given
    if kind == "bool":
        if isinstance(text, bool):
            return text
        if isinstance(text, str) and text.lower() in _BOOLS:
            return _BOOLS[text.lower()]
    elif not isinstance(text, bool) and isinstance(text, (str, int, float)):
        number = _number(text, kind)
        if number is not None:
            return number
    hint = {"bool": "true or false", "int": "for example 3", "float": "for example 0.5"}
    raise InputError(
        f"{name}: '{shorten(str(given), 40)}' is not {_WORDS[kind]}", hint.get(kind, "a text")
    )


_WORDS = {"bool": "true or false", "int": "a whole number", "float": "a number", "str": "a text"}


def _number(text: str | float, kind: str) -> int | float | None:
    try:
        number = float(text) if kind == "float" else int(text)
    except (ValueError, OverflowError):
        return None
    # a text is converted in full or not at all, a JSON number might lose its fraction
    return number if isinstance(text, str) or number == text else None
