"""What the bounds of a whole problem are made of: its coarsest format, and its largest entry."""

from vjp_cli.derivatives.evaluation import TorchSide
from vjp_cli.derivatives.matrices import TorchMatrix
from vjp_cli.exact.side import ExactAnswer
from vjp_cli.lazy import torch
from vjp_cli.numbers.dtypes import FORMATS, FloatFormat


def coarsest(dtype: str, side: TorchSide, exact: ExactAnswer) -> FloatFormat:
    """The format with the fewest digits that a derivative passes through."""
    names = {dtype, str(side.output.dtype).removeprefix("torch.")}
    if exact.side is not None:
        names |= exact.side.traced.tape.dtypes
    known = [FORMATS[name] for name in names if name in FORMATS]
    return min(known, key=lambda form: form.bits, default=FORMATS["float64"])


def largest(found: TorchMatrix | None) -> float:
    """The largest finite entry of J in size; 0 for none."""
    return 0.0 if found is None else largest_of(found.values())


def largest_of(values: "torch.Tensor") -> float:
    """The largest finite number in size; 0 for none."""
    finite = values.detach()[values.isfinite()]
    # a mask has no absolute value
    finite = (finite if finite.is_complex() else finite.double()).abs()
    return float(finite.max()) if finite.numel() else 0.0
