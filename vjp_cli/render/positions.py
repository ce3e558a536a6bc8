"""Which entries of a large J are listed, where it is not written in full."""

from vjp_cli.report import Report


def listed(report: Report, max_entries: int) -> dict[str, list[int]]:
    """The flat positions to list, for each input whose J has more than ``max_entries``."""
    positions: dict[str, list[int]] = {}
    for name, array in (report.jacobian or {}).items():
        if len(array.values) > max_entries:
            # whatever the pattern says, a number that is not 0 is listed
            nonzero = {k for k, value in array.listed() if value != 0}
            structure = report.structure.get(name)
            positions[name] = sorted(nonzero | structure.positions if structure else nonzero)
    return positions
