"""All further checks, one row each; a new check is a file and a row."""

from collections.abc import Callable

from vjp_cli.checks import determinism, forward_mode, full_product
from vjp_cli.checks.context import Context
from vjp_cli.report import CheckResult

CHECKS: tuple[Callable[[Context], CheckResult], ...] = (
    full_product.check,
    forward_mode.check,
    determinism.check,
)
