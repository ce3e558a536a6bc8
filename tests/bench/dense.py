"""The dense J: ours against the best of the usual ways, warm and in a fresh process."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping

import torch
from torch import Tensor

from tests.bench import problems
from tests.bench.timing import Ratio, Row, best, number, ratio, rounds_of
from vjp_cli.derivatives.dense import dense_jacobian

SIZES = (10, 100, 1000, 4000)
CHUNK = 64


def by_loop(y: Tensor, x: Tensor) -> Tensor:
    """One backward pass a row, with a unit cotangent."""
    found = torch.empty(y.numel(), x.numel(), dtype=x.dtype)
    for row in range(y.numel()):
        unit = torch.zeros(y.numel(), dtype=y.dtype)
        unit[row] = 1
        [found[row]] = torch.autograd.grad(y, x, unit.reshape(y.shape), retain_graph=True)
    return found


def by_batches(y: Tensor, x: Tensor, size: int) -> Tensor:
    """``is_grads_batched``, so many rows at once."""
    found = torch.empty(y.numel(), x.numel(), dtype=x.dtype)
    for start in range(0, y.numel(), size):
        units = torch.eye(y.numel(), dtype=y.dtype)[start : start + size]
        [found[start : start + size]] = torch.autograd.grad(
            y, x, units.reshape(-1, *y.shape), retain_graph=True, is_grads_batched=True
        )
    return found


def ways(f: problems.Function, x: Tensor) -> dict[str, Callable[[], Tensor]]:
    """The usual ways to J by their names, y included."""
    plain = x.detach()
    return {
        "loop over rows": lambda: by_loop(f(x), x),
        "is_grads_batched": lambda: by_batches(f(x), x, sys.maxsize),
        "is_grads_batched, 64 rows": lambda: by_batches(f(x), x, CHUNK),
        "torch.func.jacrev": lambda: torch.func.jacrev(f)(plain),
        "torch.func.jacrev, 64 rows": lambda: torch.func.jacrev(f, chunk_size=CHUNK)(plain),
        "autograd.functional.jacobian": lambda: torch.autograd.functional.jacobian(f, plain),
        "autograd.functional.jacobian, vectorized": lambda: torch.autograd.functional.jacobian(
            f, plain, vectorize=True
        ),
    }


def _hopeless(name: str, way: str, size: int) -> bool:
    """What takes many seconds and is known to be far from the best."""
    product = name.startswith("tanh") and size >= 1000
    full = size > 1000 and "64" not in way and not (product and way == "torch.func.jacrev")
    return full or (product and ("batched" in way or "functional" in way or "loop" in way))


def measured(size: int) -> Mapping[str, dict[str, list[float]]]:
    """For each function the times of every way, and ours."""
    found = {}
    for name, f in problems.dense(size).items():
        x = problems.point(size)
        works = {way: work for way, work in ways(f, x).items() if not _hopeless(name, way, size)}
        works["vjp"] = lambda f=f, x=x: dense_jacobian(f(x), [x]).parts[0]
        found[name] = rounds_of(works, 2 if size > 1000 else 9)
    return found


def rows() -> Iterator[Row]:
    """One row a size: ours by the best, function by function."""
    torch.set_num_threads(1)
    for size in SIZES:
        words, met = [], True
        for name, times in measured(size).items():
            ours = times.pop("vjp")
            winner = best(times)
            against = ratio(ours, times[winner])
            words.append(f"{name} {number(against.median)} (of {winner})")
            met = met and against.median <= 1.1
        what = f"dense J, n = {size:,}"
        yield Row(what, "at most 1.1 of the best usual way", "; ".join(words), met)
    yield from fresh()


FRESH = """
import gc; gc.disable()
import torch, sympy, time
from vjp_cli.derivatives.dense import dense_jacobian
x = torch.linspace(0.1, 1, 10, dtype=torch.float64).requires_grad_()
f = lambda x: torch.sin(x)*x
start = time.perf_counter()
{work}
print(time.perf_counter() - start)
"""
FIRST = {
    "vjp": "dense_jacobian(f(x), [x])",
    "autograd.functional.jacobian": "torch.autograd.functional.jacobian(f, x)",
    "is_grads_batched": "torch.autograd.grad(f(x), x, torch.eye(10).double(), "
    "is_grads_batched=True)",
    "torch.func.jacrev": "torch.func.jacrev(f)(x.detach())",
}


def fresh() -> list[Row]:
    """The first J of a process, with what it imports."""
    times: dict[str, list[float]] = {name: [] for name in FIRST}
    for _ in range(5):
        for name, work in FIRST.items():
            command = [sys.executable, "-c", FRESH.format(work=work)]
            done = subprocess.run(command, capture_output=True, check=True, text=True)
            times[name].append(float(done.stdout))
    ours = times.pop("vjp")
    words = [f"{number(_by(ours, other).median)} of {name}" for name, other in times.items()]
    winner = _by(ours, times[best(times)])
    what = "dense J, n = 10, the first of a process"
    return [Row(what, "at most 1.1 of the best usual way", "; ".join(words), winner.median <= 1.1)]


def _by(ours: list[float], other: list[float]) -> Ratio:
    return ratio(ours, other)
