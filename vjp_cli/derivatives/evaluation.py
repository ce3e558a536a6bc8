"""One evaluation by torch: y with its graph, vᵀJ and J as flat columns of numbers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from vjp_cli.derivatives.dense import dense_jacobian
from vjp_cli.derivatives.python_backward import PythonBackward, python_backwards
from vjp_cli.derivatives.seeding import gradients
from vjp_cli.errors import EvaluationError, VjpError
from vjp_cli.frames import ENDINGS
from vjp_cli.lazy import torch

T = TypeVar("T")


@dataclass(frozen=True)
class TorchSide:
    """What torch computes for one problem.

    Attributes:
        output: y, detached (as all numbers here, on the CPU, wherever they were computed).
        wrt: the inputs differentiated by, in order.
        vjp: for each of them the gradient in its shape, None where torch has no path; None as a
            whole without v, or when the backward pass raised.
        jacobian: for each of them J of shape (y.numel(), x.numel()), zeros where no path leads;
            None when not built.
        cut: the inputs to which no path leads: torch's gradient is None.
        failure: what torch said when the backward pass raised, else "".
        connected: whether y has a graph at all.
        backwards: those in the graph that were written in Python, and so are on trial themselves.
        vjp_passes: the cotangents that were pulled back for vᵀJ: 1, or 0 without one.
        jacobian_passes: the same for J.
    """

    output: "torch.Tensor"
    wrt: tuple[str, ...]
    vjp: "dict[str, torch.Tensor | None] | None"
    jacobian: "dict[str, torch.Tensor] | None"
    failure: str = ""
    connected: bool = True
    cut: frozenset[str] = frozenset()
    backwards: tuple[PythonBackward, ...] = ()
    vjp_passes: int = 0
    jacobian_passes: int = 0

    @property
    def custom(self) -> bool:
        """Whether a backward in the graph was written in Python, and so is on trial itself."""
        return bool(self.backwards)

    @property
    def functions(self) -> tuple[type, ...]:
        """The custom ``autograd.Function``s in the graph, from the output back, each once."""
        return tuple(dict.fromkeys(backward.function for backward in self.backwards))


@dataclass(frozen=True)
class Wanted:
    """Which derivatives: by what, with which v (a function of y), and whether J is built."""

    wrt: tuple[str, ...]
    v: "Callable[[torch.Tensor], torch.Tensor | None]"
    jacobian: bool


def evaluate(
    program: Callable[[Mapping[str, Any]], Any],
    inputs: "Mapping[str, torch.Tensor]",
    wanted: Wanted,
) -> TorchSide:
    """Run the program on fresh leaves and differentiate it.

    Raises:
        VjpError: the program failed, or v does not fit y.
    """
    leaves = {
        name: value.detach().clone().requires_grad_(name in wanted.wrt)
        for name, value in inputs.items()
    }
    output = program(leaves)
    if not isinstance(output, torch.Tensor):
        raise EvaluationError(f"the result is a {type(output).__name__}, not a tensor")
    v = wanted.v(output)
    value = output.detach().cpu()
    sources = [leaves[name] for name in wanted.wrt]
    if not output.requires_grad:
        return TorchSide(value, wanted.wrt, None, None, _NO_GRAPH, connected=False)
    backwards = python_backwards(output, leaves)
    found, failure = attempt(lambda: _pulled(output, sources, v), custom=bool(backwards))
    dense = None
    if wanted.jacobian and not failure:
        # a backward that cannot be called twice has a vᵀJ all the same
        dense, failure = attempt(lambda: dense_jacobian(output, sources), custom=bool(backwards))
    vjp = None if found is None else dict(zip(wanted.wrt, found, strict=True))
    jacobian = None if dense is None else dict(zip(wanted.wrt, dense.parts, strict=True))
    return TorchSide(
        value,
        wanted.wrt,
        vjp,
        None if jacobian is None else _filled(jacobian, leaves, output.numel()),
        failure,
        cut=frozenset(name for name, part in (jacobian or vjp or {}).items() if part is None),
        backwards=backwards,
        vjp_passes=int(vjp is not None),
        jacobian_passes=0 if dense is None else dense.passes,
    )


def _filled(
    jacobian: "Mapping[str, torch.Tensor | None]",
    leaves: "Mapping[str, torch.Tensor]",
    rows: int,
) -> "dict[str, torch.Tensor]":
    """J on the CPU, with zeros where no path leads."""
    return {
        name: leaves[name].detach().new_zeros((rows, leaves[name].numel())).cpu()
        if part is None
        else part.cpu()
        for name, part in jacobian.items()
    }


def _pulled(
    output: "torch.Tensor", sources: "list[torch.Tensor]", v: "torch.Tensor | None"
) -> "list[torch.Tensor | None] | None":
    """vᵀJ in memory of its own, from a v of its own: a backward may write into either."""
    if v is None:
        return None
    found = gradients(output, sources, v.clone())
    return [None if part is None else part.clone().cpu() for part in found]


def attempt(compute: "Callable[[], T]", *, custom: bool) -> "tuple[T | None, str]":
    """What a backward pass gives, or what it said when it raised."""
    try:
        return compute(), ""
    except (RuntimeError, NotImplementedError) as error:
        return None, _first_line(error)
    except (Exception, *ENDINGS) as error:
        # a backward in Python may raise anything; from torch's own it would be a bug
        if isinstance(error, VjpError) or not custom:
            raise
        return None, f"{type(error).__name__}: {_first_line(error)}"


_NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0]
