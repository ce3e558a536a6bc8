"""The values of options and of batch requests: from text to numbers, before torch is imported.

``3`` is 0-d, ``1,2,3`` and ``3,`` are 1-d, ``1,2;3,4`` has rows, ``[[1],[2]]`` is JSON, ``@f.npy``
is a file, ``-`` is standard input, ``ones(3)`` is made later. ``int64:0,2`` has its own dtype.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vjp_cli.errors import InputError, shorten
from vjp_cli.files import read_file, read_table
from vjp_cli.inputs.generators import generate
from vjp_cli.inputs.literals import BadNumber, Generated, Scalar, Value, misfit, path_of, where
from vjp_cli.inputs.nested import from_json, from_nested, from_rows
from vjp_cli.inputs.sources import from_stdin
from vjp_cli.settings import DTYPES

if TYPE_CHECKING:
    from vjp_cli.lazy import numpy

__all__ = [
    "CONSTANTS",
    "Generated",
    "Value",
    "from_elsewhere",
    "parse_json_value",
    "parse_value",
]

_RANGES = {
    "int64": (-(2**63), 2**63 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "int8": (-(2**7), 2**7 - 1),
    "uint8": (0, 2**8 - 1),
    "bool": (0, 1),
}
# the dtypes that a constant may have
CONSTANTS = tuple(_RANGES)


def parse_value(
    text: str, name: str, stdin: Callable[[], bytes] | None = None
) -> Value | Generated:
    """The value that ``text`` describes.

    Args:
        text: in the grammar of values.
        name: the option as the user wrote it, such as ``--x``, for messages.
        stdin: gives the bytes of standard input; None where ``-`` is not available.

    Returns:
        A ``Value`` with floats or complex numbers and no dtype, or with a dtype of its own and
        ints or bools; or what is ``Generated`` later.

    Raises:
        InputError: if the text, or the file that it names, is no value.
        LimitError: if it is too large; raised before memory is taken.
    """
    dtype, rest = _split_dtype(text.strip(), name)
    if rest in ("-", "@-", "@/dev/stdin"):
        source = from_stdin(name, stdin)
        given = source.text().strip()
        if not given:
            raise InputError(f"{name}: standard input is empty")
        inner, given = _split_dtype(given, name)
        dtype = dtype or inner
        if "\n" in given and given[0] != "[":
            value: Value | Generated = read_table(given, source, "\t" if "\t" in given else ",")
        else:
            value = _inline(given, name)
    elif rest.startswith("@"):
        value = read_file(rest[1:], name, stdin)
    else:
        value = _inline(rest, name)
    return _settle(value, dtype, name)


def parse_json_value(decoded: object, name: str) -> Value | Generated:
    """The value of an already decoded JSON value: a number, nested lists, or a text.

    Raises:
        InputError: if it is no value; the message names the place.
        LimitError: if it is too large.
    """
    if isinstance(decoded, str):
        return parse_value(decoded, name)
    return _settle(from_nested(decoded, name), None, name)


def from_elsewhere(text: str) -> bool:
    """Whether the value is read from a file or from standard input, where ``text`` is one."""
    return "@" in text or text.rpartition(":")[2].strip() == "-"


def _split_dtype(text: str, name: str) -> tuple[str | None, str]:
    match = re.match(r"([A-Za-z]\w*):", text)
    if not match:
        return None, text
    if match[1] in _RANGES:
        return match[1], text[match.end() :].strip()
    if match[1] in DTYPES:
        hint = f"--dtype {match[1]} sets the dtype of the inputs"
        raise InputError(f"{name}: {match[1]} is not the dtype of a constant", hint)
    hint = f"constants have one of: {', '.join(_RANGES)}"
    raise InputError(f"{name}: unknown dtype '{shorten(match[1], 30)}'", hint)


def _inline(text: str, name: str) -> Value | Generated:
    if not text:
        raise InputError(f"{name} has an empty value", f"for example {name} 1,2,3")
    if text[0] in "[{":
        return from_json(text, name)
    return generate(text, name) or from_rows(text, name)


def _settle(value: Value | Generated, dtype: str | None, name: str) -> Value | Generated:
    """Decide what the raw numbers count as: constants of ``dtype``, or floats, or complex."""
    if isinstance(value, Generated):
        if dtype and value.kind in ("rand", "randn"):
            raise InputError(f"{name}: {value.kind} does not make {dtype} numbers")
        return replace(value, dtype=dtype)
    if not isinstance(value.numbers, Sequence):
        if dtype is None:
            return _settle_array(value.shape, value.numbers)
        value = Value(value.shape, value.numbers.tolist())
    return _constants(value, dtype, name) if dtype else _floats(value, name)


def _settle_array(shape: tuple[int, ...], array: "numpy.ndarray[Any, Any]") -> Value:
    if array.dtype.kind == "b":
        # a file may hold any byte, and only 0 and 1 are bools to torch
        return Value(shape, array.view("uint8") != 0, "bool")
    # numbers in a file are differentiable also when they are whole: only a prefix makes constants
    return Value(shape, array.astype("complex128" if array.dtype.kind == "c" else "float64"))


def _floats(value: Value, name: str) -> Value:
    numbers: Sequence[Any] = tuple(value.numbers)
    kinds = set(map(type, numbers))
    if kinds == {bool}:
        return Value(value.shape, numbers, "bool")
    if bool in kinds:
        index = next(k for k, entry in enumerate(numbers) if isinstance(entry, bool))
        bad = BadNumber("stands among numbers", "write 1 and 0, or true and false throughout")
        raise misfit(name, where(path_of(index, value.shape)), numbers[index], bad)
    return Value(value.shape, tuple(map(complex if complex in kinds else float, numbers)))


def _constants(value: Value, dtype: str, name: str) -> Value:
    numbers = []
    for index, entry in enumerate(value.numbers):
        try:
            numbers.append(_constant(entry, dtype))
        except BadNumber as bad:
            raise misfit(name, where(path_of(index, value.shape)), entry, bad) from None
    return Value(value.shape, tuple(numbers), dtype)


def _constant(entry: Scalar, dtype: str) -> int:
    low, high = _RANGES[dtype]
    whole = isinstance(entry, int) or (isinstance(entry, float) and entry.is_integer())
    if dtype == "bool":
        if not whole or entry not in (0, 1):
            raise BadNumber("is neither 0 nor 1", "a mask is written bool:1,0,1")
        return bool(entry)
    if not whole:
        raise BadNumber("is not an integer", f"{dtype} holds whole numbers")
    integer = int(entry.real)
    if not low <= integer <= high:
        raise BadNumber(f"does not fit {dtype}", f"{dtype} goes from {low} to {high}")
    return integer
