"""Single numbers as text, the value objects that they become, and how a message names them.

A value stays raw here: Python ints, floats, complex numbers and bools exactly as written, so that
``int64:9007199254740993`` keeps its last digit. ``values.py`` settles what they count as.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isinf, prod
from typing import TYPE_CHECKING, Any

from vjp_cli.errors import InputError, LimitError, shorten
from vjp_cli.settings import LIMITS

if TYPE_CHECKING:
    from vjp_cli.lazy import numpy

Scalar = bool | int | float | complex

DIMENSIONS = 32


@dataclass(frozen=True)
class Value:
    """Given numbers.

    Attributes:
        numbers: flat in row-major order, ``prod(shape)`` of them; a flat NumPy array for a file.
        dtype: the value's own dtype (``int64``, ``bool`` …), which makes it a constant; None for a
            value that takes the dtype of the inspection.
    """

    shape: tuple[int, ...]
    numbers: "Sequence[Scalar] | numpy.ndarray[Any, Any]"
    dtype: str | None = None


@dataclass(frozen=True)
class Generated:
    """Numbers to be made later, when the dtype and the seed are known.

    Attributes:
        kind: ``ones``, ``zeros``, ``randn``, ``rand`` or ``basis``.
        shape: None takes the shape of what the value is used for.
        index: for ``basis``, the flat position of the one.
        dtype: as in ``Value``.
    """

    kind: str
    shape: tuple[int, ...] | None = None
    index: int = 0
    dtype: str | None = None


class BadNumber(ValueError):
    """A text that is no number: what is wrong with it, and what to write instead."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.hint = hint


_HINTS = (
    (r"(?i).*\.(npy|npz|csv|tsv|json|pt|safetensors)(:.*)?", "write @ before the name of a file"),
    (r".*_.*", "write the digits without underscores"),
    (r"[+-]?0[xXoObB].*", "write it in decimal, such as 16"),
    (r".*[^\W\d_]\(.*", "a function call must be the whole value, or stand in the expression"),
    (r".*;.*", "separate entries with commas, not with semicolons"),
    (r".*\d,\d.*", "write a decimal point, such as 1.5"),
    (r".*/.*", "write the quotient, such as 0.5, or put the fraction into the expression"),
    (r".*\S\s+\S.*", "separate entries with commas, such as 1,2"),
    (r"[+-]?[\d.].*[iI]", "write j for the imaginary unit, such as 1+2j"),
    (r"(?i:true|false)", "a mask is written bool:1,0,1"),
)


def number(token: str) -> Scalar:
    """The number that ``token`` spells, blanks around it allowed; an int if written as one.

    Raises:
        BadNumber: if it spells none, or a finite one that no double holds.
    """
    plain = token.strip()
    if not plain.isascii():
        plain = plain.replace("\N{MINUS SIGN}", "-")
    # float() takes the digits of every script and underscores: neither is wanted
    if not plain.isascii() or "_" in plain:
        raise _not_a_number(plain)
    try:
        # an integer zero has no sign, so -0 is read as a float
        if len(plain) < 21 and plain.lstrip("+-").isdigit() and plain.strip("+-0"):
            return int(plain)
        real = float(plain)
        if not isinf(real) or "inf" in plain.lower():
            return real
    except ValueError:
        return _complex(plain)
    raise _overflow()


def _complex(plain: str) -> complex:
    try:
        read = complex(plain)
    except ValueError:
        raise _not_a_number(plain) from None
    if isinf(read.real) + isinf(read.imag) > plain.lower().count("inf"):
        raise _overflow()
    return read


def _overflow() -> BadNumber:
    return BadNumber("does not fit a double", "write inf if you mean infinity")


def _not_a_number(text: str) -> BadNumber:
    # a number is short: the patterns need not search more than its beginning
    start = text[:100]
    if not start.isascii() and any(char.isdigit() for char in start if not char.isascii()):
        return BadNumber("is not a number", "write the digits 0 to 9")
    for pattern, hint in _HINTS:
        if re.fullmatch(pattern, start, re.DOTALL):
            return BadNumber("is not a number", hint)
    return BadNumber("is not a number", "numbers look like 1, -0.5, 1e-4, inf, nan, 1+2j")


def where(path: Sequence[int]) -> str:
    """How a message names the entry with the indices ``path`` (from 0); "" for a lone number."""
    if len(path) > 2:
        return "".join(f"[{index}]" for index in path)
    words = ("row ", "entry ")[2 - len(path) :]
    return ", ".join(f"{word}{index + 1}" for word, index in zip(words, path, strict=True))


def path_of(index: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The indices, from 0, of the entry at the flat position ``index``."""
    path = []
    for size in reversed(shape):
        index, remainder = divmod(index, size)
        path.append(remainder)
    return tuple(reversed(path))


_JSON = {"True": "true", "False": "false", "None": "null"}


def misfit(name: str, place: str, written: object, bad: BadNumber) -> InputError:
    """The error for the entry at ``place`` of the option ``name``."""
    spelled = str(written) if isinstance(written, str) else _JSON.get(str(written), str(written))
    quoted = f"'{shorten(spelled.strip(), 30)}'"
    return InputError(f"{name}: {f'{place}, {quoted},' if place else quoted} {bad}", bad.hint)


def read_numbers(tokens: Iterable[object], name: str, place: Callable[[int], str]) -> list[Scalar]:
    """The numbers of decoded or textual leaves; ``place`` names the one at a flat position.

    Raises:
        InputError: at the first that is not a number.
    """
    found = []
    for index, token in enumerate(tokens):
        try:
            found.append(_leaf(token))
        except BadNumber as bad:
            raise misfit(name, place(index), token, bad) from None
    return found


def _leaf(token: object) -> Scalar:
    if isinstance(token, str):
        return number(token)
    if isinstance(token, bool | float | complex):
        return token
    if isinstance(token, int):
        return token if -(2**63) <= token < 2**63 else number(_decimal(token))
    raise BadNumber("is not a number", "write numbers, or lists of numbers")


def _decimal(integer: int) -> str:
    # str() refuses more than some thousand digits, and no double has more than 309
    return str(integer) if integer.bit_length() <= 1024 else "1e400"


def check_size(shape: Sequence[int], what: str) -> None:
    """Refuse a shape before memory is taken for it.

    Raises:
        LimitError: if ``what`` would have more elements than ``LIMITS.elements``.
    """
    # a size of 0 must not hide a huge one beside it
    count = max(prod(shape), *shape, 0)
    if count > LIMITS.elements:
        amount = f"{count:,}" if count < 10**30 else "far too many"
        raise LimitError(f"{what} has {amount} elements; the limit is {LIMITS.elements:,}")
    if len(shape) > DIMENSIONS:
        raise LimitError(f"{what} has {len(shape)} dimensions; the limit is {DIMENSIONS}")
