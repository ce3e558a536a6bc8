"""Arrays in the grammar of values, with the fewest digits that give the same bits again."""

import json
from collections.abc import Sequence
from math import copysign, isfinite

from vjp_cli.lazy import torch
from vjp_cli.render.numbers import full
from vjp_cli.report import Array, Number

# no double needs more
_DIGITS = 17
_PARTS = {"complex128": "float64", "complex64": "float32"}


def value_text(array: Array[Number], dtype: str) -> str:
    """``array``, whose numbers are of ``dtype``, as the value of an option.

    Args:
        array: of any shape: ``3``, ``3,``, ``1,2,3``, ``1,2;3,4`` or nested lists; what has no
            elements is ``zeros(2,0)``.
        dtype: the floating or complex dtype that a reader rounds the text to.
    """
    if any(isinstance(value, complex) for value in array.values):
        return _shaped(array.shape, _complex(array.values, _PARTS.get(dtype, "float64")))
    reals = [float(value.real) for value in array.values]
    return _shaped(array.shape, _reals(reals, _PARTS.get(dtype, dtype)))


def constant_text(array: Array[int], dtype: str) -> str:
    """A constant's whole numbers (or bools) with the prefix of its dtype: ``int64:0,2``."""
    return f"{dtype}:{_shaped(array.shape, [str(int(value)) for value in array.values])}"


def _shaped(shape: tuple[int, ...], texts: Sequence[str]) -> str:
    if not texts:
        return f"zeros({','.join(map(str, shape))})"
    if len(shape) < 2:
        # one number with a comma is an array of one
        return ",".join(texts) + ("," if shape == (1,) else "")
    if len(shape) == 2 and shape[0] > 1:
        columns = shape[1]
        starts = range(0, len(texts), columns)
        return ";".join(",".join(texts[start : start + columns]) for start in starts)
    nested = json.dumps(Array(shape, tuple(texts)).nested(), separators=(",", ":"))
    return nested.replace('"', "")


def _complex(values: Sequence[Number], part: str) -> list[str]:
    numbers = [complex(value) for value in values]
    reals = _reals([number.real for number in numbers], part)
    # as reals they get the imaginary part +0
    if all(number.imag == 0 and copysign(1, number.imag) > 0 for number in numbers):
        return reals
    imaginary = _reals([number.imag for number in numbers], part)
    pairs = zip(reals, imaginary, strict=True)
    return [f"{real}{'' if imag[0] == '-' else '+'}{imag}j" for real, imag in pairs]


def _reals(values: Sequence[float], dtype: str) -> list[str]:
    """Each value in its fewest digits; for a short dtype those that round to it are tried."""
    texts = [full(value) for value in values]
    if dtype == "float64":
        return texts
    left = [k for k, value in enumerate(values) if isfinite(value) and value != 0]
    for digits in range(1, _DIGITS):
        tried = [float(f"{values[k]:.{digits}g}") for k in left]
        # read as a double and rounded once more, as the reader of the text does it
        rounded = torch.tensor(tried, dtype=torch.float64).to(getattr(torch, dtype)).tolist()
        found = [number == values[k] for k, number in zip(left, rounded, strict=True)]
        for k, text, right in zip(left, tried, found, strict=True):
            if right:
                texts[k] = full(text)
        left = [k for k, right in zip(left, found, strict=True) if not right]
    return texts
