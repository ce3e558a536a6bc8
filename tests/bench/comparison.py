"""What other checks of a gradient say of a few right and wrong ones, beside vjp.

Run ``python -m tests.bench.comparison``; it prints the table of ``vjp help comparison``. JAX is
asked where it is installed. Each check has its own defaults, but for JAX's float64, which is on.
"""

import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy
import torch

from vjp_cli import inspect
from vjp_cli.settings import Settings

Function = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Case:
    """A function with a backward of its own, as text and as code for torch's and JAX's modules.

    Attributes:
        forward: from the module (torch or jax.numpy) and x to y.
        backward: from the module, x and the cotangent to the gradient; None for the module's own.
        right: whether the gradient is right, in words.
        jax: what JAX said when it was last asked: it is no dependency of the tests.
    """

    words: str
    right: str
    forward: Function
    backward: Callable[[Any, Any, Any], Any] | None
    x: tuple[float, ...]
    jax: str
    dtype: str = "float64"


_A = numpy.sin(numpy.arange(200.0 * 200)).reshape(200, 200)


def _one_entry_off(np: Any, x: Any, g: Any) -> Any:
    """The gradient of ``_A @ x`` with J[3,5] off by 0.1."""
    return g @ np.asarray(_A) + 0.1 * g[3] * (np.arange(len(x)) == 5)


CASES = (
    Case("x², its gradient times 1.0009", "no", lambda np, x: x * x,
         lambda np, x, g: 1.0009 * 2 * x * g, (3.0, 4.0), "fails"),
    Case("2e-6·x, its gradient with the wrong sign", "no", lambda np, x: 2e-6 * x,
         lambda np, x, g: -2e-6 * g, (3.0, 4.0), "fails"),
    Case("x², in float32, its gradient times 1.0009", "no", lambda np, x: x * x,
         lambda np, x, g: 1.0009 * 2 * x * g, (3.0, 4.0), "passes", "float32"),
    Case("A @ x of 200 elements, one entry of J off by 0.1", "no",
         lambda np, x: np.asarray(_A) @ x, _one_entry_off, tuple(k / 100 for k in range(200)),
         "fails"),
    Case("sin at 1e8", "yes", lambda np, x: np.sin(x), None, (1e8,), "passes"),
    Case("log at 1e-9", "yes", lambda np, x: np.log(x), None, (1e-9,), "fails"),
    Case("sin in float32", "yes", lambda np, x: np.sin(x), None, (0.5, 0.7), "passes", "float32"),
    Case("abs at 0, where it has a kink", "as any", lambda np, x: np.abs(x), None, (0.0,),
         "fails"),
    Case("where(x > 0, sqrt(x), 0·x) at -1: NaN", "no",
         lambda np, x: np.where(x > 0, np.sqrt(x), 0 * x), None, (-1.0, 4.0), "fails"),
)  # fmt: skip


def torch_function(case: Case) -> Callable[[Any], Any]:
    """The case's function, by a custom ``autograd.Function`` where it has a backward."""
    if case.backward is None:
        return lambda x: case.forward(torch, x)

    class Custom(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return case.forward(torch, x)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            assert case.backward is not None
            return case.backward(torch, *ctx.saved_tensors, g)

    return lambda x: Custom.apply(x)


def by_gradcheck(case: Case, fast: bool = False) -> str:
    """What ``torch.autograd.gradcheck`` says."""
    x = torch.tensor(case.x, dtype=getattr(torch, case.dtype), requires_grad=True)
    with warnings.catch_warnings():
        # that the input is not of double precision
        warnings.simplefilter("ignore")
        passed = torch.autograd.gradcheck(
            torch_function(case), (x,), fast_mode=fast, raise_exception=False
        )
    return "passes" if passed else "fails"


def by_vjp(case: Case) -> str:
    """The verdict."""
    x = torch.tensor(case.x, dtype=getattr(torch, case.dtype))
    report = inspect(torch_function(case), {"x": x}, settings=Settings(dtype=case.dtype))
    return str(report.verdict)


def by_jax(case: Case) -> str:
    """What ``jax.test_util.check_grads`` says, of first order and in reverse."""
    if find_spec("jax") is None:
        return "not installed"
    import jax
    from jax import numpy as jax_numpy
    from jax.test_util import check_grads

    jax.config.update("jax_enable_x64", True)

    def function(x: Any) -> Any:
        return case.forward(jax_numpy, x)

    backward = case.backward
    if backward is not None:
        function = jax.custom_vjp(function)
        function.defvjp(
            lambda x: (case.forward(jax_numpy, x), x), lambda x, g: (backward(jax_numpy, x, g),)
        )
    x = jax_numpy.array(case.x, dtype=case.dtype)
    try:
        check_grads(function, (x,), order=1, modes=["rev"])
    except AssertionError:
        return "fails"
    return "passes"


def row(case: Case, jax: str) -> list[str]:
    """The cells of a case; ``jax`` is what JAX said."""
    return [
        case.words,
        case.right,
        by_gradcheck(case),
        by_gradcheck(case, fast=True),
        jax,
        f"`{by_vjp(case)}`",
    ]


HEAD = ["gradient of", "right", "gradcheck", "fast_mode", "check_grads", "vjp"]


def main() -> None:
    """Print the table."""
    for cells in (HEAD, ["---"] * len(HEAD)):
        print(f"| {' | '.join(cells)} |")
    for case in CASES:
        with redirect_stdout(sys.stderr):
            cells = row(case, by_jax(case))
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
