"""∂z/∂x = ∂z/∂y·∂y/∂x: both sides, by paths and in numbers."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any

from vjp_cli.chain.numbers import agree, shaped
from vjp_cli.chain.steps import Step
from vjp_cli.lazy import torch
from vjp_cli.report import Array, Identity, Report, TruthKind

# more paths than this are not written one by one
MOST_PATHS = 4
# products are numbers for people: beyond this they are not made
MOST_ENTRIES = 10_000

Names = Mapping[str, Sequence[str]]


def products(
    backward: Sequence[Step], matrices: "Mapping[str, Mapping[str, torch.Tensor]]"
) -> "dict[str, torch.Tensor]":
    """∂y/∂step for each step, summed over the paths; a step with a part that is not there has none.

    Args:
        backward: the steps from the output back, inputs last.
        matrices: the local Jacobian of each step by each of its predecessors.
    """
    output = backward[0].value
    rows = output.numel()
    found: dict[str, torch.Tensor] = {}
    if rows * rows <= MOST_ENTRIES:
        found[backward[0].name] = torch.eye(rows, dtype=output.dtype, device=output.device)
    first = found.get(backward[0].name)
    for step in backward:
        so_far = found.get(step.name)
        for name, local in matrices.get(step.name, {}).items():
            if so_far is not None and rows * local.shape[1] <= MOST_ENTRIES:
                term = local if so_far is first else _product(so_far, local)
                found[name] = found[name] + term if name in found else term
    return found


def _product(so_far: "torch.Tensor", local: "torch.Tensor") -> "torch.Tensor":
    """The matrix product; a 0 of the local Jacobian is no path, and takes nothing from an infinity.

    A 0 of what arrives does: a backward function multiplies it.
    """
    # a step may have another dtype than the next
    right = local.to(so_far.dtype)
    if bool(so_far.isfinite().all()):
        return so_far @ right
    return torch.where(right != 0, so_far[:, :, None] * right, 0).sum(1)


def identities(
    report: Report,
    backward: Sequence[Step],
    before: Names,
    so_far: "Mapping[str, torch.Tensor]",
) -> tuple[Identity, ...]:
    """One row for each input.

    Args:
        report: has J, and the truth.
        backward: the steps from the output back, inputs last.
        before: the predecessors of each step.
        so_far: the products.
    """
    output = backward[0]
    found = []
    for step in backward:
        if step.source:
            continue
        shape = (*output.value.shape, *step.value.shape)
        matrix = so_far.get(step.name)
        product = None if matrix is None else shaped(matrix, shape)
        jacobian = None if report.jacobian is None else report.jacobian.get(step.name)
        found.append(
            Identity(
                step.name,
                f"∂{output.name}/∂{step.name}",
                _paths(output.name, step.name, before),
                product,
                jacobian,
                _truth(report, step.name),
                agree(product, jacobian, output.value.dtype, share=0.5),
            )
        )
    return tuple(found)


def _truth(report: Report, name: str) -> Array[Any] | None:
    judged = report.judged_jacobian
    if judged is None or name not in judged.truth:
        return None
    values = TruthKind.VALUE, TruthKind.REMOVABLE
    return judged.truth[name].map(lambda t: float(t.value) if t.kind in values else None)


def _paths(output: str, name: str, before: Names) -> tuple[str, ...]:
    """``∂z/∂y·∂y/∂x`` for each path; for too many ``∂z/∂c·∂c/∂x`` for each consumer c."""
    found = list(islice(_walks(output, name, before), MOST_PATHS + 1))
    if len(found) <= MOST_PATHS:
        return tuple("·".join(f"∂{a}/∂{b}" for a, b in pairwise(path)) for path in found)
    consumers = [consumer for consumer, names in before.items() if name in names]
    return tuple(
        f"∂{c}/∂{name}" if c == output else f"∂{output}/∂{c}·∂{c}/∂{name}" for c in consumers
    )


def _walks(output: str, name: str, before: Names) -> Iterator[list[str]]:
    """The paths from the output back to a name."""
    leading = {name}
    for step in reversed(list(before)):
        if leading & set(before[step]):
            leading.add(step)
    waiting = [[output]]
    while waiting:
        path = waiting.pop()
        if path[-1] == name:
            yield path
            continue
        waiting += [[*path, n] for n in reversed(before.get(path[-1], ())) if n in leading]
