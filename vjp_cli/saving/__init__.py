"""J in a file of its own: the ending of the file's name says in which format."""

import pkgutil
from pathlib import PurePath

from vjp_cli.errors import EvaluationError, InputError, LimitError, shorten
from vjp_cli.output import binary_writer
from vjp_cli.report import Report
from vjp_cli.saving.matrices import matrices_of
from vjp_cli.settings import LIMITS, Settings

OPTION = "--save"
# by ending; named, not imported: help and refusals need none of them
WRITERS = {
    ".npz": "vjp_cli.saving.numpy_files:write_npz",
    ".npy": "vjp_cli.saving.numpy_files:write_npy",
    ".mtx": "vjp_cli.saving.matrix_market:write_matrix_market",
}
# the one that holds the J of several inputs
_OF_SEVERAL = ".npz"


def refuse_unsavable(path: str, settings: Settings) -> None:
    """What can be said before anything is computed.

    Raises:
        InputError: the name of the file says no format that is known, or no J is asked for.
    """
    if _suffix(path) not in WRITERS:
        raise InputError(
            f"{OPTION}: the name of '{shorten(path)}' does not say a format that J is saved in",
            f"formats are {', '.join(WRITERS)}: for example {OPTION} J.npz",
        )
    if not settings.jacobian:
        raise InputError(f"{OPTION} saves J, and --no-jacobian leaves it out", "give one of them")
    if len(settings.wrt) > 1:
        _refuse_several(path, settings.wrt)


def save_jacobian(report: Report, path: str) -> None:
    """Write the J of a report, in numerator layout whatever is shown; an old file stays till then.

    Raises:
        InputError: the format holds one matrix, and there are several.
        LimitError: J was too large to be computed, or is for this format.
        EvaluationError: torch gives no J.
        OutputError: the file cannot be written.
    """
    if report.jacobian is None and report.judged_jacobian is not None:
        raise EvaluationError(
            f"{OPTION}: torch gives no J", "without the option the report says why"
        )
    if report.jacobian is None:
        raise LimitError(
            f"{OPTION}: there is no J to save: it was too large to be computed",
            "without the option vᵀJ alone is shown and compared",
        )
    if len(report.jacobian) > 1:
        _refuse_several(path, report.problem.wrt)
    matrices = matrices_of(report)
    suffix = _suffix(path)
    if suffix == ".npy" and matrices[0].full_bytes > LIMITS.jacobian_bytes:
        raise LimitError(
            f"{OPTION}: J in full would take {matrices[0].full_bytes / 1e9:.1f} GB",
            ".npz and .mtx hold its entries by row and column",
        )
    with binary_writer(path) as file:
        pkgutil.resolve_name(WRITERS[suffix])(file, matrices)


def _refuse_several(path: str, names: tuple[str, ...]) -> None:
    suffix = _suffix(path)
    if suffix != _OF_SEVERAL:
        raise InputError(
            f"{OPTION}: a {suffix} file holds one matrix, and there is a J by each of "
            f"{', '.join(names)}",
            f"save to {_OF_SEVERAL}, or choose one with --wrt {names[0]}",
        )


def _suffix(path: str) -> str:
    return PurePath(path).suffix.lower()
