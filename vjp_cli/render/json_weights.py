"""The keys of a report about v and u."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vjp_cli.report import Array, Contribution, FormulaGroup, Judged, Loss, Report, Tangent


@dataclass(frozen=True)
class Writers:
    """How JSON holds a number, a truth, a formula."""

    number: Callable[[Any], Any]
    truth: Callable[[Any], Any]
    formula: Callable[[FormulaGroup], Any]

    def arrays(self, arrays: Mapping[str, Array[Any]] | None) -> dict[str, Any] | None:
        """Nested lists by name."""
        if arrays is None:
            return None
        return {name: array.map(self.number).nested() for name, array in arrays.items()}

    def verdicts(self, judged: Judged | None) -> dict[str, Any] | None:
        """The verdicts in the same nesting."""
        if judged is None:
            return None
        return {n: array.map(lambda v: v.value).nested() for n, array in judged.verdicts.items()}

    def truths(self, judged: Judged | None) -> dict[str, Any] | None:
        """The truths in the same nesting."""
        if judged is None:
            return None
        return {name: array.map(self.truth).nested() for name, array in judged.truth.items()}


def weight_keys(report: Report, most: int, write: Writers) -> dict[str, Any]:
    """The keys that every report has, null where nothing was asked for.

    Args:
        report: what is written.
        most: contributions of more entries than this are left to ``v`` and ``jacobian``.
        write: the writers of JSON.
    """
    cost, several, shares = report.cost, report.accumulation, report.contributions
    return {
        "cost": cost
        and {
            "vjp_passes": cost.vjp_passes,
            "jacobian_passes": cost.jacobian_passes,
            "jacobian_bytes": cost.jacobian_bytes,
        },
        "loss": report.loss and _loss(report.loss, write),
        "accumulated": None if several is None else write.arrays(several.total),
        "contributions": shares
        and {
            name: _contribution(part, write) if len(part.values.values) <= most else None
            for name, part in shares.inputs.items()
        },
        "tangent": report.tangent and _tangent(report.tangent, write),
    }


def several(report: Report, write: Writers, document: dict[str, Any]) -> dict[str, Any]:
    """The document with lists for v and vᵀJ, and all that belongs to them, of several v."""
    if report.accumulation is None:
        return document
    pulls = report.accumulation.pulls
    return document | {
        "v": [pull.v.map(write.number).nested() for pull in pulls],
        "vjp": [write.arrays(pull.vjp) for pull in pulls],
        "symbolic": document["symbolic"] | {"vjp": [write.arrays(p.symbolic) for p in pulls]},
        "truth": document["truth"] | {"vjp": [write.truths(pull.judged) for pull in pulls]},
        "verdicts": document["verdicts"] | {"vjp": [write.verdicts(p.judged) for p in pulls]},
    }


def _loss(loss: Loss, write: Writers) -> dict[str, Any]:
    # v alone has no name of an input: it is the only entry, under that of the output
    [verdicts] = (write.verdicts(loss.judged_v) or {}).values()
    [truth] = (write.truths(loss.judged_v) or {}).values()
    return {
        "expression": loss.expression,
        "value": write.number(loss.value),
        "v": {
            "formulas": [write.formula(group) for group in loss.formulas],
            "truth": truth,
            "verdicts": verdicts,
        },
        "gradient": write.arrays(loss.gradient),
        "truth": write.truths(loss.judged_gradient),
        "verdicts": write.verdicts(loss.judged_gradient),
    }


def _contribution(part: Contribution, write: Writers) -> dict[str, Any]:
    return {
        "values": part.values.map(write.number).nested(),
        "shares": part.shares.map(write.number).nested(),
        "against": part.against.nested(),
        "conflicts": part.conflicts.nested(),
    }


def _tangent(tangent: Tangent, write: Writers) -> dict[str, Any]:
    [verdicts] = (write.verdicts(tangent.judged) or {}).values()
    [truth] = (write.truths(tangent.judged) or {}).values()
    products = tangent.products
    return {
        "u": write.arrays(tangent.u),
        "jvp": tangent.jvp.map(write.number).nested(),
        "method": tangent.method or None,
        "truth": truth,
        "verdicts": verdicts,
        "products": products
        and {"v_jvp": write.number(products[0]), "vjp_u": write.number(products[1])},
    }
