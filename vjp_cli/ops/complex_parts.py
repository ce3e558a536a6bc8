"""Complex numbers: their parts, conjugates, moduli and angles.

The derivative of a complex number is judged by slopes alone; formulas serve for values.
"""

from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.ops import functions
from vjp_cli.ops.table import Kind, Op


def _angle(input: Any) -> Any:
    if input.dtype.is_complex:
        return torch.atan2(torch.imag(input), torch.real(input))
    half_a_turn = 4 * torch.atan(torch.ones_like(input))
    turned = torch.where(input < 0, half_a_turn, 0)
    return torch.where(torch.isnan(input), input, turned)


def _sgn(input: Any) -> Any:
    if not input.dtype.is_complex:
        return torch.sign(input)
    size = torch.abs(input)
    return torch.where(size == 0, 0, input / size)


def _polar(abs: Any, angle: Any) -> Any:
    return torch.complex(abs * torch.cos(angle), abs * torch.sin(angle))


def _view_as_real(input: Any) -> Any:
    return torch.stack((torch.real(input), torch.imag(input)), -1)


def _view_as_complex(input: Any) -> Any:
    return torch.complex(input[..., 0], input[..., 1])


def _cast(name: str) -> Op:
    sample = f"x.{name}().real"
    return Op(name, f"Tensor.{name}", Kind.MOVE, samples=(sample,), note="A cast rounds.")


ROWS: tuple[Op, ...] = (
    Op(
        "complex",
        "complex",
        Kind.ELEMENTWISE,
        lambda real, imag: functions.complex(real, imag),
        ("complex(x, y)", "complex(x, b.expand(2, 3))"),
    ),
    Op(
        "real",
        "real",
        Kind.ELEMENTWISE,
        lambda input: functions.real(input),
        ("real(x)", "real(complex(x, y)**2)", "complex(y, x).real"),
    ),
    Op(
        "imag",
        "imag",
        Kind.ELEMENTWISE,
        lambda input: functions.imag(input),
        ("imag(complex(x, y)**2)", "complex(y, x).imag"),
    ),
    Op(
        "conj",
        "conj",
        Kind.ELEMENTWISE,
        lambda input: functions.conj(input),
        ("conj(x)", "conj(complex(x, y))", "x + conj_physical(y*1j)"),
        aliases=("conj_physical", "resolve_conj"),
    ),
    Op(
        "angle",
        "angle",
        Kind.COMPOSITE,
        _angle,
        ("angle(x)", "angle(complex(x, y))"),
        kinks="0; a jump at negative numbers",
        note="of a real number 0 or pi: torch gives the derivative 0",
    ),
    Op(
        "sgn",
        "sgn",
        Kind.COMPOSITE,
        _sgn,
        ("sgn(x)", "sgn(complex(x, y))"),
        kinks="a jump at 0",
        note="z/|z| of a complex number, sign of a real one",
    ),
    Op("polar", "polar", Kind.COMPOSITE, _polar, ("polar(x, y)",), domain=(0.5, 2.5)),
    Op(
        "view_as_real",
        "view_as_real",
        Kind.COMPOSITE,
        _view_as_real,
        ("view_as_real(complex(x, y)**2)",),
    ),
    Op(
        "view_as_complex",
        "view_as_complex",
        Kind.COMPOSITE,
        _view_as_complex,
        ("view_as_complex(stack((x, y), -1))",),
    ),
    _cast("cdouble"),
    _cast("cfloat"),
)
