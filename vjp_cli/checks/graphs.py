"""What the checks of a custom backward share: fresh graphs, cotangents, and when numbers differ."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from vjp_cli.checks.context import Context
from vjp_cli.derivatives.seeding import gradients
from vjp_cli.errors import EvaluationError, shorten
from vjp_cli.lazy import torch
from vjp_cli.numbers.dtypes import FloatFormat, format_of
from vjp_cli.report import CheckResult, Verdict

RAISES = "the backward raises"
Gradients = Mapping[str, "torch.Tensor"]


@dataclass(frozen=True)
class Graph:
    """One evaluation of the program on leaves of its own."""

    leaves: "Mapping[str, torch.Tensor]"
    wrt: tuple[str, ...]
    output: "torch.Tensor"

    def vjp(self, v: "torch.Tensor", *, differentiable: bool = False) -> Gradients:
        """vᵀJ for each input, zeros where no path leads; the graph is kept.

        Raises:
            Exception: whatever a backward raises.
        """
        sources = [self.leaves[name] for name in self.wrt]
        found = gradients(self.output, sources, v, differentiable=differentiable)
        return {
            name: torch.zeros_like(source) if part is None else part
            for name, source, part in zip(self.wrt, sources, found, strict=True)
        }


def graph_of(
    context: Context,
    wrt: tuple[str, ...] | None = None,
    moved: "Mapping[str, torch.Tensor] | None" = None,
) -> Graph:
    """A fresh graph; random numbers are the same in each.

    Args:
        context: the problem.
        wrt: the inputs that require a gradient, if not those of the problem.
        moved: inputs with other values than those of the point.

    Raises:
        EvaluationError: the function raised, or y has no graph.
    """
    wrt = context.point.wrt if wrt is None else wrt
    values = {**context.point.inputs, **(moved or {})}
    leaves = {name: x.detach().clone().requires_grad_(name in wrt) for name, x in values.items()}
    output = context.program(leaves)
    if not output.requires_grad:
        raise EvaluationError("y has no graph")
    return Graph(leaves, wrt, output)


def numbers_like(tensor: "torch.Tensor", seed: int) -> "torch.Tensor":
    """Random ±¼, ±½, ±¾, ±1 in the tensor's shape: nowhere 0, and exact in sums of a few."""
    generator = torch.Generator().manual_seed(seed)
    sizes = torch.randint(1, 5, tensor.shape, generator=generator)
    signs = 2 * torch.randint(0, 2, tensor.shape, generator=generator) - 1
    return (sizes * signs).to(tensor) / 4


def form_of(context: Context) -> FloatFormat:
    """The format with the fewest digits that a derivative passes through."""
    names = {str(context.side.output.dtype).removeprefix("torch."), context.dtype}
    if context.exact.side is not None:
        names |= context.exact.side.traced.tape.dtypes
    return min((format_of(name) for name in names), key=lambda form: form.bits)


def differing(
    context: Context, v: "torch.Tensor", found: Gradients, expected: Gradients
) -> tuple[str, int] | None:
    """The input, and its flat element, at which two results for v differ most, if they do.

    Half the digits are left to another order of summation. Where ``expected`` is not finite nothing
    is said.
    """
    form = form_of(context)
    worst, place = 1.0, None
    for name, right in expected.items():
        size = _size(context, v, name, right)
        allowed = math.sqrt(form.unit) * size + 64 * form.subnormal
        finite = right.isfinite().reshape(-1)
        ratio = ((found[name] - right).abs().reshape(-1).double() / allowed)[finite]
        # NaN in place of a number is the largest difference of all
        ratio = ratio.nan_to_num(nan=math.inf, posinf=math.inf)
        if ratio.numel() and float(ratio.max()) > worst:
            worst = float(ratio.max())
            place = (name, int(finite.nonzero().reshape(-1)[int(ratio.argmax())]))
    return place


def _size(context: Context, v: "torch.Tensor", name: str, right: "torch.Tensor") -> "torch.Tensor":
    """Σ|v_i·J_ij| where J was built, else the largest number of the result."""
    flat = right.detach().reshape(-1).abs().double()
    flat = torch.where(flat.isfinite(), flat, 0)
    largest = torch.full_like(flat, float(flat.max()) if flat.numel() else 0.0)
    if context.side.jacobian is None:
        return largest
    sizes = context.side.jacobian[name].ordinary().sizes()
    terms = sizes.pulled(v.detach().reshape(-1).abs().cpu()).to(flat.device)
    # a J that is wrong itself may have nothing where the result has something
    return torch.maximum(terms, flat)


def count(found: Gradients) -> int:
    """How many numbers there are."""
    return sum(part.numel() for part in found.values())


def at(place: tuple[str, int], shape: "torch.Size") -> str:
    """``x[0,1]`` for an input and a flat element."""
    name, element = place
    index = []
    for size in reversed(shape):
        element, own = divmod(element, size)
        index.append(str(own))
    return f"{name}[{','.join(reversed(index))}]" if index else name


def numbers_at(place: tuple[str, int], found: Gradients, expected: Gradients) -> str:
    """``1.5 in place of 2 at x[0]``."""
    name, element = place
    one, other = (part[name].detach().reshape(-1)[element].item() for part in (found, expected))
    return f"{one:.6g} in place of {other:.6g} at {at(place, expected[name].shape)}"


def words_of(error: BaseException) -> str:
    """``RuntimeError: …``, the first line only; torch's own errors without their name."""
    text = str(error).strip().split("\n")[0]
    if isinstance(error, (RuntimeError, EvaluationError)) and text:
        return shorten(text, 200)
    return shorten(f"{type(error).__name__}: {text}" if text else type(error).__name__, 200)


def unchecked(name: str, reason: str) -> CheckResult:
    """The row of a check that could not run."""
    return CheckResult(name, Verdict.UNCHECKED, reason=reason)
