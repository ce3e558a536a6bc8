"""SymPy formulas of one operation, compiled for columns of exact numbers.

A formula is short (one operation of a program), has placeholder symbols for its arguments, and is
compiled once into a list of steps that run over whole columns. SymPy differentiates each formula
once per argument; the derivative is a formula again. SymPy never sees a number of the program.
"""

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Any

from vjp_cli.lazy import flint, numpy, sympy
from vjp_cli.numbers import functions
from vjp_cli.numbers.near import Near
from vjp_cli.numbers.near_functions import counterpart
from vjp_cli.numbers.scalar import Number
from vjp_cli.numbers.sharing import repeated

Column = list[Number]
_Step = tuple[Callable[..., Number], tuple[int, ...]]


class DifferentiationCount:
    """How often SymPy was asked to differentiate; tests hold it to one per distinct formula."""

    value = 0


@cache
def slots(count: int) -> "tuple[sympy.Dummy, ...]":
    """The placeholder symbols for ``count`` arguments: the same ones in every formula."""
    return tuple(_slot(index) for index in range(count))


@cache
def _slot(index: int) -> "sympy.Dummy":
    # real, or SymPy's derivatives fill with re() and im(); a Dummy equals no symbol of a user
    return sympy.Dummy(f"p{index}", real=True)


class Formula:
    """A SymPy expression in the placeholders ``slots(arity)``.

    Make one with ``formula``, which gives the same object for the same expression.
    """

    def __init__(self, expression: Any, arity: int) -> None:
        self.expression = expression
        self.arity = arity
        self._derivatives: dict[int, Formula] = {}

    @cached_property
    def used(self) -> tuple[int, ...]:
        """The arguments that occur in the expression."""
        symbols = self.expression.free_symbols
        return tuple(k for k, slot in enumerate(slots(self.arity)) if slot in symbols)

    @cached_property
    def constant(self) -> Number | None:
        """The rational value of a formula without arguments, else None."""
        if self.expression.is_Rational:
            return _rational(self.expression)
        return None

    def derivative(self, argument: int) -> "Formula":
        """The derivative with respect to one argument, by SymPy."""
        known = self._derivatives.get(argument)
        if known is None:
            DifferentiationCount.value += 1
            result = sympy.diff(self.expression, slots(self.arity)[argument])
            known = self._derivatives[argument] = formula(result, self.arity)
        return known

    @cached_property
    def _steps(self) -> "list[_Step]":
        return _Compiler(slots(self.arity)).compile(self.expression)

    @cached_property
    def _near_steps(self) -> "list[tuple[Callable[..., Near], tuple[int, ...]]] | None":
        found = []
        for function, arguments in self._steps:
            near = counterpart(function)
            if near is None:
                return None
            found.append((near, arguments))
        return found

    def near(self, columns: "Sequence[Near | None]", size: int) -> "Near | None":
        """The formula at ``size`` points to about 19 digits; None where it has to be exact.

        Args:
            columns: for each argument its numbers (unused arguments may be None).
            size: the number of points.
        """
        if self._near_steps is None:
            return None
        registers: list[Any] = list(columns)
        with numpy.errstate(all="ignore"):
            for function, arguments in self._near_steps:
                registers.append(function(*[registers[k] for k in arguments]))
        found: Near = registers[-1] if self._steps else registers[self.used[0]]
        return found if len(found.value) == size else found.take(numpy.zeros(size, dtype=int))

    def evaluate(self, columns: Sequence[Column], size: int) -> Column:
        """The formula at ``size`` points.

        Args:
            columns: for each argument its ``size`` numbers (unused arguments may be empty).
            size: the number of points.
        """
        groups = repeated([columns[k] for k in self.used])
        if groups is not None:
            firsts, places = groups
            few = [[column[k] for k in firsts] if column else column for column in columns]
            found = self.evaluate(few, len(firsts))
            return [found[place] for place in places]
        registers: list[Column] = list(columns)
        for function, arguments in self._steps:
            if arguments:
                operands = [registers[k] for k in arguments]
                registers.append([function(*point) for point in zip(*operands, strict=True)])
            else:
                registers.append([function()] * size)
        return registers[-1] if self._steps else list(columns[self.used[0]])


