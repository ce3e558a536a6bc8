"""The words for Python that parses and is not in the language: message and hint of each refusal.

Every hint is made of the user's own text where that text says what was meant.
"""

import ast

from vjp_cli.errors import shorten
from vjp_cli.language import meaning
from vjp_cli.ops import catalog

Refusal = tuple[str, str]

_NODES = {
    ast.Lambda: ("a lambda", "write its body as the expression"),
    ast.ListComp: ("a list comprehension", ""),
    ast.SetComp: ("a set comprehension", ""),
    ast.DictComp: ("a dict comprehension", ""),
    ast.GeneratorExp: ("a generator", ""),
    ast.Dict: ("a dict", "an array is written [1, 2, 3]"),
    ast.Set: ("a set", "an array is written [1, 2, 3]"),
    ast.JoinedStr: ("an f-string", "strings are plain, as in reduction='sum'"),
    ast.Starred: ("a starred argument", "write the arguments one by one"),
    ast.Await: ("await", "leave it out"),
    ast.Yield: ("yield", "leave it out: the last statement is the output"),
    ast.YieldFrom: ("yield", "leave it out: the last statement is the output"),
    ast.Return: ("return", "leave it out: the last statement is the output"),
    ast.Import: ("an import", "torch's functions are known: write torch.exp(x)"),
    ast.ImportFrom: ("an import", "torch's functions are known: write torch.exp(x)"),
    ast.AnnAssign: ("a type annotation", "write NAME = expression"),
}
# a hint is cut: it has no room for more operands, and to find the text of each takes time
_SHOWN = 40
_WHOLE_ARRAYS = "operations work on whole arrays: 2*x doubles every element"
_ASSIGNMENTS = "write expressions and assignments: y = x + 2; y*y"

_OPERATORS = {
    ast.LShift: ("<<", "write x * 2**n"),
    ast.RShift: (">>", "write x // 2**n"),
    ast.Is: ("is", "write =="),
    ast.IsNot: ("is not", "write !="),
    ast.In: ("in", "write x == a for one value, (x == a) | (x == b) for two"),
    ast.NotIn: ("not in", "write x != a for one value, (x != a) & (x != b) for two"),
}


def refused(node: ast.AST, text: str) -> Refusal:
    """Message and hint for a node of a class that is not in the language."""
    name = type(node).__name__
    if isinstance(node, ast.IfExp):
        parts = (shorten(_written(part, text)) for part in (node.test, node.body, node.orelse))
        words, hint = "a conditional expression", f"write where({', '.join(parts)})"
    elif isinstance(node, ast.NamedExpr):
        words, hint = "':='", f"write {node.target.id} = ... as a statement of its own"
    elif isinstance(node, ast.AugAssign):
        words, hint = "an assignment in place", "write y = y + 1 for y += 1"
    elif isinstance(node, ast.BoolOp):
        return _boolean(node, text)
    elif isinstance(node, ast.stmt):
        words, hint = _NODES.get(type(node), ("a statement of this kind", _ASSIGNMENTS))
    else:
        words, hint = _NODES.get(type(node), ("this", ""))
    message = f"{words} ({name}) is not part of the expression language"
    return message, hint or _WHOLE_ARRAYS


def operator(node: ast.BinOp, text: str) -> Refusal:
    """Message and hint for an operator of numbers that the language lacks."""
    if isinstance(node.op, ast.BitXor):
        # '^' binds weaker than + and *, so only the text shows which power was meant
        power = text.replace("^", "**")
        return "'^' is exclusive or in Python, not a power", f"write {shorten(power)}"
    return _lacking(node.op)


def _lacking(kind: ast.operator | ast.cmpop) -> Refusal:
    symbol, hint = _OPERATORS[type(kind)]
    return f"the operator '{symbol}' is not part of the expression language", hint


def _boolean(node: ast.BoolOp, text: str) -> Refusal:
    word, symbol = ("and", "&") if isinstance(node.op, ast.And) else ("or", "|")
    parts = f" {symbol} ".join(_operand(value, text) for value in node.values[:_SHOWN])
    return f"'{word}' does not work element by element", f"write {shorten(parts)}"


