"""Whatever was raised, as an error of the program's own, worded for the user."""

import platform
import sys

from vjp_cli import __version__
from vjp_cli.errors import (
    EvaluationError,
    ExitCode,
    ExpressionError,
    InputError,
    LimitError,
    OutputError,
    VjpError,
    clean,
    out_of_memory,
    shorten,
)

ERROR_SCHEMA = "vjp.error/1"


class _Bug(VjpError):
    kind = "bug"
    exit_code = ExitCode.BUG


# the words that an error's ``kind`` may be
KINDS = tuple(
    error.kind
    for error in (InputError, ExpressionError, EvaluationError, LimitError, OutputError, _Bug)
)


def known(error: Exception) -> VjpError:
    """``error`` itself where it is worded already, else its meaning; a bug where it has none."""
    match error:
        case VjpError():
            return error
        case _ if out_of_memory(error):
            return LimitError(
                "there is not enough memory for this problem", "take fewer elements at once"
            )
        case ImportError(name="torch" | "sympy" | "numpy" | "flint" as name):
            package = "python-flint" if name == "flint" else name
            return EvaluationError(
                f"{name} cannot be imported: {shorten(' '.join(str(error).split()), 200)}",
                f"vjp runs in the environment {sys.prefix}: pip install {package}",
            )
    return _Bug(
        f"this is a bug in vjp {__version__} (Python {platform.python_version()}): "
        f"{type(error).__name__}: {shorten(' '.join(str(error).split()), 200)}",
        "please report it with the command line; VJP_DEBUG=1 shows where it happened",
    )


def document(error: VjpError) -> dict[str, str | int]:
    """``error`` as the ``error`` object of the JSON contract."""
    return {
        "kind": error.kind,
        "message": clean(error.message),
        "hint": clean(error.hint),
        "exit_code": int(error.exit_code),
    }