@cache
def formula(expression: Any, arity: int) -> Formula:
    """The formula of a SymPy expression in ``slots(arity)``; one object per expression."""
    return Formula(sympy.sympify(expression), arity)


def _rational(expression: Any) -> "flint.fmpq":
    return flint.fmpq(int(expression.p), int(expression.q))


class _Compiler:
    """Turns a SymPy tree into steps over registers; equal sub-expressions share a register."""

    def __init__(self, symbols: tuple[Any, ...]) -> None:
        self.registers: dict[Any, int] = {symbol: k for k, symbol in enumerate(symbols)}
        self.count = len(symbols)
        self.steps: list[_Step] = []

    def compile(self, expression: Any) -> list[_Step]:
        self.visit(expression)
        return self.steps

    def emit(self, key: Any, function: Callable[..., Number], *arguments: int) -> int:
        self.steps.append((function, arguments))
        self.registers[key] = self.count
        self.count += 1
        return self.count - 1

    def visit(self, node: Any) -> int:
        known = self.registers.get(node)
        if known is not None:
            return known
        if node.is_Rational:
            value = _rational(node)
            return self.emit(node, functions.Literal(lambda: value))
        if node.is_Add:
            return self.fold(node, node.args, functions.add)
        if node.is_Mul:
            return self.product(node)
        if node.is_Pow:
            return self.power(node)
        return self.function(node)

    def fold(self, key: Any, terms: Sequence[Any], function: Callable[..., Number]) -> int:
        registers = [self.visit(term) for term in terms]
        result = registers[0]
        for index, register in enumerate(registers[1:], start=1):
            done = index == len(registers) - 1
            result = self.emit(key if done else (key, index), function, result, register)
        return result

    def product(self, node: Any) -> int:
        below = [factor for factor in node.args if _is_reciprocal(factor)]
        if below:
            above = [factor for factor in node.args if not _is_reciprocal(factor)]
            denominator = sympy.Mul(*[1 / factor for factor in below])
            return self.emit(
                node, functions.divide, self.visit(sympy.Mul(*above)), self.visit(denominator)
            )
        if node.args[0] == -1:
            return self.emit(node, functions.negate, self.visit(sympy.Mul(*node.args[1:])))
        return self.fold(node, node.args, functions.multiply)

    def power(self, node: Any) -> int:
        base, exponent = node.base, node.exp
        if base == sympy.E:
            return self.emit(node, functions.FUNCTIONS["exp"], self.visit(exponent))
        if exponent.is_Integer:
            n = int(exponent)
            return self.emit(node, functions.IntegerPower(n), self.visit(base))
        if exponent == sympy.Rational(1, 2):
            return self.emit(node, functions.sqrt, self.visit(base))
        if exponent == sympy.Rational(-1, 2):
            return self.emit(node, functions.inverse_sqrt, self.visit(base))
        return self.emit(node, functions.power, self.visit(base), self.visit(exponent))

    def function(self, node: Any) -> int:
        if node is sympy.pi:
            return self.emit(node, functions.Literal(lambda: flint.arb.pi()))
        if node is sympy.E:
            return self.emit(node, functions.Literal(lambda: flint.arb(1).exp()))
        name = type(node).__name__
        if name == "exp" and len(node.args) == 1:
            return self.emit(node, functions.FUNCTIONS["exp"], self.visit(node.args[0]))
        known = functions.FUNCTIONS.get(name)
        if name in ("Derivative", "Subs"):
            return self.emit(node, functions.FUNCTIONS[name])
        if known is None:
            raise NotImplementedError(f"no exact evaluation for {name}")
        return self.emit(node, known, *[self.visit(argument) for argument in node.args])


def _is_reciprocal(factor: Any) -> bool:
    return bool(factor.is_Pow and factor.base != sympy.E and factor.exp.could_extract_minus_sign())
