"""An expression: the text a user typed, parsed and checked, never given to ``eval`` or to SymPy.

The language is the closed subset of Python that the modules of ``vjp_cli.language`` describe.
"""

import ast
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING

from vjp_cli.errors import Place
from vjp_cli.language.source import read, span, tree
from vjp_cli.lazy import checking

if TYPE_CHECKING:
    from vjp_cli.language.checker import Checker


@dataclass(frozen=True)
class Expression:
    """A checked expression.

    Attributes:
        source: the text that was parsed; places count its characters.
        statements: assignments to a name or a tuple of names; the last may be a bare expression.
        names: the inputs: the names that are used before they are assigned, in order of first use.
        output: the name of the output; never that of an input.
    """

    source: str
    statements: tuple[ast.stmt, ...]
    names: tuple[str, ...]
    output: str


def parse(source: str) -> Expression:
    """Read and check an expression.

    Raises:
        ExpressionError: it is not in the language.
        LimitError: it is longer or deeper, or has larger constants, than the limits allow.
    """
    text = read(source)
    statements = tree(text)
    checker: Checker = checking.Checker(text)
    for statement in statements[:-1]:
        checker.statement(statement, last=False)
    checker.statement(statements[-1], last=True)
    inputs = tuple(checker.inputs)
    return Expression(text, tuple(statements), inputs, _output(statements[-1], checker))


def _output(last: ast.stmt, checker: "Checker") -> str:
    """The last target, or a bare name that was assigned, or the first name that is free."""
    match last:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.Expr(value=ast.Name(id=name)):
            if name not in checker.inputs:
                return name
    free = chain("yzw", (f"y{number}" for number in count(1)))
    return next(n for n in free if n not in checker.inputs and n not in checker.assigned)


def place(expression: Expression, node: ast.expr | ast.stmt | ast.keyword) -> Place:
    """The characters of the expression that ``node`` was parsed from."""
    return span(expression.source, node)
