"""Which calls of the operation table can stand where: learnt from torch, on small tensors."""

import ast
import warnings
from dataclasses import dataclass
from functools import cache

import torch

from tests.ops.samples import sample_inputs
from vjp_cli.errors import VjpError
from vjp_cli.expression import parse
from vjp_cli.ops.catalog import ROWS
from vjp_cli.ops.table import Op
from vjp_cli.program import Program

FLOATS = ("x", "y", "A", "B", "b", "s", "S")


@dataclass(frozen=True)
class Word:
    """One sample of a row, and what its result is for the sample's own inputs."""

    op: Op
    sample: str
    names: tuple[str, ...]

    def with_parts(self, parts: dict[str, str]) -> str:
        """The call with expressions in the places of its names."""

        class Put(ast.NodeTransformer):
            def visit_Name(self, node: ast.Name) -> ast.AST:
                if node.id not in parts:
                    return node
                return ast.parse(parts[node.id], mode="eval").body

        return ast.unparse(Put().visit(ast.parse(self.sample, mode="eval")))


def value_of(source: str, inputs: dict[str, torch.Tensor], dtype: str) -> torch.Tensor | None:
    """torch's value without a graph; None where torch refuses, or gives several tensors."""
    expression = parse(source)
    constants = {n: inputs[n] for n in expression.names if not is_number(inputs[n])}
    given = {n: inputs[n] for n in expression.names if n not in constants}
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = Program(expression, constants, dtype)(given)
    except VjpError:
        return None
    return found if isinstance(found, torch.Tensor) else None


def is_number(value: torch.Tensor) -> bool:
    """Whether the tensor is differentiated by, not an index or a mask."""
    return value.is_floating_point() or value.is_complex()


@cache
def words() -> dict[str, tuple[Word, ...]]:
    """The samples of every row that have a tensor as their result."""
    found = {}
    for op in ROWS:
        inputs = sample_inputs(op, 1)
        made = [Word(op, s, tuple(parse(s).names)) for s in op.samples]
        fitting = [w for w in made if value_of(w.sample, inputs, "float64") is not None]
        if fitting:
            found[op.name] = tuple(fitting)
    return found


@cache
def of_one(shape: tuple[int, ...] | None) -> tuple[Word, ...]:
    """Calls of x alone, with a floating result of x's shape: of this shape, or of any (None)."""
    shapes = ((2, 3), (4,), (), (3, 1, 2)) if shape is None else (shape,)
    found = []
    # of its own: what a problem draws depends on its seed alone
    generator = torch.Generator().manual_seed(0)
    for word in (word for group in words().values() for word in group):
        if set(word.names) == {"x"} and not word.op.departure:
            results = []
            for each in shapes:
                low, high = word.op.domain
                x = low + (high - low) * (
                    0.1 + 0.8 * torch.rand(each, dtype=torch.float64, generator=generator)
                )
                results.append((each, value_of(word.sample, {"x": x}, "float64")))
            if all(y is not None and y.dtype is torch.float64 and y.shape == s for s, y in results):
                found.append(word)
    return tuple(found)
