"""What a report says to people in words: the problem, the formulas, the checks, the findings.

Lines are plain text with mathematical signs; each text format wraps and spells them in its own way.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vjp_cli.notation import partial
from vjp_cli.render.numbers import full, short
from vjp_cli.render.tables import MARKS, product, transposed
from vjp_cli.report import (
    Array,
    CheckResult,
    Finding,
    FormulaGroup,
    Judged,
    Number,
    Report,
    Structure,
    Verdict,
)

# the check that stands in where there is no exact derivative
_ROUGH = "finite differences"
# what stands before a comment may have texts in quotes
_COMMENT = re.compile(r"^((?:[^'\"#\n]|'[^'\n]*'|\"[^\"\n]*\")*)#.*", re.MULTILINE)
_PLACE = re.compile(r"(vjp|jacobian)\.([\w.]+)(?:\[([\d,]*)\])?")
# what else has entries
_ELSEWHERE = re.compile(r"(vjp\[\d+\]|loss|v|jvp)\.([\w.]+(?:\[[\d,]*\])?)")


@dataclass(frozen=True)
class Line:
    """A line of words under a label; ``verdict`` is the one it speaks of."""

    label: str
    text: str
    verdict: Verdict | None = None


def headline(report: Report) -> list[str]:
    """The understood problem in parts: expression, shapes, dtype and the layout of J."""
    problem, output = report.problem, report.output
    shapes = [f"{name}: {shape_text(value.shape)}" for name, value in report.inputs.items()]
    layout = "J[i,j] = ∂y_i/∂x_j"
    if transposed(report):
        layout = "denominator layout, Jᵀ[j,i] = ∂y_i/∂x_j"
    parts = [_equation(report), *shapes, f"{output.name}: {shape_text(output.value.shape)}"]
    return [*parts, problem.dtype, *([problem.device] if problem.device != "cpu" else []), layout]


def shape_text(shape: tuple[int, ...]) -> str:
    """``scalar``, ``3``, ``2x3``."""
    return "x".join(map(str, shape)) or "scalar"


def layout_line(report: Report) -> str:
    """How denominator layout relates to the other; "" in numerator layout."""
    if not transposed(report):
        return ""
    return (
        "denominator layout: a row for each element of the input, a column for each of "
        f"{report.output.name}. Jᵀ is the transpose of numerator layout's J, and Jᵀv, a column, "
        "has the numbers of the row vᵀJ"
    )


def judgement(report: Report) -> str:
    """How many entries of J and of vᵀJ have which verdict; empty when none was judged."""
    sides = [("J", report.judged_jacobian), (product(report), report.judged_vjp)]
    if report.accumulation is not None:
        pulls = enumerate(report.accumulation.pulls[1:], start=2)
        sides += [(f"{product(report)} of v {number}", pull.judged) for number, pull in pulls]
    if report.loss is not None:
        sides.append(("v", report.loss.judged_v))
        sides.append(("loss.backward()", report.loss.judged_gradient))
    if report.tangent is not None:
        sides.append(("Ju", report.tangent.judged))
    return " · ".join(
        f"{side} {_tally(_counts(judged))}" for side, judged in sides if judged is not None
    )


def reference(report: Report) -> str:
    """What torch's numbers were compared with."""
    compared = {check.name for check in report.checks if check.compared}
    exact = any(name.endswith("against the exact derivative") for name in compared)
    return "the exact derivative" if exact or _ROUGH not in compared else _ROUGH


