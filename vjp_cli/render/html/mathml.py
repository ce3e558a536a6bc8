"""MathML for the program's own formulas, which are written in Python's syntax.

What is not understood is shown as text, so that nothing is ever lost or acted on.
"""

import ast
import re
from html import escape

from vjp_cli.errors import clean
from vjp_cli.notation import partial
from vjp_cli.report import FormulaGroup

# how strongly an operation binds: what binds less than its surroundings needs parentheses
_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(1, 6)
_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "&lt;",
    ast.LtE: "≤",
    ast.Gt: "&gt;",
    ast.GtE: "≥",
    ast.Eq: "=",
    ast.NotEq: "≠",
}
_NUMBERED = re.compile(r"([^\W\d_]+)_?(\d+)")
_GREEK = {
    name: letter
    for letter, name in zip(
        "αβγδεζηθικλμνξπρστυφχψω",
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "  # noqa: SIM905
        "upsilon phi chi psi omega".split(),
        strict=True,
    )
}


class _UnknownSyntaxError(Exception):
    """A formula that is shown as text."""


def equation(group: FormulaGroup) -> str:
    """``∂y_i/∂x_i = 4x_i + 8`` as a ``math`` element."""
    sides = _row(_where(group.where), _op("="), formula(group.formula))
    return f'<math display="block">{sides}</math>'


def formula(text: str) -> str:
    """A formula as MathML; one that is cut or said in words as text."""
    try:
        return _write(_parsed(text), _SUM)
    except _UnknownSyntaxError:
        return f"<mtext>{escape(clean(text))}</mtext>"


def _where(text: str) -> str:
    sides = partial(text)
    if sides is None:
        return formula(text)
    above, below = (_row(_op("∂"), formula(side)) for side in sides)
    return f"<mfrac>{above}{below}</mfrac>"


def _parsed(text: str) -> ast.expr:
    # an element of many has dots or a star for its index
    text = re.sub(r"\[(\.\.\.|\*)\]", "[...]", text)
    # lambda is a name here
    text = re.sub(r"\blambda\b", "lambda_", text)
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _UnknownSyntaxError from error


def _write(node: ast.expr, binding: int) -> str:
    written, own = _bound(node)
    return written if own >= binding else _row(_op("("), written, _op(")"))


def _bound(node: ast.expr) -> tuple[str, int]:
    """The MathML of a node, and how strongly its own operation binds."""
    match node:
        case ast.Constant(value=bool() as value):
            return f"<mi>{value}</mi>", _ATOM
        case ast.Constant(value=int() | float() as value):
            return _number(repr(value))
        case ast.Name(id=name):
            return _name(name), _ATOM
        case ast.Attribute():
            return _name(_dotted(node)), _ATOM
        case ast.Subscript(value=value, slice=index):
            return f"<msub>{_write(value, _ATOM)}{_index(index)}</msub>", _ATOM
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _row(_op("−"), _write(operand, _PRODUCT)), _SIGN
        case ast.BinOp():
            return _operation(node)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _call(name, arguments), _ATOM
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARED:
            sides = _write(left, _SUM), _op(_COMPARED[type(op)]), _write(right, _SUM)
            return _row(*sides), 0
        case _:
            raise _UnknownSyntaxError


def _operation(node: ast.BinOp) -> tuple[str, int]:
    left, right = node.left, node.right
    match node.op:
        case ast.Add():
            return _row(_write(left, _SUM), _op("+"), _write(right, _SUM)), _SUM
        case ast.Sub():
            return _row(_write(left, _SUM), _op("−"), _write(right, _PRODUCT)), _SUM
        case ast.Mult():
            sign = _op("⋅") if isinstance(right, ast.Constant) else "<mo>&#x2062;</mo>"
            return _row(_write(left, _PRODUCT), sign, _write(right, _PRODUCT)), _PRODUCT
        case ast.Div():
            return f"<mfrac>{_write(left, _SUM)}{_write(right, _SUM)}</mfrac>", _PRODUCT
        case ast.Pow():
            return f"<msup>{_write(left, _ATOM)}{_write(right, _SUM)}</msup>", _POWER
        case _:
            raise _UnknownSyntaxError


def _call(name: str, arguments: list[ast.expr]) -> str:
    written = [_write(each, 0) for each in arguments if not isinstance(each, ast.Tuple)]
    match name, written:
        case "sqrt", [inner]:
            return f"<msqrt>{inner}</msqrt>"
        case "exp", [inner]:
            return f"<msup><mi>e</mi>{inner}</msup>"
        case "Abs", [inner]:
            return _row(_op("|"), inner, _op("|"))
        case "Piecewise", _:
            return _cases(arguments)
    if len(written) != len(arguments):
        raise _UnknownSyntaxError
    inside = "<mo>,</mo>".join(written)
    return _row(f"<mi>{escape(name)}</mi>", "<mo>&#x2061;</mo>", _op("("), inside, _op(")"))


def _cases(arguments: list[ast.expr]) -> str:
    rows = []
    for each in arguments:
        if not (isinstance(each, ast.Tuple) and len(each.elts) == 2):
            raise _UnknownSyntaxError
        value, condition = each.elts
        always = isinstance(condition, ast.Constant) and condition.value is True
        words = (
            "<mtext>otherwise</mtext>"
            if always
            else _row("<mtext>if&#160;</mtext>", _write(condition, 0))
        )
        rows.append(f"<mtr><mtd>{_write(value, 0)}</mtd><mtd>{words}</mtd></mtr>")
    return _row(_op("{"), f"<mtable>{''.join(rows)}</mtable>")


def _index(node: ast.expr) -> str:
    match node:
        case ast.Tuple(elts=elements):
            return _row("<mo>,</mo>".join(_index(each) for each in elements))
        case ast.Constant(value=value) if value is ...:
            return "<mo>…</mo>"
        case _:
            return _write(node, _SUM)


def _dotted(node: ast.expr) -> str:
    match node:
        case ast.Attribute(value=value, attr=attribute):
            return f"{_dotted(value)}.{attribute}"
        case ast.Name(id=name):
            return name
        case _:
            raise _UnknownSyntaxError


def _name(name: str) -> str:
    name = "lambda" if name == "lambda_" else name
    numbered = _NUMBERED.fullmatch(name)
    if numbered:
        return f"<msub>{_name(numbered[1])}<mn>{numbered[2]}</mn></msub>"
    return f"<mi>{escape(_GREEK.get(name, name))}</mi>"


def _number(digits: str) -> tuple[str, int]:
    mantissa, _, exponent = digits.partition("e")
    if not exponent:
        return f"<mn>{digits}</mn>", _ATOM
    power = f"<msup><mn>10</mn><mn>{int(exponent)}</mn></msup>"
    return _row(f"<mn>{mantissa}</mn>", _op("⋅"), power), _PRODUCT


def _op(sign: str) -> str:
    return f"<mo>{sign}</mo>"


def _row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"
