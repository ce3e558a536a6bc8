"""Other ways to write an expression that lost its gradient.

Each rule rewrites what it recognises; the candidate is then inspected at the same point, and
offered only if the program finds the same value and a right gradient for it.
"""

import ast
import copy
from collections.abc import Callable, Iterator

from vjp_cli.language.meaning import MODULES, dotted

Rewrite = Callable[[ast.expr], ast.expr | None]


def candidates(statements: tuple[ast.stmt, ...]) -> Iterator[str]:
    """Expressions with one rule applied wherever it fits, and with all rules; no duplicates."""
    seen: set[str] = set()
    for rules in (*((rule,) for rule in RULES), RULES):
        changed = [_Rewriter(rules).visit(copy.deepcopy(statement)) for statement in statements]
        text = "; ".join(ast.unparse(ast.fix_missing_locations(node)) for node in changed)
        if text not in seen and text != "; ".join(map(ast.unparse, statements)):
            seen.add(text)
            yield text


class _Rewriter(ast.NodeTransformer):
    """Applies rules from the inside out."""

    def __init__(self, rules: tuple[Rewrite, ...]) -> None:
        self.rules = rules

    def generic_visit(self, node: ast.AST) -> ast.AST:
        node = super().generic_visit(node)
        if isinstance(node, ast.expr):
            for rule in self.rules:
                node = rule(node) or node
        return node


# -- recognising --------------------------------------------------------------------------------


def _called(node: ast.expr, name: str) -> list[ast.expr] | None:
    """The arguments of ``name(…)``, with any prefix, or of ``….name(…)``, the receiver first."""
    if not isinstance(node, ast.Call) or node.keywords:
        return None
    function = node.func
    if isinstance(function, ast.Name):
        return node.args if function.id == name else None
    if not isinstance(function, ast.Attribute) or function.attr != name:
        return None
    if dotted(function.value).split(".")[0] in MODULES:
        return node.args
    return [function.value, *node.args]


def _one(node: ast.expr, name: str) -> ast.expr | None:
    """The argument of ``name(x)`` without further ones."""
    found = _called(node, name)
    return found[0] if found is not None and len(found) == 1 else None


def _squared(node: ast.expr) -> ast.expr | None:
    """X of ``x**2``, ``x*x`` or ``square(x)``."""
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Pow) and ast.unparse(node.right) in ("2", "2.0"):
            return node.left
        if isinstance(node.op, ast.Mult) and ast.unparse(node.left) == ast.unparse(node.right):
            return node.left
    return _one(node, "square")


