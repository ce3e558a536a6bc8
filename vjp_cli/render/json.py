"""A report as one line of JSON: exact numbers, fixed keys, ASCII only."""

from collections.abc import Mapping
from typing import Any

from vjp_cli.render import View
from vjp_cli.render.json_chain import chain_keys
from vjp_cli.render.json_numbers import jacobian, nested, number, numbers
from vjp_cli.render.json_text import text_of
from vjp_cli.render.json_weights import Writers, several, weight_keys
from vjp_cli.render.positions import listed
from vjp_cli.report import (
    SCHEMA,
    Array,
    CheckResult,
    Deferred,
    Explanation,
    Finding,
    FormulaGroup,
    Judged,
    Report,
    Reproduction,
    Symbolic,
    Truth,
    TruthKind,
)

# of more entries that passed at a glance than this the digits of the truth are not written out
_MOST_TRUTHS = 20_000


def render_json(report: Report, view: View) -> str:
    """``report`` as one line of JSON that ends with a newline."""
    return text_of(document(report, view)) + "\n"


def document(report: Report, view: View) -> dict[str, Any]:
    """``report`` as dictionaries and lists, its keys in the order of the contract."""
    sparse = listed(report, view.max_entries)
    problem, output = report.problem, report.output
    write = Writers(number, _truth, _formula)
    found = {
        "schema": SCHEMA,
        "ok": report.ok,
        "verdict": report.verdict.value,
        "exit_code": int(report.exit_code),
        "problem": {
            "expression": problem.expression,
            "function": problem.function,
            "against": problem.against,
            "arguments": {name: _plain(value) for name, value in problem.arguments.items()},
            "output_index": problem.output_index,
            "order": 1 if problem.weights is None else 2,
            "weights": None if problem.weights is None else problem.weights.map(number).nested(),
            "dtype": problem.dtype,
            "device": problem.device,
            "layout": str(problem.layout),
            "wrt": list(problem.wrt),
        },
        "inputs": numbers(report.inputs),
        "output": {
            "name": output.name,
            "shape": list(output.value.shape),
            "value": nested(output.value),
        },
        "v": None if report.v is None else nested(report.v),
        "jacobian": jacobian(report, sparse),
        "vjp": numbers(report.vjp),
        "symbolic": _symbolic(report.symbolic),
        "structure": {
            name: {
                "shape": list(structure.shape),
                "nonzeros": structure.nonzeros,
                "pattern": structure.pattern,
                "description": structure.description or None,
                "colours": structure.colours,
            }
            for name, structure in report.structure.items()
        },
        "truth": _truths(report, sparse),
        "verdicts": {
            "jacobian": _verdicts(report.judged_jacobian, sparse),
            "vjp": _verdicts(report.judged_vjp, {}),
        },
        "checks": [_check(check) for check in report.checks],
        "findings": [_finding(finding) for finding in report.findings],
        "notes": [*report.notes, *(report.chain.notes if report.chain else ())],
        "environment": dict(report.environment),
        **chain_keys(report.chain, number, _formula),
        "explanation": _explanation(report.explanation),
        "reproduce": _reproduction(report.reproduction),
        **weight_keys(report, view.max_entries, write),
    }
    return several(report, write, found)


def _explanation(explanation: Explanation | None) -> list[str] | None:
    return None if explanation is None else [each.text for each in explanation.paragraphs]


def _reproduction(lines: Reproduction | None) -> dict[str, str | None] | None:
    return None if lines is None else {"problem": lines.problem, "point": lines.point}


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else number(value)


def _verdicts(judged: Judged | None, sparse: Mapping[str, list[int]]) -> dict[str, Any] | None:
    if judged is None:
        return None
    return {
        # a verdict is its text
        name: array.at(sparse[name]) if name in sparse else array.nested()
        for name, array in judged.verdicts.items()
    }


def _truths(report: Report, sparse: Mapping[str, list[int]]) -> dict[str, Any]:
    """The truths of J and vᵀJ; those of a J listed by coordinates are in the findings."""
    sides = {"jacobian": report.judged_jacobian, "vjp": report.judged_vjp}
    return {
        side: judged
        and {
            name: None if side == "jacobian" and name in sparse else _written(array).nested()
            for name, array in judged.truth.items()
        }
        for side, judged in sides.items()
    }


def _written(array: Array[Truth]) -> Array[Any]:
    """The truths as JSON has them; null for those that passed where they are many."""
    values = array.values
    if isinstance(values, Deferred) and len(values.places) > _MOST_TRUTHS:
        unwritten = Truth(TruthKind.UNKNOWN)
        values = Deferred(values.known, values.positions, lambda places: [unwritten] * len(places))
    return Array(array.shape, values).map(_truth)


def _truth(truth: Truth) -> str | dict[str, str] | None:
    match truth.kind:
        case TruthKind.VALUE:
            return truth.value
        case TruthKind.SLOPES:
            return {"left": truth.left, "right": truth.right}
        case TruthKind.REMOVABLE:
            return {"removable": truth.value}
        case TruthKind.UNDEFINED:
            return "undefined"
        case TruthKind.UNKNOWN:
            return None


def _symbolic(symbolic: Symbolic) -> dict[str, Any]:
    return {
        "output": [_formula(group) for group in symbolic.output],
        "jacobian": {
            name: [_formula(group) for group in groups]
            for name, groups in symbolic.jacobian.items()
        },
        "vjp": numbers(symbolic.vjp),
    }


def _formula(group: FormulaGroup) -> dict[str, Any]:
    formula = {
        "where": group.where,
        "count": group.count,
        "formula": group.formula,
        "latex": group.latex,
    }
    return formula | ({"definitions": list(group.definitions)} if group.definitions else {})


def _check(check: CheckResult) -> dict[str, Any]:
    return {
        "name": check.name,
        "verdict": check.verdict.value,
        "compared": check.compared,
        "max_ulp": number(check.max_ulp),
        "max_ratio": number(check.max_ratio),
        "reason": check.reason or None,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "where": finding.where,
        "verdict": finding.verdict.value,
        "torch": number(finding.torch),
        "truth": finding.truth or None,
        "left": finding.left or None,
        "right": finding.right or None,
        "cause": finding.cause or None,
        "remedy": finding.remedy or None,
        "count": finding.count,
    }
