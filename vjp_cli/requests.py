"""From one line of JSON to a request: typed, every name known, nothing read but the line."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any
from unicodedata import normalize

import msgspec

from vjp_cli.asked import loss_of
from vjp_cli.choices import checks_of, did_you_mean, dtype_of, names_of
from vjp_cli.errors import InputError, LimitError, shorten
from vjp_cli.expression import parse
from vjp_cli.functions.plain_values import plain_value
from vjp_cli.functions.source import find
from vjp_cli.problem import (
    Subject,
    check_differentiable,
    check_known,
    check_names,
    required,
    sorted_out,
    with_truth,
)
from vjp_cli.request import Request
from vjp_cli.schema import shapes
from vjp_cli.schema.shapes import says
from vjp_cli.settings import DTYPES, Check, Layout, Settings
from vjp_cli.values import Generated, Value, from_elsewhere, parse_json_value

Id = str | int | float | None


class RequestLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request: a line of what vjp batch reads. A key that is null counts as not given."""

    id: Annotated[Id, says("A text or number to tell the line by; it is echoed.")] = None
    expression: Annotated[str | None, says("The expression.")] = None
    function: Annotated[
        str | None, says("FILE.py:NAME in the place of an expression; needs --allow-functions.")
    ] = None
    against: Annotated[
        str | None, says("The function that the truth is taken from; needs --allow-functions.")
    ] = None
    loss: Annotated[str | None, says("In place of v: what v is the derivative of.")] = None
    inputs: Annotated[
        dict[str, shapes.Value | None] | None, says("The value of each name; it is no file.")
    ] = None
    v: Annotated[shapes.Value | None, says("The cotangent, in the shape of the output.")] = None
    wrt: Annotated[
        str | list[str] | None, says("The inputs to differentiate by; all of them without it.")
    ] = None
    dtype: Annotated[
        str | None, says("What inputs and v are rounded to.", examples=list(DTYPES))
    ] = None
    layout: Annotated[Layout | None, says("How tables show J.")] = None
    checks: Annotated[
        list[str] | None, says("The further checks to make.", examples=[list(Check)])
    ] = None
    output_index: Annotated[
        Annotated[int, msgspec.Meta(ge=0)] | None, says("Which output of a function is y, from 0.")
    ] = None
    order: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=2)] | None, says("2 for second derivatives.")
    ] = None


# a batch often has one expression at many points
_parsed = lru_cache(256)(parse)
_KEYS = tuple(field.name for field in msgspec.structs.fields(RequestLine))


def decode(line: bytes) -> Any:
    """The JSON value of a line.

    Raises:
        InputError: it is not JSON.
        LimitError: it is nested too deeply.
    """
    try:
        return msgspec.json.decode(line)
    except RecursionError:
        raise LimitError("the line is nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        bare = any(word in line for word in (b"NaN", b"Infinity"))
        hint = 'numbers that are not finite are the strings "nan", "inf" and "-inf"' if bare else ""
        said = str(error).removeprefix("JSON is malformed: ")
        raise InputError(f"the line is not JSON: {shorten(said)}", hint) from None


def id_of(decoded: Any) -> Id:
    """The ``id`` to echo, whatever else is wrong with the line."""
    found = decoded.get("id") if isinstance(decoded, dict) else None
    return found if isinstance(found, (str, int, float)) else None


def request_of(decoded: Any, base: Settings) -> tuple[Request, Settings]:
    """The request of a decoded line, and ``base`` with the choices that the line makes.

    Raises:
        VjpError: a key, an expression, a name or a value is wrong.
    """
    line = _typed(decoded)
    subject = _subject(line, base)
    settings = replace(
        base,
        wrt=_wrt(line.wrt),
        dtype=base.dtype if line.dtype is None else dtype_of(line.dtype),
        layout=line.layout or base.layout,
        output_index=line.output_index,
        order=line.order or base.order,
        checks=base.checks if line.checks is None else checks_of(line.checks, "checks"),
    )
    check_known(settings.wrt, subject, "wrt")
    inputs, arguments = _inputs(line.inputs or {}, subject)
    check_differentiable(subject, inputs, settings.wrt, "wrt")
    v = None if line.v is None else _value(line.v, "v")
    loss = None if line.loss is None else loss_of(line.loss, subject, "loss")
    request = Request(subject, inputs, v, arguments=arguments, loss=loss)
    return with_truth(request, line.against, "against"), settings


def _subject(line: RequestLine, base: Settings) -> Subject:
    """What the line is about."""
    if (line.function or line.against) and not base.allow_functions:
        raise InputError(
            "a function runs the code of a file",
            "add --allow-functions if you trust the lines and the files that they name",
        )
    if line.function is not None and line.expression is None:
        return find(line.function, "function")
    if line.function is not None:
        raise InputError("there is an expression and a function", "leave one out")
    if line.expression is None:
        raise InputError("there is no expression", 'for example {"expression": "x**2", …}')
    return _parsed(line.expression)


def _typed(decoded: Any) -> RequestLine:
    for key in decoded if isinstance(decoded, dict) else ():
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS) or f"the keys: {', '.join(_KEYS)}"
            raise InputError(f"no such key: '{shorten(key)}'", hint)
    try:
        line = msgspec.convert(decoded, RequestLine)
    except msgspec.ValidationError as error:
        said, _, path = str(error).replace("`", "").partition(" - at $.")
        said = said[:1].lower() + said[1:].replace("object", "an object")
        raise InputError(shorten(f"{path}: {said}" if path else said, 160)) from None
    return line


def _wrt(given: str | list[str] | None) -> tuple[str, ...]:
    if given is None:
        return ()
    if isinstance(given, str):
        return names_of(given, "wrt")
    return tuple(dict.fromkeys(normalize("NFKC", name) for name in given))


def _inputs(
    given: Mapping[str, Any], subject: Subject
) -> tuple[dict[str, Value | Generated], dict[str, Any]]:
    """The value of each input in their order, and of each parameter with a plain Python value.

    A parameter with a default may be left out.
    """
    check_names(subject, "3*x")
    # Python's parser folds the names in an expression, so those of the inputs are folded too
    folded = {normalize("NFKC", name): value for name, value in given.items()}
    check_known(folded, subject, "inputs")
    missing = [name for name in required(subject) if folded.get(name) is None]
    if missing:
        raise InputError(f"no value for {', '.join(missing)}", "add it to inputs")
    plain, names = sorted_out(subject, [n for n, value in folded.items() if value is not None])
    arguments = {name: plain_value(folded[name], kind, name) for name, kind in plain.items()}
    return {name: _value(folded[name], name) for name in names}, arguments


def _value(decoded: Any, name: str) -> Value | Generated:
    # whoever writes the lines need not be who may read the files of this machine
    if isinstance(decoded, str) and from_elsewhere(decoded):
        raise InputError(
            f"{name}: a value in a batch is not read from elsewhere",
            "write the numbers in the line",
        )
    return parse_json_value(decoded, name)
