"""The numbers of a finding in a sentence."""

from collections.abc import Mapping

from vjp_cli.render.lines import entry
from vjp_cli.render.numbers import full, short
from vjp_cli.report import Finding, Number, Report, Verdict

# a double has no more
_DIGITS = 17


def finding_sentence(report: Report, verdict: Verdict, words: Mapping[str, str]) -> str:
    """What torch has, and what it should have, at the first place with ``verdict``, or "".

    A place of vᵀJ comes before one of J, because that is what ``.grad`` holds.
    """
    found = [finding for finding in report.findings if finding.verdict is verdict]
    if not found:
        return ""
    finding = next((each for each in found if each.where.startswith("vjp")), found[0])
    side, place = entry(finding.where, report)
    name, bracket, indices = place.partition("[")
    where = f"{name}.grad{bracket}{indices}" if side == "vjp" else place
    torch, truth = _pair(finding)
    torch = words["torch_none"] if torch is None else words["torch_has"].format(number=torch)
    if finding.left or finding.right:
        slopes = {"left": _short(finding.left), "right": _short(finding.right)}
        slopes |= {k: words["no_slope"] for k, slope in slopes.items() if slope == "undefined"}
        truth = words["slopes_are"].format(**slopes)
    elif truth:
        truth = words["truth_is"].format(number=truth)
    else:
        return words["finding_torch"].format(entry=where, torch=torch)
    return words["finding"].format(entry=where, torch=torch, truth=truth)


def _pair(finding: Finding) -> tuple[str | None, str]:
    """Torch's number and the truth, with as many digits as it takes to tell them apart."""
    torch, truth = finding.torch, _short(finding.truth)
    if torch is None or short(torch) != truth:
        return None if torch is None else short(torch), truth
    return full(torch), _digits(finding.truth)


def _short(text: str) -> str:
    """A truth of 30 digits with 6; what is no number of a double stays as it is."""
    number = _number(text)
    # beyond the doubles a truth is still exact
    if number is None or (number == 0 and text.strip("+-0.")):
        return text
    return short(number)


def _number(text: str) -> Number | None:
    for read in (float, complex):
        try:
            number: Number = read(text)
        except ValueError:
            continue
        return number
    return None


def _digits(text: str) -> str:
    mantissa, e, exponent = text.partition("e")
    return mantissa[: _DIGITS + 2] + e + exponent
