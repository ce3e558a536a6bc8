"""Exponentials, logarithms, trigonometric and hyperbolic functions of elements."""

from collections.abc import Callable
from typing import Any

from vjp_cli.lazy import sympy
from vjp_cli.ops import functions
from vjp_cli.ops.table import Kind, Op

_EVERYWHERE = (-2.0, 2.0)
_POSITIVE = (0.1, 3.0)


def _of_one(
    name: str,
    rule: Callable[[Any], Any],
    domain: tuple[float, float] = _EVERYWHERE,
    aliases: tuple[str, ...] = (),
    kinks: str = "",
) -> Op:
    """The row of a function of one argument that torch calls by the same name."""
    samples = (f"{name}(x)", f"{name}(s)")
    return Op(name, name, Kind.ELEMENTWISE, rule, samples, domain, kinks, aliases)


_EXPONENTIALS = (
    _of_one("exp", lambda x: sympy.exp(x)),
    _of_one("exp2", lambda x: 2**x),
    _of_one("expm1", lambda x: functions.expm1(x)),
    _of_one("log", lambda x: sympy.log(x), _POSITIVE),
    _of_one("log2", lambda x: sympy.log(x) / sympy.log(2), _POSITIVE),
    _of_one("log10", lambda x: sympy.log(x) / sympy.log(10), _POSITIVE),
    _of_one("log1p", lambda x: functions.log1p(x), (-0.9, 2.0)),
    _of_one("sigmoid", lambda x: 1 / (1 + sympy.exp(-x)), aliases=("expit",)),
    Op(
        "logaddexp",
        "logaddexp",
        Kind.ELEMENTWISE,
        lambda x, y: sympy.log(sympy.exp(x) + sympy.exp(y)),
        ("logaddexp(x, y)", "logaddexp(x, b)"),
    ),
    Op(
        "logaddexp2",
        "logaddexp2",
        Kind.ELEMENTWISE,
        lambda x, y: sympy.log(2**x + 2**y) / sympy.log(2),
        ("logaddexp2(x, y)", "logaddexp2(x, b)"),
    ),
)

_ENDS = "vertical tangents at -1 and 1, the ends of the domain"

_TRIGONOMETRIC = (
    _of_one("sin", lambda x: sympy.sin(x)),
    _of_one("cos", lambda x: sympy.cos(x)),
    _of_one("tan", lambda x: sympy.tan(x), (-1.4, 1.4)),
    _of_one("asin", lambda x: sympy.asin(x), (-0.95, 0.95), ("arcsin",), _ENDS),
    _of_one("acos", lambda x: sympy.acos(x), (-0.95, 0.95), ("arccos",), _ENDS),
    _of_one("atan", lambda x: sympy.atan(x), aliases=("arctan",)),
    Op(
        "atan2",
        "atan2",
        Kind.ELEMENTWISE,
        lambda y, x: sympy.atan2(y, x),
        ("atan2(x, y)", "atan2(b, x)"),
        kinks="a jump where the first argument is 0 and the second is not positive",
        aliases=("arctan2",),
    ),
    _of_one("sinc", lambda x: functions.sinc(x)),
)

_HYPERBOLIC = (
    _of_one("sinh", lambda x: sympy.sinh(x)),
    _of_one("cosh", lambda x: sympy.cosh(x)),
    _of_one("tanh", lambda x: sympy.tanh(x)),
    _of_one("asinh", lambda x: sympy.asinh(x), aliases=("arcsinh",)),
    _of_one(
        "acosh",
        lambda x: sympy.acosh(x),
        (1.1, 3.0),
        ("arccosh",),
        "vertical tangent at 1, the end of the domain",
    ),
    _of_one("atanh", lambda x: sympy.atanh(x), (-0.9, 0.9), ("arctanh",)),
)

ROWS = (*_EXPONENTIALS, *_TRIGONOMETRIC, *_HYPERBOLIC)
