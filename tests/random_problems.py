"""Random problems from the operation table, and the second way that confirms a report.

The second way uses no derivative formula: the slopes of the whole function, from its values alone.
"""

import math
import random
from dataclasses import dataclass

import flint
import torch

from vjp_cli.exact.limits import Tendency
from vjp_cli.exact.slopes import agree, column_slopes
from vjp_cli.exact.tracing_program import Element, Point, mover_of, numbers_of
from vjp_cli.expression import parse
from vjp_cli.inspection import inspect
from vjp_cli.numbers.dtypes import FORMATS
from vjp_cli.numbers.scalar import ball, exact, precision, to_float
from vjp_cli.program import Program
from vjp_cli.report import Report, TruthKind, Verdict
from vjp_cli.request import Request
from vjp_cli.settings import Settings
from vjp_cli.values import Value

UNARY = [
    "exp",
    "sin",
    "cos",
    "tanh",
    "sigmoid",
    "softplus",
    "relu",
    "abs",
    "square",
    "expm1",
    "atan",
    "sinh",
    "erf",
    "silu",
    "gelu",
    "mish",
    "elu",
    "selu",
    "hardtanh",
    "hardswish",
    "softsign",
    "logsigmoid",
    "asinh",
    "sinc",
    "floor",
    "sign",
    "leaky_relu",
    "neg",
]
REDUCTIONS = ("sum", "mean", "amax", "amin", "logsumexp", "prod", "var", "cumsum", "softmax")
MOVES = ("{0}.T.T", "flip({0}, (0,))", "roll({0}, 1)", "{0}[..., 0:1]", "tril({0})")
BINARY = ("{0} + {1}", "{0} - {1}", "{0}*{1}", "maximum({0}, {1})", "hypot({0}, {1})")
SHAPES = ((2, 3), (1, 4), (3, 1), (2, 2), (3, 2))


@dataclass(frozen=True)
class RandomProblem:
    """One problem: an expression of x and y, their values, and v."""

    source: str
    values: dict[str, Value]
    dtype: str
    seed: int


def random_problem(seed: int) -> RandomProblem:
    """A problem that depends on the seed only."""
    chance = random.Random(seed)
    shape = chance.choice(SHAPES)
    source = _tree(chance, 3)
    if chance.random() < 0.4:
        name = chance.choice(REDUCTIONS)
        source = f"{name}({source}, {chance.choice((0, 1))})"
    count = shape[0] * shape[1]
    values = {
        name: Value(shape, tuple(_number(chance) for _ in range(count)))
        for name in ("x", "y")
        if name in source.replace("maximum", "").replace("hypot", "").replace("exp", "")
    }
    names = parse(source).names
    values = {name: values.get(name) or Value(shape, (0.5,) * count) for name in names}
    dtype = chance.choice(("float64", "float64", "float32", "bfloat16"))
    return RandomProblem(source, values, dtype, seed)


def _number(chance: random.Random) -> float:
    # ties, kinks and exact values are where mistakes hide
    if chance.random() < 0.25:
        return float(chance.choice((-1, 0, 1, 2, 0.5, 3, -3)))
    return round(chance.uniform(-2.5, 2.5), 3)


def _tree(chance: random.Random, depth: int) -> str:
    if depth == 0:
        return chance.choice(("x", "x", "y", "x*0.3", "2 - y"))
    kind = chance.random()
    if kind < 0.5:
        return f"{chance.choice(UNARY)}({_tree(chance, depth - 1)})"
    if kind < 0.8:
        form = chance.choice(BINARY)
        return f"({form.format(_tree(chance, depth - 1), _tree(chance, depth - 1))})"
    if kind < 0.9:
        inner = _tree(chance, depth - 1)
        return f"where(x > 0.1, {inner}, {_tree(chance, depth - 1)})"
    return chance.choice(MOVES).format(f"({_tree(chance, depth - 1)})")


