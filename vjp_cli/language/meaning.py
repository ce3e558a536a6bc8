"""What names, calls and attributes of an expression mean.

The checker asks once whether a node means anything at all; the evaluator asks the same functions
what it means, so the two cannot disagree. Nothing is ever looked up on a tensor or on torch here.
"""

import ast
import math
from dataclasses import dataclass
from enum import StrEnum

from vjp_cli.ops import catalog
from vjp_cli.ops.table import Op

# Names that stand for a module where a dot follows them, so that a method call is not meant.
MODULES = frozenset({"torch", "F"})
# People write these out of habit; none of their functions is meant to be a method of an input.
FOREIGN_MODULES = frozenset({"np", "numpy", "math", "cmath", "scipy", "sympy"})

NUMBERS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}

DTYPES = frozenset(
    {
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "half",
        "float",
        "double",
        "complex32",
        "complex64",
        "complex128",
        "chalf",
        "cfloat",
        "cdouble",
        "uint8",
        "int8",
        "int16",
        "int32",
        "int64",
        "short",
        "int",
        "long",
        "bool",
    }
)

PROPERTIES = frozenset({"T", "mT", "data", "real", "imag", "shape", "ndim", "dtype"})

# The methods that ask for a size, with the number of arguments that they may have.
QUERIES = {"numel": 0, "dim": 0, "size": 1}

# The named results of torch, whether or not a row with that name is there yet.
_FIELDS = (
    "values",
    "indices",
    "mantissa",
    "exponent",
    "solution",
    "residuals",
    "rank",
    "singular_values",
    "eigenvalues",
    "eigenvectors",
    "sign",
    "logabsdet",
    "U",
    "S",
    "V",
    "Vh",
    "Q",
    "R",
    "L",
    "P",
    "LU",
    "LD",
    "pivots",
    "info",
    "inverse",
    "result",
)
FIELDS = frozenset(_FIELDS).union(*(op.fields for op in catalog.ROWS))

_NON_FINITE = frozenset({"inf", "+inf", "-inf", "infinity", "+infinity", "-infinity", "nan"})


@dataclass(frozen=True)
class Callee:
    """What a call calls. One of ``op``, ``query`` and ``number`` is set.

    Attributes:
        op: the row of the operation table.
        receiver: for ``x.sum(0)`` the node of ``x``, the first argument before those in brackets.
        query: ``numel``, ``dim`` or ``size`` of the receiver, an int (``size()``: the shape).
        number: the number that ``float('inf')`` stands for.
    """

    op: Op | None = None
    receiver: ast.expr | None = None
    query: str = ""
    number: float | None = None


class AttributeKind(StrEnum):
    """What an attribute is.

    NUMBER: ``torch.pi``. DTYPE: ``torch.int64``. FIELD: a named result, such as ``.values``.
    PROPERTY: one of ``PROPERTIES``: ``.T``, ``.mT``, ``.data``, ``.real``, ``.imag``, ``.shape``,
    ``.ndim``, ``.dtype``.
    """

    NUMBER = "number"
    DTYPE = "dtype"
    FIELD = "field"
    PROPERTY = "property"


@dataclass(frozen=True)
class Attribute:
    """The meaning of an attribute.

    Attributes:
        name: without prefixes: ``int64``, ``values``, ``T``.
        number: the value of a NUMBER.
    """

    kind: AttributeKind
    name: str
    number: float | None = None


def dotted(node: ast.expr) -> str:
    """``torch.linalg.norm`` for the attributes of a name; "" for those of anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def in_module(path: str) -> bool:
    """Whether a dotted path starts at a module, so that no input is meant by its first name."""
    root, dot, _ = path.partition(".")
    return bool(dot) and (root in MODULES or path.startswith("nn.functional."))


def callee(node: ast.Call) -> Callee | None:
    """What ``node`` calls; None for what the language does not have."""
    function = node.func
    if isinstance(function, ast.Name):
        if function.id == "float":
            return _number(node)
        op = catalog.find(function.id)
        return Callee(op) if op else None
    if not isinstance(function, ast.Attribute):
        return None
    path = dotted(function)
    op = catalog.find(path) if path else None
    if op or in_module(path):
        return Callee(op) if op else None
    if path.partition(".")[0] in FOREIGN_MODULES:
        return None
    if function.attr in QUERIES:
        return Callee(receiver=function.value, query=function.attr)
    op = catalog.find(function.attr)
    return Callee(op, function.value) if op else None


def _number(node: ast.Call) -> Callee | None:
    match node.args, node.keywords:
        case [ast.Constant(value=str(text))], [] if text.strip().lower() in _NON_FINITE:
            return Callee(number=float(text))
    return None


def attribute(node: ast.Attribute) -> Attribute | None:
    """What ``node`` means where it is not called; None for what the language does not have."""
    path = dotted(node)
    if in_module(path):
        if path == f"torch.{node.attr}" and node.attr in NUMBERS:
            return Attribute(AttributeKind.NUMBER, node.attr, NUMBERS[node.attr])
        if path == f"torch.{node.attr}" and node.attr in DTYPES:
            return Attribute(AttributeKind.DTYPE, node.attr)
        return None
    if node.attr in PROPERTIES:
        return Attribute(AttributeKind.PROPERTY, node.attr)
    return Attribute(AttributeKind.FIELD, node.attr) if node.attr in FIELDS else None


_CHAINS: tuple[tuple[type[ast.operator], ...], ...] = (
    (ast.Add, ast.Sub),
    (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult),
    (ast.BitAnd,),
    (ast.BitOr,),
)


def flatten(node: ast.BinOp) -> tuple[ast.expr, list[tuple[ast.BinOp, ast.expr]]]:
    """The operands of a chain of operators of one rank, to be computed from left to right.

    Such a chain is one level of nesting, whatever its length: a sum of a thousand terms needs no
    deep recursion. ``a + b - c`` gives ``a`` and ``[(a + b, b), (a + b - c, c)]``.

    Returns:
        The first operand, and for each operator its node (for its ``op`` and its place) with the
        operand at its right.
    """
    chain = next((chain for chain in _CHAINS if isinstance(node.op, chain)), None)
    steps = [(node, node.right)]
    first = node.left
    while chain and isinstance(first, ast.BinOp) and isinstance(first.op, chain):
        steps.append((first, first.right))
        first = first.left
    return first, steps[::-1]
