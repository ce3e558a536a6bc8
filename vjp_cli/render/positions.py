"""Which entries of a large J are listed, where it is not written in full."""

from vjp_cli.report import Report


def listed(report: Report, max_entries: int) -> dict[str, list[int]]:
    """The flat positions to list, for each input whose J has more than ``max_entries``."""
    positions: dict[str, list[int]] = {}
    for name, array in (report.jacobian or {}).items():
        if len(array.values) > max_entries:
            structure = report.structure.get(name)
            pattern = structure.positions if structure else frozenset[int]()
            known = dict(array.listed())
            if pattern == known.keys():
                # as where J was computed by its pattern, in ascending order
                positions[name] = list(known)
            else:
                # whatever the pattern says, a number that is not 0 is listed
                nonzero = {k for k, value in known.items() if value != 0}
                positions[name] = sorted(nonzero | pattern)
    return positions
