"""Complex numbers taken apart and put together: what else is complex is written with these.

They are formulas of one element like any other, but of two dtypes: that of pairs, and that of the
parts. A real argument is its own real part and its own conjugate.
"""

from collections.abc import Callable
from typing import Any

from vjp_cli.lazy import torch
from vjp_cli.numbers.dtypes import complex_dtype, real_dtype
from vjp_cli.ops.table import Op
from vjp_cli.tracing.arguments import result_dtype
from vjp_cli.tracing.elementwise import Args, Kwargs, apply_formula, formula_of
from vjp_cli.tracing.tape import Tape

_Dtype = Callable[[str], str]


def trace_part(tape: Tape, op: Op, args: Args, kwargs: Kwargs) -> Any:
    """``real``, ``imag`` and ``conj`` of one argument, and ``complex`` of two real ones.

    Raises:
        RuntimeError: the imaginary part of what has none, as torch does.
    """
    operands = (*args, *kwargs.values())
    dtype = result_dtype(operands)
    if op.name == "complex":
        return apply_formula(tape, formula_of(op, 2), operands, complex_dtype(dtype))
    if not getattr(torch, dtype).is_complex:
        if op.name == "imag":
            raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
        return operands[0]
    result = dtype if op.name == "conj" else real_dtype(dtype)
    return apply_formula(tape, formula_of(op, 1), operands, result)
