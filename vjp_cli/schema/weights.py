"""The JSON about v and u: what they cost, a loss, contributions, and Ju."""

from typing import Annotated

from msgspec import Struct

from vjp_cli.schema.parts import Count, Formula
from vjp_cli.schema.shapes import Gradients, Number, Numbers, Truths, Verdicts, says


class Cost(Struct):
    """What the derivatives took."""

    vjp_passes: Annotated[Count, says("The backward passes made for the VJP: one for each v.")]
    jacobian_passes: Annotated[Count, says("Those made for J; 0 where it was not built.")]
    jacobian_bytes: Annotated[Count, says("What J in full takes, or would take.")]


class LossCotangent(Struct):
    """What is known of v as the derivative of the loss by the output; v itself is the key v."""

    formulas: Annotated[list[Formula], says("Its formulas.")]
    truth: Annotated[Truths, says("The exact derivative at the output as torch computes it.")]
    verdicts: Annotated[Verdicts, says("The judgement of each entry of v.")]


class Loss(Struct):
    """What v is the derivative of, and its gradient taken in one go."""

    expression: Annotated[str, says("The loss in terms of the output's name.")]
    value: Annotated[Number, says("The loss.")]
    v: LossCotangent
    gradient: Annotated[
        dict[str, Gradients], says("For each input what loss.backward() leaves in .grad.")
    ]
    truth: Annotated[dict[str, Truths], says("The exact gradient of the loss, by input.")]
    verdicts: Annotated[dict[str, Verdicts], says("The judgement of gradient, by input.")]


class Contribution(Struct):
    """What the outputs contribute to the gradient by one input, in the shape of J."""

    values: Annotated[Numbers, says("v_i*J_ij; v is the sum of several.")]
    shares: Annotated[
        Gradients,
        says("Percent of the sum of |v_i*J_ij| over i; null where that is 0 or not finite."),
    ]
    against: Annotated[Numbers, says("Whether each has the other sign than their sum.")]
    conflicts: Annotated[
        Numbers, says("In the shape of the input: whether outputs pull in opposite directions.")
    ]


class Products(Struct):
    """The same number from both sides."""

    v_jvp: Annotated[Number, says("The product of v and Ju.")]
    vjp_u: Annotated[Number, says("The product of the VJP and u.")]


class Tangent(Struct):
    """A tangent u and Ju."""

    u: Annotated[dict[str, Numbers], says("The direction in which each input moves.")]
    jvp: Annotated[Gradients, says("Ju as torch computes it; null where it gives no number.")]
    method: Annotated[str | None, says("How: forward mode or double backward.")]
    truth: Annotated[Truths, says("The exact derivative along u.")]
    verdicts: Annotated[Verdicts, says("The judgement of each entry of Ju.")]
    products: Annotated[Products | None, says("What must be equal; null without v.")]
