"""What pictures of J mark, and by which shape: never by colour alone."""

from collections.abc import Iterable

from vjp_cli.report import Report, Verdict

_WRONG = (Verdict.WRONG, Verdict.NAN, Verdict.SATURATED, Verdict.MISSING)
_DOUBTFUL = (Verdict.IMPRECISE, Verdict.UNCHECKED, Verdict.UNDEFINED)
# a shape for each kind of verdict; ok has none
SHAPES = {
    **dict.fromkeys(_WRONG, "diamond"),
    **dict.fromkeys(_DOUBTFUL, "triangle"),
    **dict.fromkeys((Verdict.KINK, Verdict.POLE, Verdict.BY_DESIGN), "circle"),
}


def positions(report: Report, name: str) -> Iterable[int]:
    """The flat positions that can be non-zero."""
    structure = report.structure.get(name)
    if structure is not None:
        return structure.positions
    jacobian = report.jacobian and report.jacobian[name]
    return (k for k, value in jacobian.listed() if value != 0) if jacobian else ()


def odd(report: Report, name: str) -> Iterable[tuple[int, Verdict]]:
    """The entries of J that are not ok."""
    judged = report.judged_jacobian
    if judged is None or name not in judged.verdicts:
        return ()
    return ((k, v) for k, v in judged.verdicts[name].listed() if v is not Verdict.OK)
