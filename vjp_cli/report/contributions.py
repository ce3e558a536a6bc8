"""How much of every gradient entry each output makes."""

from collections.abc import Mapping
from dataclasses import dataclass

from vjp_cli.report.values import Array, Number


@dataclass(frozen=True)
class Contribution:
    """What the outputs contribute to the gradient by one input.

    Attributes:
        values: v_i·J_ij from torch's J, of shape y.shape + x.shape; 0 where v_i is 0. Their sum
            over the outputs is vᵀJ.
        shares: the percentage of Σ_i |v_i·J_ij| that each makes; None where that sum is 0 or not
            finite.
        against: whether a contribution has the other sign than the sum over the outputs; where the
            sum is 0, whether it is one of those that cancel.
        conflicts: in the shape of the input, whether outputs pull in opposite directions there.
    """

    values: Array[Number]
    shares: Array[float | None]
    against: Array[bool]
    conflicts: Array[bool]


@dataclass(frozen=True)
class Contributions:
    """The contributions for each input.

    Attributes:
        weights: v; of several v their sum, as ``.grad`` holds the sum of their vᵀJ.
    """

    weights: Array[Number]
    inputs: Mapping[str, Contribution]
