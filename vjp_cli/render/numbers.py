"""How numbers are written: short for the eye, in full where two of them differ."""

import re
from collections.abc import Callable, Sequence
from math import copysign

from vjp_cli.report import Number

_DECIMAL = re.compile(r"([+-]?\d+)((?:\.\d+)?(?:e[+-]?\d+)?)")
_WHOLE = ("·", ".", "nan", "inf", "-inf")


def short(value: Number) -> str:
    """``value`` with 6 significant digits: ``16``, ``0.333333``, ``1e-20``, ``2+0.5j``."""
    return rounded(value, 6)


def rounded(value: Number, digits: int) -> str:
    """``value`` with so many significant digits, without zeros at their end."""
    return _write(value, f"{{:.{digits}g}}".format)


def full(value: Number) -> str:
    """``value`` with all the digits that tell it from its neighbours: ``1.2000000000000002``."""
    return _write(value, repr)


def complex_text(value: complex) -> str:
    """``value`` as Python writes its parts, without brackets: ``2.0+2.0j``, ``0.0-infj``."""
    return _complex(value, repr)


def align(texts: Sequence[str]) -> list[str]:
    """``texts`` padded to one width with their decimal points below each other.

    What is not a decimal number (words, complex numbers) is set to the right.
    """
    parts = [_split(text) for text in texts]
    left = max((len(whole) for whole, rest in parts if rest is not None), default=0)
    right = max((len(rest) for _, rest in parts if rest is not None), default=0)
    width = max((len(whole) for whole, rest in parts if rest is None), default=0)
    lines = [
        whole if rest is None else whole.rjust(left) + rest.ljust(right) for whole, rest in parts
    ]
    return [line.rjust(max(width, left + right)) for line in lines]


def _write(value: Number, digits: Callable[[float], str]) -> str:
    if isinstance(value, complex):
        return _complex(value, lambda part: _tidy(digits(part)))
    # bool and int (masks and indices) are written as they are
    return _tidy(digits(value)) if isinstance(value, float) else str(value).lower()


def _complex(value: complex, write: Callable[[float], str]) -> str:
    # nan and -0.0 have a sign of their own
    sign = "-" if copysign(1.0, value.imag) < 0 else "+"
    return f"{write(value.real)}{sign}{write(abs(value.imag))}j"


def _tidy(digits: str) -> str:
    mantissa, _, exponent = digits.partition("e")
    mantissa = mantissa.removesuffix(".0")
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa


def _split(text: str) -> tuple[str, str | None]:
    if text in _WHOLE:
        return text, ""
    match = _DECIMAL.fullmatch(text)
    return (match[1], match[2]) if match else (text, None)
