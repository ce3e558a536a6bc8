"""Central differences of ⟨vᵀJ, w⟩ along one direction, with an error bar.

Only a gross error is claimed by them: a term that is missing, not a digit.
"""

import math
from dataclasses import dataclass

from vjp_cli.checks.context import Context
from vjp_cli.checks.graphs import Gradients, form_of, graph_of, numbers_like
from vjp_cli.exact.second import COTANGENT
from vjp_cli.lazy import torch

# a difference beyond this part of the numbers compared is no matter of rounding
_GROSS = 1e-3


@dataclass(frozen=True)
class Slope:
    """A directional derivative.

    Attributes:
        bar: how far off it may be.
        scale: the size of the terms that it is made of.
    """

    direction: "torch.Tensor"
    value: float
    bar: float
    scale: float

    @property
    def certain(self) -> bool:
        """Whether the error bar is small enough to accuse anyone."""
        size = max(abs(self.value), _GROSS * self.scale)
        return math.isfinite(self.value) and self.bar <= 0.1 * size

    def contradicts(self, found: float) -> bool:
        """Whether another number cannot be the same derivative."""
        gap = abs(found - self.value)
        return not gap <= max(3 * self.bar, _GROSS * max(abs(found), abs(self.value)))


def slope_of_vjp(context: Context, v: "torch.Tensor", w: Gradients) -> dict[str, Slope]:
    """The slope of ⟨vᵀJ, w⟩ along a random direction of each input, and along one of v.

    Raises:
        Exception: the function or its backward raises nearby.
    """
    found = {}
    for name in context.point.wrt:
        direction = numbers_like(context.point.inputs[name], context.seed + 2)
        found[name] = _slope(context, v, w, (name, direction))
    direction = numbers_like(v, context.seed + 2)
    # linear in v: no difference is needed
    value, size = _product(graph_of(context).vjp(direction), w)
    bar = 64 * form_of(context).unit * size
    found[COTANGENT] = Slope(direction, value, bar, size)
    return found


def _slope(
    context: Context, v: "torch.Tensor", w: Gradients, along: "tuple[str, torch.Tensor]"
) -> Slope:
    name, direction = along
    x = context.point.inputs[name]
    unit = form_of(context).unit
    largest = max(1.0, float(x.abs().max())) if x.numel() else 1.0
    # a power of two near the best step of central differences
    step = 2.0 ** round(math.log2((3 * unit) ** (1 / 3) * largest))

    def value(shift: float) -> tuple[float, float]:
        return _product(graph_of(context, moved={name: x + shift * direction}).vjp(v.clone()), w)

    here, size = value(0.0)
    ahead, back = value(step)[0], value(-step)[0]
    near, behind = value(step / 2)[0], value(-step / 2)[0]
    wide, narrow = (ahead - back) / (2 * step), (near - behind) / step
    # a kink: the two sides differ
    one_sided = abs((near - here) - (here - behind)) / (step / 2)
    noise = 64 * unit * size / step
    better = (4 * narrow - wide) / 3
    bar = 10 * abs(better - narrow) + one_sided + noise
    return Slope(direction, better, bar, size)


def _product(gradients: Gradients, w: Gradients) -> tuple[float, float]:
    """⟨g, w⟩ and the sum of the sizes of its terms."""
    terms = [(part * w[name]).double() for name, part in gradients.items()]
    return sum(float(t.sum()) for t in terms), sum(float(t.abs().sum()) for t in terms)
