"""The floating-point formats of torch, as exact data; a complex dtype is a pair of one of them."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class FloatFormat:
    """One format.

    Attributes:
        bits: significant bits.
        normal_exponent: the smallest normal number is 2 to this.
        largest: the largest finite number.
    """

    bits: int
    normal_exponent: int
    largest: float

    @property
    def unit(self) -> float:
        """u, the unit roundoff: half the distance from 1 to the next number."""
        return 2.0**-self.bits

    @property
    def tolerated(self) -> float:
        """The relative error that is never held against torch: u^¾, a quarter of the digits."""
        return math.pow(self.unit, 0.75)

    @property
    def normal(self) -> float:
        """The smallest normal number."""
        return 2.0**self.normal_exponent

    @property
    def subnormal(self) -> float:
        """The smallest positive number."""
        return 2.0 ** (self.normal_exponent - self.bits + 1)


FORMATS = {
    "float64": FloatFormat(53, -1022, 1.7976931348623157e308),
    "float32": FloatFormat(24, -126, 3.4028234663852886e38),
    "float16": FloatFormat(11, -14, 65504.0),
    "bfloat16": FloatFormat(8, -126, 3.3895313892515355e38),
}

# each complex dtype with the dtype of its parts
_PARTS = {"complex128": "float64", "complex64": "float32", "complex32": "float16"}
_PAIRS = {part: pair for pair, part in _PARTS.items()}


def is_complex_dtype(dtype: str) -> bool:
    """Whether numbers of the dtype have an imaginary part."""
    return dtype in _PARTS


def real_dtype(dtype: str) -> str:
    """The dtype of the parts of a complex one; any other as it is."""
    return _PARTS.get(dtype, dtype)


def complex_dtype(dtype: str) -> str:
    """The complex dtype whose parts have this one."""
    return dtype if dtype in _PARTS else _PAIRS[dtype]


def format_of(dtype: str) -> FloatFormat:
    """The format of a dtype's numbers, or of their parts."""
    return FORMATS[real_dtype(dtype)]
