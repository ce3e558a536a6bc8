"""Arithmetic of Python numbers that never costs more than the limits allow.

The checker folds the constants of an expression with it, before anything is imported, and the
evaluator uses it wherever both operands are Python numbers (sizes, for example): ``9**9**9`` must
not be computed in either place.
"""

import ast
import cmath

from vjp_cli.errors import ExpressionError, LimitError, Place
from vjp_cli.operators import BINARY
from vjp_cli.settings import LIMITS

Number = int | float | complex

BINARY_OPERATORS = frozenset(BINARY)
_AS_A_FLOAT = "write it as a float: 9.0**99"


def literal(value: Number, place: Place) -> Number:
    """``value``, which the text writes as a number.

    Raises:
        LimitError: an integer that no float holds.
        ExpressionError: a float that has become infinite by reading it.
    """
    if isinstance(value, int):
        if value.bit_length() > 1024:
            raise LimitError("an integer in the expression is too large", _AS_A_FLOAT, place)
    elif not cmath.isfinite(value):
        raise ExpressionError(
            "a number in the expression overflows to infinity",
            "write float('inf') for infinity",
            place,
        )
    return value


def unary(kind: ast.unaryop, value: Number, place: Place) -> Number:
    """``-value``, ``+value`` or ``~value`` (of a bool: the other bool, as for a mask).

    Raises:
        ExpressionError: ``~`` of a number that is no integer.
    """
    if isinstance(kind, ast.USub):
        return -value
    if isinstance(kind, ast.UAdd):
        return +value
    if isinstance(value, bool):
        return not value
    if not isinstance(value, int):
        raise ExpressionError("'~' works on masks and integers", "write -x for a sign", place)
    return ~value


def binary(kind: ast.operator, left: Number, right: Number, place: Place) -> Number:
    """``left`` and ``right`` under the operator ``kind``, one of ``BINARY_OPERATORS``.

    Raises:
        LimitError: an exponent or an integer beyond the limits, found before it is computed.
        ExpressionError: a division by zero, an overflow, a complex result of real numbers, or an
            operator that numbers do not have.
    """
    if isinstance(kind, ast.Pow):
        exponent(right, place)
    if isinstance(left, int) and isinstance(right, int):
        _bits(_least_bits(kind, left, right), place)
    try:
        value: Number = BINARY[type(kind)](left, right)
    except ZeroDivisionError:
        raise ExpressionError(
            "division by the constant zero", "write float('inf') for infinity", place
        ) from None
    except OverflowError:
        raise _overflow(place) from None
    except TypeError:
        raise ExpressionError(
            "numbers do not have this operator", "@ takes arrays, & and | take masks", place
        ) from None
    if isinstance(value, int):
        _bits(value.bit_length(), place)
    elif not cmath.isfinite(value) and _finite(left) and _finite(right):
        raise _overflow(place)
    if isinstance(value, complex) and not (isinstance(left, complex) or isinstance(right, complex)):
        raise ExpressionError(
            "a constant in the expression is complex",
            "write a complex number if you mean one: (-8 + 0j)**0.5",
            place,
        )
    return value


def exponent(value: Number, place: Place) -> None:
    """Refuse an exponent whose exact powers would not finish.

    Raises:
        LimitError: a finite ``value`` beyond the limit in absolute value.
    """
    parts = (value.real, value.imag) if isinstance(value, complex) else (value,)
    if _finite(value) and any(abs(part) > LIMITS.exponent for part in parts):
        shown = f" {value}" if abs(parts[0]) < 1e15 else ""
        raise LimitError(
            f"the exponent{shown} is larger than {LIMITS.exponent} in absolute value",
            "exact powers of that size do not finish; write exp(n*log(x))",
            place,
        )


def _least_bits(kind: ast.operator, left: int, right: int) -> int:
    """A lower bound of the bits of the result, at most about twice too low; 0 if it cannot grow."""
    if isinstance(kind, ast.Mult) and left and right:
        return left.bit_length() + right.bit_length() - 1
    if isinstance(kind, ast.Pow):
        return (left.bit_length() - 1) * max(right, 0)
    return 0


def _bits(bits: int, place: Place) -> None:
    if bits > LIMITS.constant_bits:
        raise LimitError("a constant in the expression is too large", _AS_A_FLOAT, place)


def _finite(value: Number) -> bool:
    # an integer too large for a float is finite, and isfinite would raise
    return isinstance(value, int) or cmath.isfinite(value)


def _overflow(place: Place) -> ExpressionError:
    return ExpressionError(
        "a constant in the expression overflows to infinity",
        "write float('inf') for infinity",
        place,
    )
