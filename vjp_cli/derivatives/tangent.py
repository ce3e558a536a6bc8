"""Ju: by forward mode where the program has one, else by two backward passes.

The second way pulls a w back, which gives wᵀJ, and differentiates that by w along u: it is linear
in w, and so has the derivative Ju whatever w is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vjp_cli.derivatives.evaluation import attempt
from vjp_cli.derivatives.seeding import gradients
from vjp_cli.errors import VjpError
from vjp_cli.lazy import torch
from vjp_cli.program import Program

FORWARD = "forward mode"
DOUBLE = "double backward"


@dataclass(frozen=True)
class Pushed:
    """What torch gives for Ju.

    Attributes:
        jvp: in the shape of y, detached and on the CPU; None where both ways failed.
        method: the way that gave it.
        failure: what torch said to each way that failed.
    """

    jvp: "torch.Tensor | None"
    method: str
    failure: str = ""


def push(
    program: Program,
    inputs: "Mapping[str, torch.Tensor]",
    tangents: "Mapping[str, torch.Tensor]",
    *,
    custom: bool,
) -> Pushed:
    """Ju for a tangent of the inputs that have one; the others do not move.

    Args:
        program: the function.
        inputs: the point.
        tangents: in the shapes of their inputs.
        custom: whether a backward in Python is on the way, which may raise anything.
    """
    found, said = _tried(lambda: forward(program, inputs, tangents), custom)
    if found is not None:
        return Pushed(found.detach().cpu(), FORWARD)
    failure = f"{FORWARD}: {said}"
    found, said = _tried(lambda: _by_two_backwards(program, inputs, tangents), custom)
    if found is not None:
        return Pushed(found.detach().cpu(), DOUBLE, failure)
    return Pushed(None, "", f"{failure}; {DOUBLE}: {said}")


def _tried(
    compute: "Callable[[], torch.Tensor]", custom: bool
) -> "tuple[torch.Tensor | None, str]":
    try:
        return attempt(compute, custom=custom)
    except VjpError as error:
        # torch's refusal of forward mode, with the place in the expression
        return None, error.message


def forward(
    program: Program,
    inputs: "Mapping[str, torch.Tensor]",
    tangents: "Mapping[str, torch.Tensor]",
) -> "torch.Tensor":
    """Ju by dual numbers, in y's shape.

    Raises:
        Exception: as torch and custom rules do.
    """
    dual: Any = torch.autograd.forward_ad
    with dual.dual_level():
        moved = {
            # the program may differentiate by it itself, and detach what has no gradient
            name: dual.make_dual(value.detach().requires_grad_(), tangents[name].to(value))
            if name in tangents
            else value
            for name, value in inputs.items()
        }
        output = program(moved)
        primal, tangent = dual.unpack_dual(output)
    zeros: torch.Tensor = torch.zeros_like(primal)
    # a sum, since torch may give a tangent of zeros without storage
    return zeros if tangent is None else zeros + tangent


def _by_two_backwards(
    program: Program,
    inputs: "Mapping[str, torch.Tensor]",
    tangents: "Mapping[str, torch.Tensor]",
) -> "torch.Tensor":
    leaves = {
        name: value.detach().clone().requires_grad_(name in tangents)
        for name, value in inputs.items()
    }
    output = program(leaves)
    w = torch.ones_like(output, requires_grad=True)
    found = torch.zeros_like(output)
    if not output.requires_grad:
        return found
    pulled = gradients(output, [leaves[name] for name in tangents], w, differentiable=True)
    for part, tangent in zip(pulled, tangents.values(), strict=True):
        pushed = None
        if part is not None and part.requires_grad:
            [pushed] = gradients(part, [w], tangent.to(part))
        if pushed is not None:
            found = found + pushed
        elif part is not None and bool((part != 0).any()):
            # it would look like a derivative of 0
            raise RuntimeError("a backward cuts its result from its cotangent")
    return found