def _sum_of_one(node: ast.expr) -> ast.expr | None:
    """X of ``1 + x`` or ``x + 1``."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        if ast.unparse(node.left) in ("1", "1.0"):
            return node.right
        if ast.unparse(node.right) in ("1", "1.0"):
            return node.left
    return None


def _call(name: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


# -- rules --------------------------------------------------------------------------------------


def _log_of_sigmoid(node: ast.expr) -> ast.expr | None:
    inner = _one(node, "log")
    x = inner and _one(inner, "sigmoid")
    return _call("logsigmoid", x) if x else None


def _log_of_softmax(node: ast.expr) -> ast.expr | None:
    inner = _one(node, "log")
    found = inner and _called(inner, "softmax")
    return _call("log_softmax", *found) if found else None


def _log_of_ndtr(node: ast.expr) -> ast.expr | None:
    inner = _one(node, "log")
    x = inner and _one(inner, "ndtr")
    return _call("log_ndtr", x) if x else None


def _log_of_one_plus_exp(node: ast.expr) -> ast.expr | None:
    inner = _one(node, "log")
    power = _sum_of_one(inner) if inner else _one(node, "log1p")
    x = power and _one(power, "exp")
    return _call("logaddexp", x, _call("zeros_like", copy.deepcopy(x))) if x else None


def _log_of_one_minus_exp(node: ast.expr) -> ast.expr | None:
    inner = _one(node, "log")
    if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub):
        x = _one(inner.right, "exp")
        if x and ast.unparse(inner.left) in ("1", "1.0"):
            return _call("log", ast.UnaryOp(ast.USub(), _call("expm1", x)))
    return None


def _log_of_sum_of_exp(node: ast.expr) -> ast.expr | None:
    inner = _one(node, "log")
    found = inner and _called(inner, "sum")
    x = found and _one(found[0], "exp")
    if not (found and x):
        return None
    return _call("logsumexp", x, *(found[1:] or [ast.Constant(0)]))


def _quotient_of_exps(node: ast.expr) -> ast.expr | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        x = _one(node.left, "exp")
        total = _called(node.right, "sum")
        below = total and _one(total[0], "exp")
        if x and below and total and ast.unparse(x) == ast.unparse(below):
            return _call("softmax", x, *(total[1:2] or [ast.Constant(0)]))
    return None


def _root_of_sum_of_squares(node: ast.expr) -> ast.expr | None:
    inner = _one(node, "sqrt")
    found = inner and _called(inner, "sum")
    x = found and _squared(found[0])
    return _call("vector_norm", x) if found and x and len(found) == 1 else None


def _root_of_two_squares(node: ast.expr) -> ast.expr | None:
    inner = _one(node, "sqrt")
    if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add):
        x, y = _squared(inner.left), _squared(inner.right)
        return _call("hypot", x, y) if x and y else None
    return None


def _root_of_variance(node: ast.expr) -> ast.expr | None:
    inner = _one(node, "sqrt")
    found = inner and _called(inner, "var")
    return _call("std", *found) if found else None


def _sine_quotient(node: ast.expr) -> ast.expr | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        x = _one(node.left, "sin")
        if x and ast.unparse(x) == ast.unparse(node.right):
            pi = ast.Attribute(ast.Name("torch", ast.Load()), "pi", ast.Load())
            return _call("sinc", ast.BinOp(x, ast.Div(), pi))
    return None


def _saturated_sigmoid(node: ast.expr) -> ast.expr | None:
    x = _one(node, "sigmoid")
    if x is None:
        return None
    return ast.BinOp(ast.Constant(1), ast.Sub(), _call("sigmoid", ast.UnaryOp(ast.USub(), x)))


def _clamped_root(node: ast.expr) -> ast.expr | None:
    """``clamp(sqrt(s), min=e)`` as ``sqrt(clamp(s, min=e**2))``."""
    if not (isinstance(node, ast.Call) and ast.unparse(node.func).endswith("clamp")):
        return None
    inner = _one(node.args[0], "sqrt") if len(node.args) == 1 else None
    if inner is None or len(node.keywords) != 1 or node.keywords[0].arg != "min":
        return None
    floor = ast.BinOp(node.keywords[0].value, ast.Pow(), ast.Constant(2))
    clamped = ast.Call(node.func, [inner], [ast.keyword("min", floor)])
    return _call("sqrt", clamped)


def _double_where(node: ast.expr) -> ast.expr | None:
    """Guard the arguments of both branches by the condition, so that no branch meets its pole."""
    found = _called(node, "where")
    if found is None or len(found) != 3:
        return None
    condition, first, second = found
    one = ast.Constant(1)
    return _call(
        "where",
        condition,
        _Guard(lambda name: _call("where", copy.deepcopy(condition), name, one)).visit(first),
        _Guard(lambda name: _call("where", copy.deepcopy(condition), one, name)).visit(second),
    )


class _Guard(ast.NodeTransformer):
    """Replaces the names inside calls and quotients of a branch."""

    def __init__(self, guarded: Callable[[ast.expr], ast.expr]) -> None:
        self.guarded = guarded
        self._depth = 0

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if "_like" in ast.unparse(node.func):
            return node
        self._depth += 1
        arguments = [self.visit(argument) for argument in node.args]
        self._depth -= 1
        return ast.Call(node.func, arguments, node.keywords)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        divides = isinstance(node.op, (ast.Div, ast.Pow))
        self._depth += divides
        result = ast.BinOp(self.visit(node.left), node.op, self.visit(node.right))
        self._depth -= divides
        return result

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.guarded(node) if self._depth else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return node


RULES: tuple[Rewrite, ...] = (
    _double_where,
    _log_of_sigmoid,
    _log_of_softmax,
    _log_of_ndtr,
    _log_of_one_plus_exp,
    _log_of_one_minus_exp,
    _log_of_sum_of_exp,
    _quotient_of_exps,
    _root_of_sum_of_squares,
    _root_of_two_squares,
    _root_of_variance,
    _sine_quotient,
    _clamped_root,
    _saturated_sigmoid,
)
