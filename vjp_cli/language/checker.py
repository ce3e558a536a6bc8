"""The check of an expression, node by node: what is not named here is refused.

It runs before anything is imported, and leaves nothing to check for the evaluator but values.
"""

import ast
from collections.abc import Callable
from typing import Any

from vjp_cli.errors import ExpressionError, LimitError, shorten
from vjp_cli.language import folding, meaning, refusals
from vjp_cli.language.folding import Number
from vjp_cli.language.meaning import AttributeKind
from vjp_cli.language.source import span
from vjp_cli.language.spots import Spot, misplaced_constant, misplaced_sequence
from vjp_cli.settings import LIMITS

Node = ast.expr | ast.stmt | ast.keyword


# They would write into an array that others still need.
_WRITING_ARGUMENTS = frozenset({"out", "inplace"})

# The rows whose second argument is an exponent, as the right side of ** is.
_POWERS = frozenset({"pow", "float_power"})


class Checker:
    """Walks the statements in order of evaluation; recursion ends at the limit of depth.

    The check of a node returns the number it stands for, None where only evaluation can tell.

    Attributes:
        text: what the statements were parsed from.
        inputs: as keys, in order of first use, the names that are used before they are assigned.
        assigned: the assigned names, each with the number it stands for.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.inputs: dict[str, None] = {}
        self.assigned: dict[str, Number | None] = {}

    def statement(self, node: ast.stmt, *, last: bool) -> None:
        """Check an assignment or, as the last statement, a bare expression.

        Raises:
            ExpressionError: it is not in the language.
            LimitError: it is nested too deeply, or a constant of it is too large.
        """
        match node:
            case ast.Expr() if not last:
                raise self._refused(
                    node,
                    "the value of a bare expression before the last statement is lost",
                    "give it a name (a = ...), or put brackets around an expression of many lines",
                )
            case ast.Expr(value=value):
                self._check(value, Spot.RESULT)
            case ast.Assign(targets=[target], value=value):
                self._assign(target, self._check(value, Spot.RESULT))
            case ast.Assign():
                raise self._refused(node, "an assignment has one target", "write a = ...; b = a")
            case _:
                raise self._refused(node, *refusals.refused(node, self.text))

    def _refused(self, node: Node, message: str, hint: str) -> ExpressionError:
        return ExpressionError(message, hint, span(self.text, node))

    def _assign(self, target: ast.expr, number: Number | None) -> None:
        names = [target]
        if isinstance(target, ast.Tuple) and target.elts:
            names, number = target.elts, None
        for name in names:
            if not isinstance(name, ast.Name):
                raise self._refused(
                    name,
                    "only a name, or a tuple of names, can be assigned to",
                    "to change a part of an array write where(mask, new, old)",
                )
            self._allow(name)
            self.assigned[name.id] = number

    def _allow(self, node: ast.Name) -> None:
        if node.id.startswith("__"):
            raise self._refused(
                node,
                f"name '{shorten(node.id)}' is not allowed",
                "a name begins with one underscore at most",
            )
        if node.id == "torch":
            raise self._refused(
                node, "'torch' is a module, not a value", "write a function of it: torch.exp(x)"
            )

    def _check(self, node: ast.expr, spot: Spot, depth: int = 1) -> Number | None:
        if depth > LIMITS.depth:
            raise LimitError(
                f"the expression is nested more than {LIMITS.depth} levels deep",
                "name its parts: a = ...; b = ... a ...",
                span(self.text, node),
            )
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise self._refused(node, *refusals.refused(node, self.text))
        return handler(self, node, spot, depth)

    def _constant(self, node: ast.Constant, spot: Spot, depth: int) -> Number | None:
        if isinstance(node.value, int | float | complex):
            return folding.literal(node.value, span(self.text, node))
        if refusal := misplaced_constant(node.value, spot):
            raise self._refused(node, *refusal)
        return None

    def _name(self, node: ast.Name, spot: Spot, depth: int) -> Number | None:
        self._allow(node)
        if node.id not in self.assigned:
            self.inputs[node.id] = None
        return self.assigned.get(node.id)

    def _operation(self, node: ast.BinOp, spot: Spot, depth: int) -> Number | None:
        first, steps = meaning.flatten(node)
        left = self._check(first, Spot.OPERAND, depth + 1)
        for step, operand in steps:
            if type(step.op) not in folding.BINARY_OPERATORS:
                raise self._refused(step, *refusals.operator(step, self.text))
            right = self._check(operand, Spot.OPERAND, depth + 1)
            if left is not None and right is not None:
                left = folding.binary(step.op, left, right, span(self.text, step))
            else:
                left = None
                if right is not None and isinstance(step.op, ast.Pow):
                    folding.exponent(right, span(self.text, operand))
        return left

    def _sign(self, node: ast.UnaryOp, spot: Spot, depth: int) -> Number | None:
        if isinstance(node.op, ast.Not):
            raise self._refused(node, *refusals.negation(node, self.text))
        value = self._check(node.operand, Spot.OPERAND, depth + 1)
        return None if value is None else folding.unary(node.op, value, span(self.text, node))

    def _comparison(self, node: ast.Compare, spot: Spot, depth: int) -> None:
        if refusal := refusals.comparison(node, self.text):
            raise self._refused(node, *refusal)
        for operand in (node.left, *node.comparators):
            self._check(operand, Spot.OPERAND, depth + 1)

    def _subscript(self, node: ast.Subscript, spot: Spot, depth: int) -> None:
        self._array(node.value, Spot.RESULT, depth + 1)
        self._check(node.slice, Spot.INDEX, depth + 1)

    def _array(self, node: ast.expr, spot: Spot, depth: int) -> None:
        if self._check(node, spot, depth) is not None:
            raise self._refused(
                node, "a number is not an array", "only arrays have indices and attributes"
            )

    def _slice(self, node: ast.Slice, spot: Spot, depth: int) -> None:
        for bound in (node.lower, node.upper, node.step):
            if bound is not None:
                self._check(bound, Spot.OPERAND, depth + 1)

    def _tuple(self, node: ast.Tuple, spot: Spot, depth: int) -> None:
        if refusal := misplaced_sequence("tuple", not node.elts, spot):
            raise self._refused(node, *refusal)
        for element in node.elts:
            self._check(element, spot.of_tuple, depth + 1)

    def _list(self, node: ast.List, spot: Spot, depth: int) -> None:
        if refusal := misplaced_sequence("list", not node.elts, spot):
            raise self._refused(node, *refusal)
        for element in node.elts:
            self._check(element, spot.of_list, depth + 1)

    def _attribute(self, node: ast.Attribute, spot: Spot, depth: int) -> Number | None:
        found = meaning.attribute(node)
        if found is None:
            raise self._refused(node, *refusals.unknown_attribute(node))
        if found.kind is AttributeKind.NUMBER:
            return found.number
        if found.kind is not AttributeKind.DTYPE:
            self._array(node.value, Spot.OPERAND, depth + 1)
        elif spot is not Spot.ARGUMENT:
            raise self._refused(
                node,
                "a dtype is allowed only as the value of an argument",
                f"as in x.to({meaning.dotted(node)})",
            )
        return None

    def _call(self, node: ast.Call, spot: Spot, depth: int) -> Number | None:
        callee = meaning.callee(node)
        if callee is None:
            raise self._refused(node.func, *refusals.unknown_callee(node, self.text))
        if callee.number is not None:
            return callee.number
        arguments = []
        if callee.receiver is not None:
            arguments.append(self._check(callee.receiver, Spot.OPERAND, depth + 1))
        arguments += [self._check(each, Spot.ARGUMENT, depth + 1) for each in node.args]
        named = {each.arg: self._keyword(each, depth) for each in node.keywords}
        if len(named) < len(node.keywords):
            raise self._refused(node, "an argument is given twice", "give it once")
        if callee.query and len(arguments) - 1 + len(named) > meaning.QUERIES[callee.query]:
            raise self._refused(
                node, f"too many arguments for '.{callee.query}()'", "as in x.size(0), x.numel()"
            )
        if callee.op and callee.op.name in _POWERS:
            for exponent in (*arguments[1:2], named.get("exponent")):
                if exponent is not None:
                    folding.exponent(exponent, span(self.text, node))
        return None

    def _keyword(self, node: ast.keyword, depth: int) -> Number | None:
        if node.arg is None:
            raise self._refused(
                node, "** arguments are not allowed", "write the arguments one by one"
            )
        # a plain False asks for what happens without the argument
        off = isinstance(node.value, ast.Constant) and node.value.value is False
        if node.arg.startswith("_") or (node.arg in _WRITING_ARGUMENTS and not off):
            raise self._refused(
                node, f"argument '{shorten(node.arg)}' is not allowed", "leave it out"
            )
        return self._check(node.value, Spot.ARGUMENT, depth + 1)


_HANDLERS: dict[type[ast.expr], Callable[[Checker, Any, Spot, int], Number | None]] = {
    ast.Constant: Checker._constant,
    ast.Name: Checker._name,
    ast.BinOp: Checker._operation,
    ast.UnaryOp: Checker._sign,
    ast.Compare: Checker._comparison,
    ast.Subscript: Checker._subscript,
    ast.Slice: Checker._slice,
    ast.Tuple: Checker._tuple,
    ast.List: Checker._list,
    ast.Attribute: Checker._attribute,
    ast.Call: Checker._call,
}
