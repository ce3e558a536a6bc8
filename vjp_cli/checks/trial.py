"""A backward on trial: what it gives beside what it should give, and what rounding can explain."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from vjp_cli.lazy import numpy
from vjp_cli.numbers.dtypes import FloatFormat

# Rounding of a backward of a few operations, in units of the entry itself.
_UNITS = 256
# What a kernel that cancels leaves behind, in units of the largest entry of its row of J.
_LEFT_OVER = 2


@dataclass(frozen=True)
class Elements:
    """The elements of y or of an input, flat in row-major order, with their names."""

    name: str
    shape: tuple[int, ...]

    def __getitem__(self, flat: int) -> str:
        """``x[0,1]``; of a scalar the name alone."""
        if not self.shape:
            return self.name
        return f"{self.name}[{','.join(map(str, numpy.unravel_index(flat, self.shape)))}]"

    def slice_name(self, axis: int, index: int) -> str:
        """``x[:,1]``; of one axis the element."""
        parts = [":"] * len(self.shape)
        parts[axis] = str(index)
        return f"{self.name}[{','.join(parts)}]"

    @cached_property
    def flat(self) -> Any:
        """The flat positions, in the shape."""
        return numpy.arange(math.prod(self.shape)).reshape(self.shape)


@dataclass(frozen=True)
class Backward:
    """What a backward gives and what it should give, as float arrays.

    Attributes:
        found: torch's J, outputs x elements of the input.
        truth: the exact J.
        v: the cotangent, or None.
        vjp: torch's vᵀJ for it, or None.
        radius: for each entry of ``truth`` the rounding that its own operations can make.
        output: the rows of J; without names they are y[0], y[1], …
        input: the columns of J; without names they are x[0], x[1], …
        others: the same for every other input.
        product: whether the arrays are vᵀJ (one row) and not J.
    """

    found: Any
    truth: Any
    v: Any = None
    vjp: Any = None
    radius: Any = None
    output: Elements | None = None
    input: Elements | None = None
    others: "tuple[Backward, ...]" = ()
    product: bool = False

    @property
    def name(self) -> str:
        """How sentences begin."""
        return "torch's vᵀJ" if self.product else "torch's J"

    @property
    def rows(self) -> Elements:
        """The outputs."""
        return self.output or Elements("y", (self.truth.shape[0],))

    @property
    def columns(self) -> Elements:
        """The elements of the input."""
        return self.input or Elements("x", (self.truth.shape[1],))


@dataclass(frozen=True)
class Trial:
    """One backward with the tolerance of every entry; asked whether a relation holds.

    Attributes:
        slack: what rounding can explain at each entry of the truth.
    """

    backward: Backward
    form: FloatFormat

    @property
    def found(self) -> Any:
        """What torch gives."""
        return self.backward.found

    @property
    def truth(self) -> Any:
        """What it should give."""
        return self.backward.truth

    @cached_property
    def slack(self) -> Any:
        """The rounding of its own operations, a few more, and what cancels in its row.

        Nothing can leave a number behind where no path leads.
        """
        u, sizes = self.form.unit, numpy.abs(self.truth)
        largest = sizes.max(axis=1, keepdims=True, initial=0.0)
        own = min(_UNITS * u, u**0.75) * sizes + _LEFT_OVER * u * largest + self.form.subnormal
        if self.backward.radius is None:
            return numpy.where(self.truth == 0, 0.0, own)
        # a ball that has lost half its digits proves nothing
        radius = numpy.nan_to_num(self.backward.radius, nan=math.inf)
        own += numpy.minimum(4 * radius, math.sqrt(u) * largest)
        return numpy.where((self.truth == 0) & (radius == 0), 0.0, own)

    def fits(self, image: Any, slack: Any) -> bool:
        """Whether torch's J is ``image`` up to ``slack``, entry for entry."""
        return image.shape == self.found.shape and bool(self.agrees(image, slack).all())

    def agrees(self, image: Any, slack: Any) -> Any:
        """At which entries torch's J is ``image`` up to ``slack``."""
        return numpy.abs(self.found - image) <= slack

    def is_true(self) -> bool:
        """Whether torch's J is right to rounding."""
        return self.fits(self.truth, self.slack)

    def becomes(self, change: Callable[[Any], Any], sign: int = 1) -> bool:
        """Whether torch's J is ``sign · change(truth)``, and that is not the truth itself.

        Args:
            change: linear, with coefficients that are not negative, so that it maps the tolerance
                as well.
            sign: 1 or -1.
        """
        return self.is_image(sign * change(self.truth), change(self.slack))

    def is_image(self, image: Any, slack: Any) -> bool:
        """Whether torch's J is ``image`` up to ``slack``, and the truth is not."""
        return self.fits(image, slack) and not _same(image, self.truth, slack + self.slack)


def _same(one: Any, other: Any, slack: Any) -> bool:
    return bool((numpy.abs(one - other) <= slack).all())