def negation(node: ast.UnaryOp, text: str) -> Refusal:
    """Message and hint for ``not a``."""
    return "'not' does not work element by element", f"write ~{_operand(node.operand, text)}"


def comparison(node: ast.Compare, text: str) -> Refusal | None:
    """Message and hint for ``a is b``, ``a in b`` and a chain ``a < x < b``; None for ``a < b``."""
    for kind in node.ops:
        if type(kind) in _OPERATORS:
            return _lacking(kind)
    if len(node.ops) == 1:
        return None
    operands = [_operand(each, text) for each in (node.left, *node.comparators[:_SHOWN])]
    symbols = [_COMPARISONS[type(kind)] for kind in node.ops[:_SHOWN]]
    pairs = zip(operands[:-1], symbols, operands[1:], strict=True)
    parts = " & ".join(f"({left} {symbol} {right})" for left, symbol, right in pairs)
    return "a chain of comparisons does not work element by element", f"write {shorten(parts)}"


_COMPARISONS = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


def _written(node: ast.expr, text: str) -> str:
    return " ".join((ast.get_source_segment(text, node) or "").split())


def _operand(node: ast.expr, text: str) -> str:
    """The text of ``node``, in brackets unless it is one thing."""
    written = shorten(_written(node, text))
    single = ast.Name | ast.Constant | ast.Call | ast.Attribute | ast.Subscript
    return written if isinstance(node, single) else f"({written})"


def unknown_callee(node: ast.Call, text: str) -> Refusal:
    """Message and hint for a call that ``meaning.callee`` does not know."""
    function = node.func
    path = meaning.dotted(function)
    if isinstance(function, ast.Attribute) and not meaning.in_module(path):
        if path.partition(".")[0] in meaning.FOREIGN_MODULES:
            return _foreign(path)
        return _unknown_method(function.attr)
    if not path:
        arguments = ", ".join(_written(argument, text) for argument in node.args[:_SHOWN])
        product = f"{_operand(function, text)}*({arguments})"
        return "only a plain function name can be called", f"for a product write {shorten(product)}"
    if path == "float":
        return "float() takes only 'inf', '-inf' or 'nan'", "write any other number itself"
    return f"unknown function '{shorten(path)}'", _suggestion(path) or (
        f"for a product write {path}*(...)" if len(path) == 1 else _LISTED
    )


def _unknown_method(name: str) -> Refusal:
    if name.endswith("_") and catalog.find(name.rstrip("_")):
        hint = f"it changes its array: write .{name.rstrip('_')}()"
    else:
        hint = _suggestion(name) or _LISTED
    return f"method '.{shorten(name)}()' is not allowed", hint


def unknown_attribute(node: ast.Attribute) -> Refusal:
    """Message and hint for an attribute that ``meaning.attribute`` does not know."""
    path = meaning.dotted(node)
    quoted = shorten(path)
    if meaning.in_module(path):
        if catalog.find(path):
            return f"'{quoted}' is a function, not a value", f"call it: {quoted}(x)"
        if f"{path}." in catalog.PREFIXES:
            return (
                f"'{quoted}' is a module, not a value",
                "write a function of it, such as torch.exp",
            )
        return f"unknown name '{quoted}'", _suggestion(path) or _LISTED
    if path.partition(".")[0] in meaning.FOREIGN_MODULES:
        return _foreign(path)
    known = catalog.find(node.attr)
    return (
        f"attribute '.{shorten(node.attr)}' is not allowed",
        f"call it: .{node.attr}()" if known else _ATTRIBUTES,
    )


def _foreign(path: str) -> Refusal:
    module, _, name = path.partition(".")
    return (
        f"'{module}' is not part of the expression language",
        f"write torch.{shorten(name.rpartition('.')[2])}",
    )


def _suggestion(path: str) -> str:
    known = catalog.suggest(path)
    return f"did you mean '{known}'?" if known else ""


_LISTED = "vjp ops lists the functions"
_ATTRIBUTES = "there are .T .mT .real .imag .data .shape .ndim .dtype, and named results as .values"
