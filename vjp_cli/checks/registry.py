"""All further checks, one row each; a new check is a file and a row."""

from collections.abc import Callable, Iterable

from vjp_cli.checks import (
    determinism,
    double_backward,
    finite_difference,
    forward_inputs,
    forward_mode,
    full_product,
    in_float64,
    jvp_rule,
    layouts,
    linearity,
    outside,
    points,
    random_v,
    repeated_backward,
    returned_gradients,
    single_inputs,
    vmap_rule,
)
from vjp_cli.checks.context import Context
from vjp_cli.report import CheckResult
from vjp_cli.settings import Check

CHECKS: dict[Check, Callable[[Context], CheckResult]] = {
    Check.FULL_PRODUCT: full_product.check,
    Check.DETERMINISM: determinism.check,
    Check.FORWARD_MODE: forward_mode.check,
    Check.FINITE_DIFFERENCE: finite_difference.check,
    Check.IN_FLOAT64: in_float64.check,
    Check.POINTS: points.check,
    Check.RETURNED: returned_gradients.check,
    Check.SINGLE_INPUTS: single_inputs.check,
    Check.FORWARD_INPUTS: forward_inputs.check,
    Check.REPEATED: repeated_backward.check,
    Check.LAYOUTS: layouts.check,
    Check.LINEARITY: linearity.check,
    Check.DOUBLE_BACKWARD: double_backward.check,
    Check.JVP_RULE: jvp_rule.check,
    Check.VMAP_RULE: vmap_rule.check,
    Check.OUTSIDE: outside.check,
    Check.RANDOM_V: random_v.check,
}


def _custom(context: Context) -> bool:
    return context.side.custom


def _has_truth(context: Context) -> bool:
    """Whether the differences do not stand in for the exact derivative already."""
    return context.exact.side is not None


# Where there is nothing to be checked there is no row; a check that is not here is always made.
APPLIES: dict[Check, Callable[[Context], bool]] = {
    Check.FINITE_DIFFERENCE: _has_truth,
    Check.IN_FLOAT64: in_float64.applies,
    Check.POINTS: points.applies,
    Check.RETURNED: _custom,
    Check.SINGLE_INPUTS: single_inputs.applies,
    Check.FORWARD_INPUTS: _custom,
    Check.REPEATED: _custom,
    Check.LAYOUTS: layouts.applies,
    Check.LINEARITY: _custom,
    Check.DOUBLE_BACKWARD: _custom,
    Check.JVP_RULE: jvp_rule.applies,
    Check.VMAP_RULE: vmap_rule.applies,
    Check.OUTSIDE: outside.applies,
    Check.RANDOM_V: random_v.applies,
}


def further_checks(context: Context, names: Iterable[Check]) -> tuple[CheckResult, ...]:
    """The rows of those checks that apply to the problem."""
    # what is tried on a backward is tried on the first one
    first = context.program.gradient is None
    return tuple(
        CHECKS[name](context)
        for name in names
        if name not in APPLIES or ((first or name is Check.OUTSIDE) and APPLIES[name](context))
    )
