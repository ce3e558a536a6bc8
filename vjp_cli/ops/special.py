"""Special functions: error functions, gamma and Bessel functions, entropies."""

import math
from collections.abc import Callable
from typing import Any

from vjp_cli.lazy import sympy, torch
from vjp_cli.ops import functions
from vjp_cli.ops.table import Kind, Op


def _like(value: Any, other: Any) -> Any:
    """``value``, as a tensor where it is a Python number; ``other`` lends its dtype."""
    if isinstance(value, bool | int | float):
        return torch.tensor(value, dtype=other.dtype)
    return value


def _xlogy(input: Any, other: Any) -> Any:
    input, other = _like(input, other), _like(other, input)
    return torch.where(input == 0, 0, input * torch.log(other))


def _xlog1py(input: Any, other: Any) -> Any:
    input, other = _like(input, other), _like(other, input)
    return torch.where(input == 0, 0, input * torch.log1p(other))


def _entr(input: Any) -> Any:
    inside = torch.where(input == 0, 0, -input * torch.log(input))
    return torch.where(input < 0, -math.inf, inside)


def _logit(input: Any, eps: float | None = None) -> Any:
    inside = input if eps is None else torch.clamp(input, eps, 1 - eps)
    return torch.log(inside / (1 - inside))


def _mvlgamma(input: Any, p: int) -> Any:
    constant = p * (p - 1) / 4 * math.log(math.pi)
    terms = [torch.lgamma(input - j / 2) for j in range(p)]
    return sum(terms[1:], terms[0]) + constant


def _scaled_bessel(order: int) -> Callable[[Any], Any]:
    def rule(input: Any) -> Any:
        bessel = torch.special.i1 if order else torch.special.i0
        return torch.exp(-torch.abs(input)) * bessel(input)

    return rule


def _row(
    name: str,
    rule: Callable[..., Any],
    domain: tuple[float, float] = (-2.0, 2.0),
    aliases: tuple[str, ...] = (),
    note: str = "",
) -> Op:
    """The elementwise row of ``torch.special``'s function ``name`` of one argument."""
    samples = (f"{name}(x)", f"{name}(s)")
    path = f"special.{name}"
    return Op(name, path, Kind.ELEMENTWISE, rule, samples, domain, aliases=aliases, note=note)


_ERROR_FUNCTIONS = (
    _row("erf", lambda x: sympy.erf(x)),
    _row("erfc", lambda x: sympy.erfc(x)),
    _row("erfinv", lambda x: sympy.erfinv(x), (-0.9, 0.9)),
    _row("erfcx", lambda x: functions.erfcx(x)),
    _row("ndtr", lambda x: functions.ndtr(x)),
    _row("log_ndtr", lambda x: sympy.log(functions.erfcx(-x / sympy.sqrt(2)) / 2) - x**2 / 2),
    _row("ndtri", lambda x: functions.ndtri(x), (0.1, 0.9)),
)

_NO_SHAPE_DERIVATIVE = "torch has no derivative by the first argument"

_GAMMA_FUNCTIONS = (
    Op(
        "lgamma",
        "lgamma",
        Kind.ELEMENTWISE,
        lambda x: sympy.loggamma(x),
        ("lgamma(x)", "lgamma(s)"),
        domain=(0.1, 4.0),
        aliases=("gammaln",),
    ),
    _row("digamma", lambda x: sympy.polygamma(0, x), (0.1, 4.0), ("psi",)),
    Op(
        "polygamma",
        "special.polygamma",
        Kind.ELEMENTWISE,
        lambda n, x: sympy.polygamma(n, x),
        ("polygamma(1, x)", "polygamma(2, s)"),
        domain=(0.5, 4.0),
        note="the order is a number, not an input; torch's trigamma has 10 digits",
    ),
    Op(
        "multigammaln",
        "special.multigammaln",
        Kind.COMPOSITE,
        _mvlgamma,
        ("multigammaln(x, 3)", "multigammaln(x, 1)"),
        domain=(1.5, 4.0),
        aliases=("mvlgamma",),
    ),
    Op(
        "gammainc",
        "special.gammainc",
        Kind.ELEMENTWISE,
        lambda a, x: functions.gammainc(a, x),
        ("gammainc(x, y)", "gammainc(b, x)"),
        domain=(0.3, 4.0),
        aliases=("igamma",),
        note=_NO_SHAPE_DERIVATIVE,
    ),
    Op(
        "gammaincc",
        "special.gammaincc",
        Kind.ELEMENTWISE,
        lambda a, x: functions.gammaincc(a, x),
        ("gammaincc(x, y)", "gammaincc(b, x)"),
        domain=(0.3, 4.0),
        aliases=("igammac",),
        note=_NO_SHAPE_DERIVATIVE,
    ),
    Op(
        "zeta",
        "special.zeta",
        Kind.ELEMENTWISE,
        lambda x, q: sympy.zeta(x, q),
        ("zeta(x, y)", "zeta(3, x)"),
        domain=(1.5, 4.0),
        note=_NO_SHAPE_DERIVATIVE,
    ),
)

