"""The floating-point formats of torch, as exact data."""

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
