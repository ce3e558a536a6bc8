"""One random problem: a row of the operation table within others, its inputs, dtype and v."""

import random
from dataclasses import dataclass

import torch

from tests.honesty.vocabulary import FLOATS, Word, of_one, value_of, words
from tests.ops.samples import sample_inputs
from vjp_cli.expression import parse

# complex numbers take hundreds of times as long
DTYPES = (
    *(("float64",) * 22 + ("float32",) * 10 + ("float16", "bfloat16") * 4),
    *("complex128", "complex64"),
)
SHAPES = ((5,), (2, 3), (3, 4), (2, 1, 4), (7,), (4, 2), (1, 3), (2, 2), (1,), (), (0,), (0, 3))
LAYOUTS = ("plain", "plain", "transposed", "strided")
# beyond 2,000 elements exact numbers are computed only where near ones cannot tell
LARGE = ((41, 61), (2503,), (3, 29, 31))


@dataclass(frozen=True)
class Call:
    """One problem; it depends on ``seed`` alone.

    Attributes:
        row: the row of the table that it is about.
        depth: how many operations lie on the longest way from an input to y, by construction.
        layout: how the inputs lie in memory.
        waiting: whether every array goes the way of the large ones.
    """

    seed: int
    row: str
    source: str
    inputs: dict[str, torch.Tensor]
    v: torch.Tensor
    dtype: str
    depth: int
    layout: str
    waiting: bool

    @property
    def large(self) -> bool:
        """Whether an input has more elements than are looked at one by one."""
        return any(value.numel() > 2000 for value in self.inputs.values())


def call_of(seed: int) -> Call | None:
    """The problem; None where torch has no such kernel for any try."""
    chance = random.Random(seed)
    torch.manual_seed(seed)
    rows = list(words())
    group = words()[rows[seed % len(rows)]]
    dtype = chance.choice(DTYPES)
    for attempt in range(4):
        word = chance.choice(group)
        large = attempt == 0 and chance.random() < 0.04
        # what fits: first as drawn, then in shapes and dtypes that the row is known to have
        kind = dtype if attempt < 2 else "float64"
        made = _made(seed, chance, word, kind, large=large, free=attempt == 0)
        if made is not None:
            return made
    return None


def _made(
    seed: int, chance: random.Random, word: Word, dtype: str, *, large: bool, free: bool
) -> Call | None:
    inputs = _inputs(chance, word, dtype, large=large, free=free)
    deep = 1 if large else chance.choice((1, 2, 2, 3))
    parts = {}
    for name in word.names:
        if name in FLOATS and name != "S":
            parts[name] = _inner(chance, name, inputs, deep, word.op.domain)
    source, depth = word.with_parts(parts), 2 + deep
    value = value_of(source, inputs, dtype)
    if value is None or value.numel() > (6000 if large else 60):
        return None
    if not (value.is_floating_point() or value.is_complex()):
        # a mask or an index: it weighs a number
        name = next((n for n in word.names if n in FLOATS), "x")
        source = f"sin({name}).sum()*({source})"
    elif not value.is_complex() and chance.random() < 0.6:
        source, depth = _outer(chance, source, value), depth + 1
    value = value_of(source, inputs, dtype)
    if value is None:
        return None
    needed = {name: inputs[name] for name in parse(source).names}
    if not any(v.is_floating_point() or v.is_complex() for v in needed.values()):
        return None
    v = _v(chance, value)
    layout, waiting = chance.choice(LAYOUTS), chance.random() < 0.2
    return Call(seed, word.op.name, source, needed, v, dtype, depth, layout, waiting)


def _inputs(
    chance: random.Random, word: Word, dtype: str, *, large: bool, free: bool
) -> dict[str, torch.Tensor]:
    inputs = sample_inputs(word.op, chance.randrange(2**31))
    low, high = word.op.domain
    if free and set(word.names) <= {"x", "y", "b", "s"}:
        shape = chance.choice(LARGE if large else SHAPES)
        inputs["x"] = _within(low, high, shape)
        inputs["y"] = _within(
            low, high, chance.choice((shape, shape, shape[-1:], (*shape[:-1], 1)))
        )
        inputs["b"] = _within(low, high, shape[-1:])
    for name in FLOATS:
        value = inputs[name]
        if name != "S" and value.numel() and chance.random() < 0.15:
            # ties, kinks and exact values are where mistakes hide
            special = [n for n in (-1.0, 0.0, 1.0, 2.0, 0.5, -0.5, 3.0) if low < n < high]
            value.reshape(-1)[chance.randrange(value.numel())] = chance.choice(
                special or [low + 0.125]
            )
        kind = getattr(torch, dtype)
        rounded = value.to(kind)
        if kind.is_complex and name != "S":
            rounded = torch.complex(rounded.real, 0.3 * torch.randn_like(rounded.real))
        inputs[name] = rounded
    return inputs


def _within(low: float, high: float, shape: tuple[int, ...]) -> torch.Tensor:
    return low + (high - low) * (0.02 + 0.96 * torch.rand(shape, dtype=torch.float64))


def _inner(
    chance: random.Random,
    name: str,
    inputs: dict[str, torch.Tensor],
    depth: int,
    domain: tuple[float, float],
) -> str:
    """An expression of ``name`` and its like, whose real values lie within the domain."""
    if chance.random() < 0.15:
        return name
    return _squashed(chance, _tree(chance, name, inputs, depth - 1), domain)


def _tree(chance: random.Random, name: str, inputs: dict[str, torch.Tensor], depth: int) -> str:
    alike = [n for n in ("x", "y", "A", "b") if inputs[n].shape == inputs[name].shape]
    if depth <= 0:
        leaf = chance.choice([name, name, *alike])
        return chance.choice((leaf, f"0.7*{leaf}", f"(1.5 - {leaf})", f"{leaf}*s"))
    first = _tree(chance, name, inputs, depth - 1)
    if chance.random() < 0.3:
        sign = chance.choice("+-*")
        return f"({first} {sign} {_tree(chance, name, inputs, depth - 1)})"
    usual = of_one(None) if inputs[name].shape != (2, 3) else of_one((2, 3))
    word = chance.choice(usual)
    return f"({word.with_parts({'x': _squashed(chance, first, word.op.domain)})})"


def _squashed(chance: random.Random, source: str, domain: tuple[float, float]) -> str:
    low, high = domain
    middle, half = round((low + high) / 2, 3), round(0.47 * (high - low), 3)
    shrink = chance.choice(("sin({})", "tanh({})", "(2*sigmoid({}) - 1)"))
    return f"({middle} + {half}*{shrink.format(source)})"


def _outer(chance: random.Random, source: str, value: torch.Tensor) -> str:
    kind = chance.random()
    if kind < 0.6 or not value.ndim:
        word = chance.choice(of_one(None))
        return word.with_parts({"x": _squashed(chance, source, word.op.domain)})
    forms = ["({}).sum()", "cumsum({}, -1)", "softmax({}, 0)", "({}).flip(0)*0.5", "({}).mean(-1)"]
    return chance.choice(forms).format(source)


def _v(chance: random.Random, value: torch.Tensor) -> torch.Tensor:
    kind = chance.random()
    v = torch.ones_like(value) if kind < 0.1 else torch.randn_like(value)
    if kind > 0.9 and v.numel():
        v.reshape(-1)[chance.randrange(v.numel())] = 0
    if kind > 0.95:
        v = v * 1000
    return v
