"""One evaluation of a checked expression: the tree is walked and torch's functions are called."""

import ast
import operator
from collections.abc import Callable
from typing import Any

from vjp_cli.errors import EvaluationError, LimitError, VjpError, out_of_memory, shorten
from vjp_cli.expression import Expression, place
from vjp_cli.forecast import refuse_beyond_memory
from vjp_cli.language import folding, meaning
from vjp_cli.language.meaning import AttributeKind
from vjp_cli.lazy import torch
from vjp_cli.observer import Observer
from vjp_cli.operators import BINARY, COMPARISONS, NUMBERS, UNARY
from vjp_cli.ops.table import Kind, Op
from vjp_cli.tracing.node import OutOfTime
from vjp_cli.tracing.positions import flatten
from vjp_cli.tracing.registry import torch_function
from vjp_cli.tracing.tracer import Tracer, Untraceable


class Walk:
    """One evaluation of the checked tree."""

    def __init__(
        self, expression: Expression, names: dict[str, Any], observer: Observer, dtype: str
    ) -> None:
        self.expression = expression
        self.names = names
        self.observer = observer
        self.dtype = dtype

    def run(self) -> Any:
        """The value of the last statement, which must be one tensor."""
        value: Any = None
        for statement in self.expression.statements:
            assert isinstance(statement, (ast.Assign, ast.Expr))
            value = self.value(statement.value)
            if isinstance(statement, ast.Assign):
                self.assign(statement.targets[0], value)
        value = self.stacked(statement, value)
        if isinstance(value, tuple):
            raise EvaluationError(
                f"the result has {len(value)} parts",
                "choose one with an index, for example [0]",
                place(self.expression, statement),
            )
        if not isinstance(value, (torch.Tensor, Tracer)):
            raise EvaluationError(
                f"the result is {shorten(repr(value))}, which depends on no input",
                place=place(self.expression, statement),
            )
        return value

    def assign(self, target: ast.expr, value: Any) -> None:
        """Give a name, or a tuple of names, its value."""
        if isinstance(target, ast.Name):
            self.names[target.id] = value
            self.observer.named(target.id, value)
            return
        assert isinstance(target, ast.Tuple)
        try:
            parts = tuple(value)
        except TypeError:
            raise EvaluationError(
                f"one value for {len(target.elts)} names", place=place(self.expression, target)
            ) from None
        if len(parts) != len(target.elts):
            raise EvaluationError(
                f"{len(parts)} values for {len(target.elts)} names",
                place=place(self.expression, target),
            )
        for name, part in zip(target.elts, parts, strict=True):
            self.assign(name, part)

    # -- one method a node ----------------------------------------------------------------------

    def value(self, node: ast.expr) -> Any:
        """The value of any node."""
        method = getattr(self, f"_{type(node).__name__.lower()}")
        return method(node)

    def attempt(
        self, node: ast.expr | ast.stmt, function: Callable[..., Any], *args: Any, **kw: Any
    ) -> Any:
        """Call torch for one node; its refusal becomes an error at the node's place."""
        where = place(self.expression, node)
        self.observer.enter(where)
        refuse_beyond_memory(function, args, kw, where)
        try:
            result = function(*args, **kw)
        except (VjpError, Untraceable, OutOfTime):
            raise
        except Exception as error:
            if out_of_memory(error):
                raise LimitError("there is not enough memory for this", place=where) from error
            raise EvaluationError(_said(error), place=where) from error
        self.observer.leave(where, result, (*args, *kw.values()))
        return result

    def _name(self, node: ast.Name) -> Any:
        return self.names[node.id]

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _list(self, node: ast.List) -> Any:
        return [self.value(item) for item in node.elts]

    def _tuple(self, node: ast.Tuple) -> Any:
        return tuple(self.value(item) for item in node.elts)

    def _binop(self, node: ast.BinOp) -> Any:
        first, steps = meaning.flatten(node)
        result = self.operand(first)
        for step, right in steps:
            result = self.binary(step, result, self.operand(right))
        return result

    def binary(self, node: ast.BinOp, left: Any, right: Any) -> Any:
        """One operator; arithmetic of plain numbers is bounded as it was while checking."""
        where = place(self.expression, node)
        if isinstance(left, NUMBERS) and isinstance(right, NUMBERS):
            return folding.binary(node.op, left, right, where)
        if isinstance(node.op, ast.Pow) and isinstance(right, NUMBERS):
            folding.exponent(right, where)
        return self.attempt(node, BINARY[type(node.op)], left, right)

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.operand(node.operand)
        if isinstance(value, NUMBERS):
            return folding.unary(node.op, value, place(self.expression, node))
        return self.attempt(node, UNARY[type(node.op)], value)

    def _compare(self, node: ast.Compare) -> Any:
        left, right = self.operand(node.left), self.operand(node.comparators[0])
        return self.attempt(node, COMPARISONS[type(node.ops[0])], left, right)

    def _subscript(self, node: ast.Subscript) -> Any:
        owner = self.stacked(node.value, self.value(node.value))
        return self.attempt(node, operator.getitem, owner, self.index(node.slice))

    def index(self, node: ast.expr) -> Any:
        """What stands between square brackets, as Python's indexing wants it."""
        if isinstance(node, ast.Slice):
            bounds = (node.lower, node.upper, node.step)
            return slice(*[None if bound is None else self.value(bound) for bound in bounds])
        if isinstance(node, ast.Tuple):
            return tuple(self.index(item) for item in node.elts)
        return self.value(node)

    def _attribute(self, node: ast.Attribute) -> Any:
        found = meaning.attribute(node)
        assert found is not None
        if found.kind is AttributeKind.NUMBER:
            return found.number
        if found.kind is AttributeKind.DTYPE:
            return getattr(torch, found.name)
        owner = self.value(node.value)
        if found.kind is AttributeKind.FIELD:
            return self.attempt(node, _field, owner, found.name)
        if found.name == "data":
            return self.attempt(
                node, lambda tensor: tensor.detach(), self.stacked(node.value, owner)
            )
        return self.attempt(node, getattr, self.stacked(node.value, owner), found.name)

    def _call(self, node: ast.Call) -> Any:
        called = meaning.callee(node)
        assert called is not None
        if called.number is not None:
            return called.number
        receiver = [] if called.receiver is None else [self.value(called.receiver)]
        args = [*receiver, *[self.value(argument) for argument in node.args]]
        if called.op is None:
            return self.attempt(node, getattr(args[0], called.query), *args[1:])
        kwargs = {str(k.arg): self.value(k.value) for k in node.keywords}
        args = [self.argument(node, called.op, value) for value in args]
        result = self.attempt(node, self.function(called.op, bool(receiver)), *args, **kwargs)
        return self.observer.lift(result) if called.op.kind is Kind.CONSTANT else result

    def function(self, op: Op, method: bool) -> Callable[..., Any]:
        """Torch's function of the row; for a method call the method, where torch has one."""
        name = op.torch.rpartition(".")[2]
        if op.torch.startswith("Tensor.") or (method and hasattr(torch.Tensor, name)):
            return lambda owner, *args, **kwargs: getattr(owner, name)(*args, **kwargs)
        function: Callable[..., Any] = torch_function(op)
        return function

    # -- lists ----------------------------------------------------------------------------------

    def operand(self, node: ast.expr) -> Any:
        """The value of an operand: a list of numbers is a tensor there."""
        value = self.stacked(node, self.value(node))
        if isinstance(value, tuple) and not hasattr(value, "_fields"):
            raise EvaluationError(
                "a tuple is not an operand",
                "take one part, for example [0]",
                place(self.expression, node),
            )
        if isinstance(value, list):
            dtype = _holding(getattr(torch, self.dtype), value)
            value = self.observer.lift(torch.tensor(value, dtype=dtype))
        return value

    def argument(self, node: ast.Call, op: Op, value: Any) -> Any:
        """An argument as the operation takes it: several tensors, or the one that they stack to."""
        if not op.lists:
            return self.stacked(node, value)
        # a factory makes one tensor of a list of numbers by itself
        return value if op.kind is Kind.CONSTANT else self.several(node, value)

    def stacked(self, node: ast.expr | ast.stmt, value: Any) -> Any:
        """A list that holds tensors as one tensor; anything else as it is."""
        if not isinstance(value, list):
            return value
        parts = self.several(node, value)
        whole = any(isinstance(part, (torch.Tensor, Tracer)) for part in parts)
        return self.attempt(node, torch.stack, parts) if whole else value

    def several(self, node: ast.expr | ast.stmt, value: Any) -> Any:
        """A list that holds tensors with all its items as tensors; anything else as it is."""
        if not isinstance(value, (list, tuple)) or hasattr(value, "_fields"):
            return value
        parts = [self.stacked(node, item) for item in value]
        model = next((part for part in parts if isinstance(part, (torch.Tensor, Tracer))), None)
        if model is None:
            return value
        return [
            self.observer.lift(torch.tensor(part, dtype=_holding(model.dtype, part)))
            if isinstance(part, (*NUMBERS, list))
            else part
            for part in parts
        ]


def _holding(dtype: "torch.dtype", numbers: Any) -> "torch.dtype":
    """The dtype, or the complex one of its parts where a number needs it."""
    if any(isinstance(number, complex) for number in flatten(numbers)):
        return dtype.to_complex()
    return dtype


def _field(owner: Any, name: str) -> Any:
    if isinstance(owner, (torch.Tensor, Tracer)) or not hasattr(owner, name):
        raise AttributeError(f"there is no result named {name!r} here")
    return getattr(owner, name)


def _said(error: Exception) -> str:
    """Torch's own words, on one line and without its internals."""
    text = str(error).strip().split("\n")[0] or type(error).__name__
    return shorten(text, 200)