_NO_DERIVATIVE = "torch has no derivative"
_FEW_DIGITS = f"{_NO_DERIVATIVE}, and from 2 on only ten digits of the value"

_BESSEL_FUNCTIONS = (
    _row("i0", lambda x: sympy.besseli(0, x)),
    _row("i1", lambda x: sympy.besseli(1, x)),
    Op("i0e", "special.i0e", Kind.COMPOSITE, _scaled_bessel(0), ("i0e(x)",), kinks="at 0"),
    Op("i1e", "special.i1e", Kind.COMPOSITE, _scaled_bessel(1), ("i1e(x)",)),
    _row("bessel_j0", lambda x: sympy.besselj(0, x), note=_NO_DERIVATIVE),
    _row("bessel_j1", lambda x: sympy.besselj(1, x), note=_NO_DERIVATIVE),
    _row("bessel_y0", lambda x: sympy.bessely(0, x), (0.1, 1.8), note=_FEW_DIGITS),
    _row("bessel_y1", lambda x: sympy.bessely(1, x), (0.1, 1.8), note=_FEW_DIGITS),
    _row("modified_bessel_i0", lambda x: sympy.besseli(0, x), note=_NO_DERIVATIVE),
    _row("modified_bessel_i1", lambda x: sympy.besseli(1, x), note=_NO_DERIVATIVE),
    _row(
        "modified_bessel_k0",
        lambda x: sympy.besselk(0, x),
        (0.1, 4.0),
        note=_NO_DERIVATIVE,
    ),
    _row(
        "modified_bessel_k1",
        lambda x: sympy.besselk(1, x),
        (0.1, 4.0),
        note=_NO_DERIVATIVE,
    ),
    _row(
        "spherical_bessel_j0",
        lambda x: functions.sinc(x / sympy.pi),
        note=_NO_DERIVATIVE,
    ),
)

_ENTROPIES = (
    Op(
        "xlogy",
        "special.xlogy",
        Kind.COMPOSITE,
        _xlogy,
        ("xlogy(x, y)", "xlogy(x, b)", "xlogy(2.0, x)", "xlogy(x, 3.0)"),
        domain=(0.1, 3.0),
        note="0 where the first argument is 0",
    ),
    Op(
        "xlog1py",
        "special.xlog1py",
        Kind.COMPOSITE,
        _xlog1py,
        ("xlog1py(x, y)", "xlog1py(x, b)", "xlog1py(2.0, x)", "xlog1py(x, 3.0)"),
        domain=(-0.9, 2.0),
        note="0 where the first argument is 0",
    ),
    Op(
        "entr",
        "special.entr",
        Kind.COMPOSITE,
        _entr,
        ("entr(x)", "entr(s)"),
        domain=(0.1, 2.0),
        kinks="vertical tangent at 0, the end of the domain",
        note="-inf below 0",
    ),
    Op(
        "logit",
        "special.logit",
        Kind.COMPOSITE,
        _logit,
        ("logit(x)", "logit(x, eps=0.3)"),
        domain=(0.05, 0.95),
        kinks="with eps: at eps and at 1 - eps",
    ),
)

ROWS = (*_ERROR_FUNCTIONS, *_GAMMA_FUNCTIONS, *_BESSEL_FUNCTIONS, *_ENTROPIES)
