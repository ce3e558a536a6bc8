"""Named functions that SymPy lacks, or whose plain formula loses digits (``exp(x) - 1`` near 0).

``functions.expm1(x)`` is an application of a ``sympy.Function`` of that name. Its meaning, and all
its derivatives, come from its definition below, which SymPy differentiates: only the *value* is
kept in one piece, so that a certified routine can compute it without cancellation.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from vjp_cli.lazy import sympy

DEFINITIONS: dict[str, Callable[..., Any]] = {
    "expm1": lambda x: sympy.exp(x) - 1,
    "log1p": lambda x: sympy.log(1 + x),
    # the mass of the standard normal distribution below x
    "ndtr": lambda x: sympy.erfc(-x / sympy.sqrt(2)) / 2,
    # its inverse
    "ndtri": lambda x: sympy.sqrt(2) * sympy.erfinv(2 * x - 1),
    "erfcx": lambda x: sympy.exp(x**2) * sympy.erfc(x),
    # 1 at 0
    "sinc": lambda x: sympy.sin(sympy.pi * x) / (sympy.pi * x),
    "gammainc": lambda a, x: sympy.lowergamma(a, x) / sympy.gamma(a),
    "gammaincc": lambda a, x: sympy.uppergamma(a, x) / sympy.gamma(a),
    # of complex numbers; no derivative of them is ever asked for
    "conj": lambda z: sympy.conjugate(z),
    "real": lambda z: sympy.re(z),
    "imag": lambda z: sympy.im(z),
    "complex": lambda x, y: x + sympy.I * y,
}

# (name, argument from 1) pairs without a derivative in closed form: SymPy leaves a ``Derivative``
OPEN_DERIVATIVES = frozenset({("gammainc", 1), ("gammaincc", 1)})


def __getattr__(name: str) -> Any:
    if name not in DEFINITIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _function(name)


@cache
def _function(name: str) -> Any:
    """The ``sympy.Function`` subclass called ``name``; made late, as SymPy is imported late."""
    definition = DEFINITIONS[name]

    def fdiff(self: Any, argindex: int = 1) -> Any:
        if (name, argindex) in OPEN_DERIVATIVES:
            raise sympy.core.function.ArgumentIndexError(self, argindex)
        places = [sympy.Dummy() for _ in self.args]
        value = definition(*places)
        # the definition inside its own derivative is the function again, in one piece
        derivative = value.diff(places[argindex - 1]).subs(value, self.func(*places))
        return derivative.xreplace(dict(zip(places, self.args, strict=True)))

    def evaluate(self: Any, precision: int) -> Any:
        if name == "sinc" and self.args[0].is_zero:
            return sympy.Integer(1)
        return definition(*self.args).evalf(sympy.core.evalf.prec_to_dps(precision))

    arity = definition.__code__.co_argcount
    members = {"fdiff": fdiff, "_eval_evalf": evaluate, "nargs": arity}
    return type(name, (sympy.Function,), members)
