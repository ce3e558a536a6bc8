"""Mutation testing of the modules that decide: does a test fail for each small change of them?

    python -m tests.bench.mutants [--count N] [--seed S] [--jobs 2] [--minutes M] [MODULE ...]

Changes one operator, comparison, constant or decision at a time, in a copy of the tree, and runs
the module's own test files. A change that no test notices is a survivor; those in ``ARGUED`` change
nothing that can be seen, for the reason given there. Exit 1 where another survives.
"""

import argparse
import ast
import copy
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).parents[2]
# the tests that are about the module, quickest first: the run of a mutant ends at the first failure
TESTS = {
    "vjp_cli/checks/verdict.py": ("tests/checks/test_verdict.py",),
    "vjp_cli/checks/by_slopes.py": ("tests/checks/test_by_slopes.py",),
    "vjp_cli/exact/slopes.py": ("tests/exact/test_slopes.py", "tests/exact/test_limits.py"),
    "vjp_cli/exact/limits.py": ("tests/exact/test_limits.py", "tests/exact/test_slopes.py"),
    "vjp_cli/checks/screen.py": (
        "tests/checks/test_screen_bounds.py",
        "tests/checks/test_screen.py",
    ),
    "vjp_cli/numbers/near.py": ("tests/numbers/test_near.py",),
}
# (module, the text of the change) -> why no test can notice
_FROZEN = "a frozen object, and nothing writes to it"
_LIMIT = "no float lies on the limit itself"
ARGUED: dict[tuple[str, str], str] = {
    **{(module, "True -> False"): _FROZEN for module in TESTS},
    ("vjp_cli/checks/verdict.py", "error <= allowed -> error < allowed"): _LIMIT,
    ("vjp_cli/checks/verdict.py", "relative <= math.sqrt(u) -> relative < math.sqrt(u)"): _LIMIT,
    (
        "vjp_cli/numbers/near.py",
        "1 + count * unit() -> 1 - count * unit()",
    ): "the errors that are added up are bounds of bounds: a last place of them decides nothing",
}

_COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


@dataclass(frozen=True)
class Mutant:
    """One change: its place, the text before and after it, and the module with it."""

    module: str
    line: int
    before: str
    after: str
    source: str

    @property
    def change(self) -> str:
        """The change in one line."""
        return f"{self.before} -> {self.after}"

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.change}"


def changed(node: ast.AST) -> list[ast.AST]:
    """The small changes of one node, each as a node that takes its place."""
    found = []
    if isinstance(node, ast.Compare):
        for k, kind in enumerate(node.ops):
            other = copy.deepcopy(node)
            other.ops[k] = _COMPARISONS[type(kind)]()
            found.append(other)
    elif isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in _OPERATORS:
        other = copy.deepcopy(node)
        other.op = _OPERATORS[type(node.op)]()
        found.append(other)
    elif isinstance(node, ast.UnaryOp):
        found.append(copy.deepcopy(node.operand))
    elif isinstance(node, ast.IfExp):
        found.append(ast.IfExp(node.test, node.orelse, node.body))
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        found.append(ast.Constant(not node.value))
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        found.append(ast.Constant(node.value + 1))
    return found


def mutants(module: str) -> list[Mutant]:
    """Every change of a module, outside of annotations and docstrings."""
    tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
    found = []
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if name in ("annotation", "returns"):
                continue
            parts = value if isinstance(value, list) else [value]
            for k, node in enumerate(parts):
                for other in changed(node) if isinstance(node, ast.AST) else ():
                    put(parent, name, k if isinstance(value, list) else None, other)
                    text = ast.unparse(ast.fix_missing_locations(tree))
                    put(parent, name, k if isinstance(value, list) else None, node)
                    line = getattr(node, "lineno", 0)
                    found.append(Mutant(module, line, ast.unparse(node), ast.unparse(other), text))
    return found


def put(parent: ast.AST, name: str, k: int | None, node: ast.AST) -> None:
    """Let a node be in this place of its parent."""
    if k is None:
        setattr(parent, name, node)
    else:
        getattr(parent, name)[k] = node


def survives(mutant: Mutant, tree: Path) -> bool:
    """Whether all tests of the module pass with the change, in this copy of the tree."""
    file = tree / mutant.module
    before = file.read_text(encoding="utf-8")
    file.write_text(mutant.source, encoding="utf-8")
    try:
        return not fails(mutant.module, tree)
    finally:
        file.write_text(before, encoding="utf-8")


def fails(module: str, tree: Path) -> bool:
    """Whether a test of the module fails in this copy of the tree; one that never ends does."""
    tests = [name for name in TESTS[module] if (tree / name).exists()]
    quick = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
    command = [sys.executable, "-B", "-m", "pytest", *quick, *tests]
    environment = {"PYTHONPATH": str(tree), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, timeout=120, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def copies(folder: str, count: int) -> Queue[Path]:
    """Copies of what the tests need, each for one mutant at a time."""
    trees: Queue[Path] = Queue()
    for k in range(count):
        tree = Path(folder) / str(k)
        for name in ("vjp_cli", "tests", "samples"):
            shutil.copytree(ROOT / name, tree / name)
        for name in ("pyproject.toml", "README.md"):
            shutil.copy(ROOT / name, tree / name)
        trees.put(tree)
    return trees


def outcomes(picked: list[Mutant], jobs: int, until: float) -> Iterator[tuple[Mutant, bool]]:
    """Each mutant, and whether it survives; those are left out whose turn comes too late."""
    with tempfile.TemporaryDirectory(prefix="vjp-mutants-") as folder:
        trees = copies(folder, jobs)
        for module in dict.fromkeys(mutant.module for mutant in picked):
            if fails(module, trees.queue[0]):
                raise SystemExit(f"the tests of {module} fail without any change")

        def one(mutant: Mutant) -> bool | None:
            if time.monotonic() > until:
                return None
            tree = trees.get()
            try:
                return survives(mutant, tree)
            finally:
                trees.put(tree)

        with ThreadPoolExecutor(jobs) as pool:
            for mutant, alive in zip(picked, pool.map(one, picked), strict=True):
                if alive is not None:
                    yield mutant, alive


def main() -> int:
    """Exit 1 where a change survives that nothing argues for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("modules", nargs="*", default=list(TESTS))
    parser.add_argument("--count", type=int, default=0, help="so many of them, by chance; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=1e6, help="stop there, whatever the count")
    chosen = parser.parse_args()
    every = [mutant for module in chosen.modules for mutant in mutants(module)]
    random.Random(chosen.seed).shuffle(every)
    until = time.monotonic() + 60 * chosen.minutes
    tried: dict[str, list[bool]] = {module: [] for module in chosen.modules}
    bad = 0
    for mutant, alive in outcomes(every[: chosen.count or None], chosen.jobs, until):
        tried[mutant.module].append(alive)
        if alive:
            reason = ARGUED.get((mutant.module, mutant.change), "")
            bad += not reason
            print(f"{mutant}{f' (argued: {reason})' if reason else ''}", flush=True)
    for module, found in tried.items():
        total = sum(each.module == module for each in every)
        print(f"{module}: {found.count(False)} of {len(found)} killed, {total} in all")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
