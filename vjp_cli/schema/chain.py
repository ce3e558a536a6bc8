"""The JSON of the chain rule: the steps, and the identity that they add up to."""

from typing import Annotated, Literal

from msgspec import Struct

from vjp_cli.schema.parts import Formula, Shape
from vjp_cli.schema.shapes import Gradients, Numbers, says


class Mark(Struct):
    """A NaN, an infinity or a false zero at the step where it enters."""

    kind: Annotated[Literal["nan", "inf", "zero"], says("What enters.")]
    words: Annotated[str, says("The same in words.")]


class Term(Struct):
    """One term of the sum that a step hands back to a step that enters it several times."""

    via: Annotated[str, says("The operation that the term comes from.")]
    value: Annotated[Numbers | None, says("The term.")]


class LocalJacobian(Struct):
    """The derivative of a step by a step directly before it, all others held fixed."""

    shape: Annotated[Shape, says("The elements of the step, and those of the step before it.")]
    jacobian: Annotated[Gradients | None, says("torch's; null where it is too large or fails.")]
    truth: Annotated[Gradients | None, says("The exact one, where it is known.")]
    agrees: Annotated[bool | None, says("Whether the two agree; null without a truth.")]
    formulas: Annotated[list[Formula], says("The formulas of its entries.")]
    handed: Annotated[Numbers | None, says("The cotangent that the step hands back along it.")]
    terms: Annotated[list[Term], says("What handed is the sum of, where it is one.")]


class ChainStep(Struct):
    """A value on the way from the inputs to the output."""

    name: Annotated[str, says("The name of the step.")]
    source: Annotated[str | None, says("The code that makes it; null for an input.")]
    shape: Annotated[Shape, says("Its shape; empty for a scalar.")]
    value: Annotated[Numbers, says("Its value.")]
    cotangent: Annotated[
        Numbers | None, says("What backward brings to it; null without v, or where nothing does.")
    ]
    product: Annotated[
        Numbers | None, says("The derivative of the output by it: the local Jacobians so far.")
    ]
    marks: Annotated[list[Mark], says("What enters here that should not.")]
    local: Annotated[dict[str, LocalJacobian], says("By the names of the steps before it.")]


class Identity(Struct):
    """The chain rule for one input, with the numbers of both sides."""

    input: Annotated[str, says("The name of the input.")]
    where: Annotated[str, says("The left side, such as dz/dx.")]
    paths: Annotated[list[str], says("The right side: a product of local Jacobians a path.")]
    product: Annotated[Gradients | None, says("What the right side is.")]
    jacobian: Annotated[Gradients | None, says("J as torch computes it in one go.")]
    truth: Annotated[Gradients | None, says("The exact J.")]
    agrees: Annotated[bool | None, says("Whether product and jacobian agree up to rounding.")]
