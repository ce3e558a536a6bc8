"""All further checks, one row each; a new check is a file and a row."""

from collections.abc import Callable

from vjp_cli.checks import determinism, forward_mode, full_product
from vjp_cli.checks.context import Context
from vjp_cli.report import CheckResult
from vjp_cli.settings import Check

CHECKS: dict[Check, Callable[[Context], CheckResult]] = {
    Check.FULL_PRODUCT: full_product.check,
    Check.DETERMINISM: determinism.check,
    Check.FORWARD_MODE: forward_mode.check,
}
