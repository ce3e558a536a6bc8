"""Other programs beside ours: what they take, in units of our time. None of them is required."""

import math
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy
import sympy
import torch

from tests.bench import problems, structured
from tests.bench.timing import Ratio, Row, ratio, rounds_of, seconds
from vjp_cli import library
from vjp_cli.exact.derivatives import exact_side
from vjp_cli.exact.tracing_program import Point, tracer_of
from vjp_cli.expression import parse
from vjp_cli.program import Program

SOFTMAX_BAR = 5000


def symbolic_jacobian(expression: str, size: int) -> None:
    """Our J from SymPy's derivatives: every entry to 30 digits."""
    program = Program(parse(expression), {}, "float64", "cpu")
    point = Point({"x": problems.point(size).detach()}, ("x",))
    exact_side(tracer_of(program, point), jacobian=True, deadline=math.inf)


def by_sympy(name: str, size: int) -> None:
    """``Matrix.jacobian``, then ``lambdify``, then the numbers."""
    symbols = sympy.symbols(f"x:{size}")
    matrix = sympy.Matrix(_formulas(name, symbols, sympy)).jacobian(sympy.Matrix(symbols))
    sympy.lambdify([symbols], matrix, "numpy")(numpy.linspace(0.1, 1, size))


def by_symengine(name: str, size: int) -> None:
    """The same in SymEngine."""
    import symengine

    symbols = symengine.symbols(f"x:{size}")
    formulas = symengine.DenseMatrix(_formulas(name, symbols, symengine))
    matrix = formulas.jacobian(symengine.DenseMatrix(symbols))
    symengine.Lambdify(symbols, matrix)(numpy.linspace(0.1, 1, size))


def _formulas(name: str, symbols: Any, module: Any) -> list[Any]:
    if name == "elementwise":
        return [module.sin(symbol) * symbol for symbol in symbols]
    powers = [module.exp(symbol) for symbol in symbols]
    total = sum(powers)
    return [power / total for power in powers]


def by_asdex(name: str) -> None:
    """Detection, colouring and the first J in JAX, eager."""
    import asdex

    f, x = _in_jax(name)
    asdex.jacobian(f, x)(x).block_until_ready()


def by_sparsejac(name: str) -> None:
    """The first J in JAX where the pattern is given."""
    import jax
    import sparsejac
    from jax.experimental import sparse

    f, x = _in_jax(name)
    rows, columns = structured.pattern_of(
        structured.program_of(name), problems.point(structured.SIZE)
    )
    places = jax.numpy.stack([jax.numpy.asarray(rows), jax.numpy.asarray(columns)], axis=1)
    shape = (f(x).size, x.size)
    pattern = sparse.BCOO((jax.numpy.ones(len(rows)), places), shape=shape)
    jax.jit(sparsejac.jacrev(f, sparsity=pattern))(x).block_until_ready()


def _in_jax(name: str) -> tuple[Callable[[Any], Any], Any]:
    import jax

    jax.config.update("jax_enable_x64", True)
    functions = {
        "elementwise": lambda x: jax.numpy.sin(x) * x,
        "1-D stencil": lambda x: x[1:-1] * (1 - x[1:-1]) + 0.1 * (x[2:] - 2 * x[1:-1] + x[:-2]),
    }
    return functions[name], jax.numpy.linspace(0.1, 1, structured.SIZE)


def gradcheck(size: int) -> None:
    """Torch's own check by finite differences, in its slow mode."""
    x = problems.point(size)
    torch.autograd.gradcheck(lambda x: torch.sin(x) * x, [x])


def inspection(size: int) -> None:
    """The whole inspection: J, vᵀJ, formulas, truths to 30 digits, verdicts."""
    x = problems.point(size).detach()
    library.inspect("sin(x)*x", {"x": x}, torch.ones(size, dtype=torch.float64))


def softmax() -> list[Row]:
    """The bar of DESIGN for J in symbols: one run of the peer takes a minute."""
    expression = "softmax(x, 0)"
    symbolic_jacobian(expression, 100)
    ours = min(seconds(lambda: symbolic_jacobian(expression, 100)) for _ in range(3))
    theirs = seconds(lambda: by_sympy("softmax", 100))
    found = Ratio(*[theirs / ours] * 3)
    return [
        Row(
            "J of softmax from symbolic derivatives, n = 100",
            f"at least {SOFTMAX_BAR:,} times faster than Matrix.jacobian + lambdify",
            f"{found.median:,.0f} (one run)",
            found.median >= SOFTMAX_BAR,
        )
    ]


def rows() -> list[Row]:
    """Each peer by ours: above 1 it takes longer."""
    torch.set_num_threads(1)

    def ours(name: str) -> Callable[[], None]:
        return lambda: structured.structured_jacobian(name)

    def symbols(size: int) -> Callable[[], None]:
        return lambda: symbolic_jacobian("sin(x)*x", size)

    pairs: list[tuple[str, str, Callable[[], Any], Callable[[], Any]]] = [
        ("gradcheck, n = 100, by a whole inspection", "torch",
         lambda: gradcheck(100), lambda: inspection(100)),
        ("SymPy Matrix.jacobian + lambdify, elementwise, n = 10, by our exact J", "sympy",
         lambda: by_sympy("elementwise", 10), symbols(10)),
        ("SymPy Matrix.jacobian + lambdify, elementwise, n = 100, by our exact J", "sympy",
         lambda: by_sympy("elementwise", 100), symbols(100)),
        ("SymEngine jacobian + Lambdify, elementwise, n = 100, by our exact J", "symengine",
         lambda: by_symengine("elementwise", 100), symbols(100)),
        ("asdex on JAX, first J, elementwise, n = 10,000, by our structured J", "asdex",
         lambda: by_asdex("elementwise"), ours("elementwise")),
        ("asdex on JAX, first J, 1-D stencil, n = 10,000, by our structured J", "asdex",
         lambda: by_asdex("1-D stencil"), ours("1-D stencil")),
        ("sparsejac on JAX, first J, pattern given, 1-D stencil, by our structured J", "sparsejac",
         lambda: by_sparsejac("1-D stencil"), ours("1-D stencil")),
    ]  # fmt: skip
    table = []
    for what, module, theirs, our in pairs:
        if find_spec(module) is None:
            table.append(Row(what, "", f"{module} is not installed"))
            continue
        # another package may have changed under its name
        try:
            times = rounds_of({"theirs": theirs, "ours": our}, 3)
        except (ImportError, AttributeError, TypeError) as error:
            table.append(Row(what, "", f"{module} does not run: {error}"))
            continue
        table.append(Row(what, "", str(ratio(times["theirs"], times["ours"]))))
    return table


if __name__ == "__main__":
    for row in rows():
        sys.stdout.write(f"{row.what}: {row.found}\n")
