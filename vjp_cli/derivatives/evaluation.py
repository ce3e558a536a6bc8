"""One evaluation by torch: y with its graph, vᵀJ and J as flat columns of numbers."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from vjp_cli.derivatives.compressed import Pattern, compressed_jacobians
from vjp_cli.derivatives.dense import dense_jacobian
from vjp_cli.derivatives.matrices import Dense, Sparse, TorchMatrix
from vjp_cli.derivatives.python_backward import PythonBackward, python_backwards
from vjp_cli.derivatives.seeding import gradients
from vjp_cli.errors import EvaluationError, VjpError
from vjp_cli.frames import ENDINGS
from vjp_cli.lazy import numpy, torch

T = TypeVar("T")


@dataclass(frozen=True)
class TorchSide:
    """What torch computes for one problem.

    Attributes:
        output: y, detached (as all numbers here, on the CPU, wherever they were computed).
        wrt: the inputs differentiated by, in order.
        vjp: for each of them the gradient in its shape, None where torch has no path; None as a
            whole without v, or when the backward pass raised.
        jacobian: for each of them J, with zeros where no path leads; None when not built.
        postponed: whether J is too large to be built without its pattern.
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
    jacobian: dict[str, TorchMatrix] | None
    failure: str = ""
    connected: bool = True
    cut: frozenset[str] = frozenset()
    backwards: tuple[PythonBackward, ...] = ()
    vjp_passes: int = 0
    jacobian_passes: int = 0
    postponed: bool = False

    @property
    def custom(self) -> bool:
        """Whether a backward in the graph was written in Python, and so is on trial itself."""
        return bool(self.backwards)

    @property
    def sparse(self) -> bool:
        """Whether J has the entries of its pattern alone."""
        return any(isinstance(matrix, Sparse) for matrix in (self.jacobian or {}).values())

    @property
    def functions(self) -> tuple[type, ...]:
        """The custom ``autograd.Function``s in the graph, from the output back, each once."""
        return tuple(dict.fromkeys(backward.function for backward in self.backwards))


@dataclass(frozen=True)
class Wanted:
    """Which derivatives: by what, with which v (a function of y), and whether J is built.

    Attributes:
        patterns: for each input the entries that can be other than 0: of J these are computed.
        most: without patterns a J with more entries is postponed; one with a backward in Python,
            which may be wrong anywhere, only when it is ten times as large.
    """

    wrt: tuple[str, ...]
    v: "Callable[[torch.Tensor], torch.Tensor | None]"
    jacobian: bool
    patterns: Mapping[str, Pattern] | None = None
    most: float = math.inf

    def postpones(self, rows: int, columns: int, *, custom: bool) -> bool:
        """Whether a J of this size needs its pattern first."""
        allowed = self.most * (_MORE_FOR_PYTHON if custom else 1)
        return self.jacobian and self.patterns is None and rows * columns > allowed


_MORE_FOR_PYTHON = 10


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
    columns = sum(source.numel() for source in sources)
    postponed = wanted.postpones(output.numel(), columns, custom=bool(backwards))
    built = None
    if wanted.jacobian and not failure and not postponed:
        # a backward that cannot be called twice has a vᵀJ all the same
        built, failure = attempt(
            lambda: _jacobian(output, sources, wanted, forward=not backwards),
            custom=bool(backwards),
        )
    jacobian, passes = (None, 0) if built is None else built
    vjp = None if found is None else dict(zip(wanted.wrt, found, strict=True))
    return TorchSide(
        value,
        wanted.wrt,
        vjp,
        None if jacobian is None else _filled(jacobian, leaves, output.numel(), wanted),
        failure,
        cut=frozenset(name for name, part in (jacobian or vjp or {}).items() if part is None),
        backwards=backwards,
        vjp_passes=int(vjp is not None),
        jacobian_passes=passes,
        postponed=postponed and not failure,
    )


def _jacobian(
    output: "torch.Tensor", sources: "list[torch.Tensor]", wanted: Wanted, *, forward: bool
) -> tuple[dict[str, TorchMatrix | None], int]:
    """J for each input, None where no path leads; and how many passes it took."""
    if wanted.patterns is None:
        found = dense_jacobian(output, sources)
        dense: dict[str, TorchMatrix | None] = {
            name: None if part is None else Dense(part.cpu())
            for name, part in zip(wanted.wrt, found.parts, strict=True)
        }
        return dense, found.passes
    patterns = [wanted.patterns[name] for name in wanted.wrt]
    matrices, passes = compressed_jacobians(output, sources, patterns, forward=forward)
    return dict(zip(wanted.wrt, matrices, strict=True)), passes


def _filled(
    jacobian: Mapping[str, TorchMatrix | None],
    leaves: "Mapping[str, torch.Tensor]",
    rows: int,
    wanted: Wanted,
) -> dict[str, TorchMatrix]:
    """J with zeros where no path leads."""

    def zeros(name: str) -> TorchMatrix:
        leaf, nothing = leaves[name].detach(), numpy.zeros(0, dtype=int)
        if wanted.patterns is None:
            return Dense(leaf.new_zeros((rows, leaf.numel())).cpu())
        return Sparse((rows, leaf.numel()), nothing, nothing, leaf.new_zeros(0).cpu())

    return {name: zeros(name) if part is None else part for name, part in jacobian.items()}


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
