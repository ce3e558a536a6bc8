"""v_i·J_ij: what each output adds to every gradient entry, and where outputs disagree."""

from typing import Any

from vjp_cli.arrays import array_of
from vjp_cli.checks.context import Context
from vjp_cli.errors import InputError
from vjp_cli.lazy import torch
from vjp_cli.report import Array, Contribution, Contributions
from vjp_cli.settings import LIMITS


def contributions_part(weights: "torch.Tensor | None", context: Context) -> Contributions | None:
    """The contributions for each input; None where torch gives no J.

    Args:
        weights: v, or the sum of several.
        context: with J built.

    Raises:
        InputError: there is no v, or the problem is complex.
    """
    if weights is None:
        raise InputError(
            "contributions need v: they are v_i·J_ij, and y has several elements", "add --v ones"
        )
    if context.is_complex:
        raise InputError("contributions need real numbers", "a complex v_i·J_ij has no sign")
    if context.side.jacobian is None:
        return None
    if context.side.sparse:
        raise InputError(
            f"contributions are shown for at most {LIMITS.dense_entries:,} of them",
            "--wrt leaves inputs out",
        )
    found = {
        name: _contribution(
            weights.cpu().reshape(-1).double(),
            matrix.dense().double(),
            (tuple(context.side.output.shape), tuple(context.point.inputs[name].shape)),
        )
        for name, matrix in context.side.jacobian.items()
    }
    return Contributions(array_of(weights), found)


def _contribution(
    weights: "torch.Tensor", matrix: "torch.Tensor", shapes: tuple[tuple[int, ...], tuple[int, ...]]
) -> Contribution:
    # an output with v_i = 0 contributes nothing, not 0·NaN
    values = torch.where(weights[:, None] == 0, 0.0, weights[:, None] * matrix)
    # no negative zeros
    values = values + 0.0
    sizes, total = values.abs(), values.sum(0)
    whole = sizes.sum(0)
    shares = 100 * sizes / whole
    known = whole.isfinite() & (whole > 0)
    conflicts = (values > 0).any(0) & (values < 0).any(0)
    opposed = torch.where(total == 0, values != 0, values.sign() == -total.sign())
    output, own = shapes
    shape = (*output, *own)
    return Contribution(
        Array(shape, _flat(values)),
        Array(
            shape,
            tuple(
                share if has else None
                for share, has in zip(_flat(shares), _flat(known.expand_as(shares)), strict=True)
            ),
        ),
        Array(shape, _flat(conflicts & opposed)),
        Array(own, _flat(conflicts)),
    )


def _flat(tensor: "torch.Tensor") -> tuple[Any, ...]:
    return tuple(tensor.reshape(-1).tolist())
