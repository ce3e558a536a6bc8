"""The chain rule in JSON: ``chain``, a list of steps, and ``identity``, a row for each input."""

from collections.abc import Callable
from typing import Any

from vjp_cli.report import Array, Chain, ChainStep, FormulaGroup, Identity, LocalJacobian

Number = Callable[[Any], Any]
Formula = Callable[[FormulaGroup], Any]


def chain_keys(chain: Chain | None, number: Number, formula: Formula) -> dict[str, Any]:
    """The two keys of a document; null when the chain was not asked for.

    Args:
        chain: that of the report.
        number: a number as JSON can hold it.
        formula: a formula as the other sections write it.
    """
    if chain is None:
        return {"chain": None, "identity": None}
    return {
        "chain": [_step(step, number, formula) for step in chain.steps],
        "identity": [_identity(row, number) for row in chain.identity],
    }


def _array(array: Array[Any] | None, number: Number) -> Any:
    return None if array is None else array.map(number).nested()


def _step(step: ChainStep, number: Number, formula: Formula) -> dict[str, Any]:
    return {
        "name": step.name,
        "source": step.source or None,
        "shape": list(step.value.shape),
        "value": _array(step.value, number),
        "cotangent": _array(step.cotangent, number),
        "product": _array(step.product, number),
        "marks": [{"kind": mark.kind, "words": mark.words} for mark in step.marks],
        "local": {name: _local(part, number, formula) for name, part in step.local.items()},
    }


def _local(part: LocalJacobian, number: Number, formula: Formula) -> dict[str, Any]:
    return {
        "shape": list(part.shape),
        "jacobian": _array(part.jacobian, number),
        "truth": _array(part.truth, number),
        "agrees": part.agrees,
        "formulas": [formula(group) for group in part.formulas],
        "handed": _array(part.handed, number),
        "terms": [{"via": term.via, "value": _array(term.value, number)} for term in part.terms],
    }


def _identity(row: Identity, number: Number) -> dict[str, Any]:
    return {
        "input": row.name,
        "where": row.where,
        "paths": list(row.paths),
        "product": _array(row.product, number),
        "jacobian": _array(row.jacobian, number),
        "truth": _array(row.truth, number),
        "agrees": row.agrees,
    }