def report_of(problem: RandomProblem) -> Report:
    """The program's report, with a random v."""
    settings = Settings(dtype=problem.dtype, timeout=60, remedies=False, checks=())
    shape = _output_shape(problem)
    chance = random.Random(problem.seed + 1)
    count = math.prod(shape)
    v = Value(shape, tuple(round(chance.uniform(-2, 2), 2) for _ in range(count)))
    return inspect(Request(parse(problem.source), problem.values, v), settings)


def _inputs(problem: RandomProblem) -> dict[str, torch.Tensor]:
    kind = getattr(torch, problem.dtype)
    return {
        name: torch.tensor(list(value.numbers), dtype=torch.float64).to(kind).reshape(value.shape)
        for name, value in problem.values.items()
    }


def _output_shape(problem: RandomProblem) -> tuple[int, ...]:
    program = Program(parse(problem.source), {}, problem.dtype)
    return tuple(program(_inputs(problem)).shape)


def contradictions(problem: RandomProblem, report: Report) -> list[str]:
    """Entries of vᵀJ whose truth or verdict the slopes contradict."""
    assert report.judged_vjp is not None
    assert report.v is not None
    inputs = _inputs(problem)
    v = torch.tensor(report.v.values, dtype=torch.float64).to(inputs["x" if "x" in inputs else "y"])
    point = Point(inputs, tuple(inputs), v.reshape(report.v.shape))
    program = Program(parse(problem.source), {}, problem.dtype)
    found = []
    for name, verdicts in report.judged_vjp.verdicts.items():
        for k, verdict in enumerate(verdicts.values):
            truth = report.judged_vjp.truth[name].values[k]
            number = report.vjp[name].values[k] if report.vjp else None
            evaluate = mover_of(program, point, Element(name, k), math.inf)
            slopes = column_slopes(evaluate, numbers_of(point.v), math.inf).weighted
            assert slopes is not None
            words = _contradiction(verdict, truth, number, slopes, problem.dtype)
            if words:
                found.append(f"{problem.source} seed {problem.seed} {name}[{k}]: {words}")
    return found


def _contradiction(verdict, truth, number, slopes, dtype) -> str:
    if verdict is Verdict.UNCHECKED or slopes.limits_differ:
        # where y is not a number an element that it does not depend on has the derivative 0
        return ""
    smooth = agree(slopes.left, slopes.right) and not slopes.limits_differ
    if truth.kind in (TruthKind.VALUE, TruthKind.REMOVABLE):
        if not smooth:
            return f"truth {truth.value} where the slopes are {slopes}"
        if slopes.left.tendency is Tendency.VALUE:
            with precision(300):
                # 30 digits of the truth against 100 bits of the slope
                apart = abs(flint.arb(truth.value) - ball(slopes.left.value))
                size = abs(ball(slopes.left.value))
                if not (apart <= size * flint.arb(10) ** -27 or apart < flint.arb(10) ** -40):
                    return f"truth {truth.value}, slope {slopes.left.value}"
                return _verdict_contradiction(verdict, number, slopes.left.value, dtype)
        return ""
    if truth.kind is TruthKind.SLOPES and smooth and not same_end(slopes):
        return f"two slopes {truth} where the function is smooth"
    return ""


def same_end(slopes) -> bool:
    """Whether one side has no slope, so that the two cannot differ."""
    return Tendency.END in (slopes.left.tendency, slopes.right.tendency)


def _verdict_contradiction(verdict, number, slope, dtype) -> str:
    """A verdict that no reading of the error allows."""
    if number is None or not math.isfinite(number):
        return "" if verdict is not Verdict.OK else f"ok for {number}"
    form = FORMATS[dtype]
    error = abs(to_float(exact(number) - ball(slope)))
    size = abs(to_float(slope))
    if verdict is Verdict.OK and error > 10 * math.sqrt(form.unit) * max(size, 1) * 16:
        return f"ok, but torch has {number} for {size}"
    if verdict is Verdict.WRONG and error <= form.unit**0.75 * size:
        return f"wrong, but torch has {number} for {size}"
    return ""
