"""J of 10,000 numbers from its pattern, detection and colouring included, against dense ways."""

import math
import statistics
import subprocess
import sys
from typing import Any

import torch

from tests.bench import problems
from tests.bench.timing import Row, number, seconds
from vjp_cli.derivatives.compressed import compressed_jacobians
from vjp_cli.exact import reverse
from vjp_cli.exact.derivatives import FIRST_BITS
from vjp_cli.exact.tracing_program import Point, tracer_of
from vjp_cli.expression import parse
from vjp_cli.program import Program
from vjp_cli.tracing.tape import Tape

SIZE = 10_000
BAR, MEMORY_BAR = 150, 60


def program_of(name: str) -> Program:
    """The problem as a program."""
    return Program(parse(problems.STRUCTURED[name]), {}, "float64", "cpu")


def pattern_of(program: Program, x: torch.Tensor) -> tuple[Any, Any]:
    """The rows and columns of the entries that can be other than 0, from the tracer's tape."""
    tape = Tape(FIRST_BITS, deadline=math.inf)
    traced = tracer_of(program, Point({"x": x.detach()}, ("x",)))(tape)
    entries = reverse.jacobian(tape, traced.output)[traced.leaves["x"]]
    return entries.rows, entries.positions


def structured_jacobian(name: str) -> None:
    """Trace for the pattern, then colour, then as many products as there are colours."""
    program = program_of(name)
    x = problems.point(SIZE)
    pattern = pattern_of(program, x)
    compressed_jacobians(program({"x": x}), [x], [pattern])


def prepared(name: str) -> float:
    """Seconds for colouring and products alone, where the pattern is known."""
    program = program_of(name)
    x = problems.point(SIZE)
    rows, columns = pattern_of(program, x)

    def work() -> None:
        # new arrays, or the colouring is known
        compressed_jacobians(program({"x": x}), [x], [(rows.copy(), columns.copy())])

    work()
    return statistics.median(seconds(work) for _ in range(5))


def dense(name: str) -> float:
    """Seconds of the best dense way: vmap or a loop, 64 rows at once."""
    program = program_of(name)
    x = problems.point(SIZE)

    def f(x: torch.Tensor) -> torch.Tensor:
        return program({"x": x}).reshape(-1)

    def batched() -> None:
        y = f(x)
        found = torch.empty(y.numel(), SIZE, dtype=x.dtype)
        for start in range(0, y.numel(), 64):
            units = torch.zeros(min(64, y.numel() - start), y.numel(), dtype=y.dtype)
            units.diagonal(start).fill_(1)
            [found[start : start + 64]] = torch.autograd.grad(
                y, x, units, retain_graph=True, is_grads_batched=True
            )

    def jacrev() -> None:
        torch.func.jacrev(f, chunk_size=64)(x.detach())

    return min(seconds(batched), seconds(jacrev))


def extra_memory(name: str) -> float:
    """MiB that the structured J takes beyond its imports, in a process of its own."""
    code = (
        "from tests.bench import structured\n"
        "from vjp_cli.lazy import torch, sympy, flint\n"
        "(torch.__version__, sympy.__version__, flint.__version__)\n"
        # the peak of this program alone: what getrusage gives is inherited from the parent
        "peak = lambda: next(int(line.split()[1]) / 1024 for line in open('/proc/self/status') "
        "if line.startswith('VmHWM'))\n"
        "before = peak()\n"
        f"structured.structured_jacobian({name!r})\n"
        "print(peak() - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    return float(done.stdout)


def rows() -> list[Row]:
    """How many times faster than a dense J; with the pattern given, too; and memory."""
    torch.set_num_threads(1)
    totals, givens, sizes = {}, {}, {}
    for name in problems.STRUCTURED:
        structured_jacobian(name)
        full = dense(name)
        totals[name] = full / statistics.median(
            seconds(lambda name=name: structured_jacobian(name)) for _ in range(3)
        )
        givens[name] = full / prepared(name)
        sizes[name] = extra_memory(name)

    def words(values: dict[str, float]) -> str:
        return "; ".join(f"{name} {number(value)}" for name, value in values.items())

    bar = f"at least {BAR} times faster than the best dense way"
    return [
        Row(
            "structured J, n = 10,000, detection included",
            bar,
            words(totals),
            min(totals.values()) >= BAR,
        ),
        Row(
            "the same, the pattern given (colouring included)",
            bar,
            words(givens),
            min(givens.values()) >= BAR,
        ),
        Row(
            "its memory beyond the imports",
            f"at most {MEMORY_BAR} MiB",
            words(sizes),
            max(sizes.values()) <= MEMORY_BAR,
        ),
    ]