def listing(array: Array[Number], room: int) -> str:
    """``array`` in nested brackets, or its first numbers and how many more, in ``room``."""
    # a number and its comma take three characters at least
    texts = [short(value) for value in array.values[: max(room, 0) // 3 + 1]]
    if len(texts) == len(array.values):
        whole = str(Array(array.shape, tuple(texts)).nested()).replace("'", "")
        if len(whole) <= room:
            return whole
    while len(texts) > 1 and len(_first(texts, array)) > room:
        texts.pop()
    return _first(texts, array)


def structure_line(structure: Structure) -> str:
    """The pattern of J in a sentence."""
    total = structure.shape[0] * structure.shape[1]
    line = f"J {structure.words}: {structure.nonzeros} of {total} entries can be non-zero"
    if structure.colours is None:
        return line
    return f"{line}, {structure.colours} colour{'' if structure.colours == 1 else 's'}"


def equation(group: FormulaGroup) -> str:
    """``∂y[i]/∂x[i] = 4·x[i] + 8``."""
    sides = partial(group.where)
    where = group.where if sides is None else "∂{}/∂{}".format(*sides)
    return f"{where} = {_product_signs(group.formula)}"


def formula_lines(groups: Sequence[FormulaGroup]) -> list[str]:
    """One line for each formula, and one for each name that it uses."""
    lines = []
    for group in groups:
        count = f"   ({group.count} entries)" if group.count > 1 else ""
        lines.append(f"{equation(group)}{count}")
        lines += [f"   where {_product_signs(definition)}" for definition in group.definitions]
    return lines


def check_line(check: CheckResult) -> Line:
    """What a check compared and how close it came, or why it did not run.

    Errors in units of their bound and in ULPs mean something where the numbers agree; where they do
    not, the findings have the numbers.
    """
    parts = [f"{check.compared} compared"] if check.compared else []
    if check.verdict in (Verdict.OK, Verdict.IMPRECISE):
        exact = check.verdict is Verdict.OK and check.max_ulp == 0
        if exact or not (check.max_ratio or check.max_ulp):
            parts.append("no error" if check.compared else "")
        elif check.max_ratio is not None:
            parts.append(f"largest error {short(check.max_ratio)} of its bound")
        if check.max_ulp:
            parts.append(f"{short(check.max_ulp)} ulp")
    words = ", ".join(filter(None, [*parts, check.reason]))
    return Line(check.name, words, check.verdict)


def finding_lines(finding: Finding, report: Report) -> list[Line]:
    """A finding: its place and verdict first, then torch's number, the truth, cause and remedy."""
    alike = f" ({finding.count} entries alike)" if finding.count > 1 else ""
    head = f"{_place(finding.where, report)}: {finding.verdict}{alike}"
    slopes = f"left {finding.left}, right {finding.right}" if finding.left or finding.right else ""
    details = {
        "torch": "gives no number" if finding.torch is None else full(finding.torch),
        "truth": finding.truth,
        "slopes": slopes,
        "cause": finding.cause,
        "remedy": finding.remedy,
    }
    lines = [Line(label, text) for label, text in details.items() if text]
    return [Line(MARKS[finding.verdict], head, finding.verdict), *lines]


def _first(texts: Sequence[str], array: Array[Number]) -> str:
    hidden = len(array.values) - len(texts)
    return ", ".join([*texts, f"… {hidden} more"] if hidden else texts)


def _equation(report: Report) -> str:
    """``y = …``; of several statements only the last is the output."""
    name, problem = report.output.name, report.problem
    if problem.weights is not None:
        once = replace(
            report,
            problem=replace(problem, weights=None),
            output=replace(report.output, name="y"),
        )
        of = "y" if len(problem.weights.values) == 1 else "(Σ v_i·y_i)"
        return f"{_equation(once)}; {name} = ∂{of}/∂({', '.join(problem.wrt)})"
    if problem.expression is None:
        plain = (f"{key}={value!r}" for key, value in problem.arguments.items())
        output = "" if problem.output_index is None else f"[{problem.output_index}]"
        return f"{name} = {problem.function}({', '.join([*report.inputs, *plain])}){output}"
    return assigned(name, problem.expression)


def assigned(name: str, source: str) -> str:
    """The statements of an expression without comments; the last one makes ``name``."""
    code = _COMMENT.sub(r"\1", source)
    statements = [part.strip() for part in re.split(r"[;\n]", code) if part.strip()]
    if not re.match(rf"{re.escape(name)}\s*=(?!=)", statements[-1]):
        statements[-1] = f"{name} = {statements[-1]}"
    return "; ".join(statements)


def _counts(judged: Judged) -> Counter[Verdict]:
    return sum((array.counts() for array in judged.verdicts.values()), Counter())


def _tally(counts: Counter[Verdict]) -> str:
    return ", ".join(f"{counts[v]} {v}" for v in Verdict if counts[v]) or "no entries"


def _product_signs(formula: str) -> str:
    return re.sub(r"(?<!\*)\*(?!\*)", "·", formula)


def _place(where: str, report: Report) -> str:
    """``vᵀJ at x[1]`` or ``∂y[0]/∂x[1]``; another place is left as it is written."""
    side, what = entry(where, report)
    return f"{product(report)} at {what}" if side == "vjp" else what


def entry(where: str, report: Report) -> tuple[str, str]:
    """The side of a finding, ``vjp`` or ``jacobian``, and there ``x[1]`` or ``∂y[0]/∂x[1]``.

    For another place the side is empty, and the place is left as it is written.
    """
    match = _PLACE.fullmatch(where)
    if match is None:
        return "", _elsewhere(where, report)
    side, name, indices = match[1], match[2], [i for i in (match[3] or "").split(",") if i]
    if side == "vjp":
        return side, _element(name, indices)
    rank = len(report.output.value.shape)
    output = _element(report.output.name, indices[:rank])
    return side, f"∂{output}/∂{_element(name, indices[rank:])}"


def _elsewhere(where: str, report: Report) -> str:
    """``vᵀJ of v 2 at x[1]``, ``Ju at y[0]``."""
    match = _ELSEWHERE.fullmatch(where)
    if match is None:
        return where
    words = {"loss": "loss.backward()", "v": "v", "jvp": "Ju"}.get(match[1])
    if words is None:
        words = f"{product(report)} of v {int(match[1][4:-1]) + 1}"
    return f"{words} at {match[2]}"


def _element(name: str, indices: Sequence[str]) -> str:
    return f"{name}[{','.join(indices)}]" if indices else name
