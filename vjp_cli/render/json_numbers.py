"""Numbers as JSON can hold them, one by one and in arrays."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from vjp_cli.lazy import numpy
from vjp_cli.render.numbers import complex_text
from vjp_cli.report import Array, Number, Report

# every whole number up to here survives readers that hold all numbers as doubles
_SAFE_INTEGER = 2**53
# arrays from this size are looked at as a whole before their numbers are written one by one
_MANY = 1000

Arrays = Mapping[str, Array[Any]] | None


def number(value: Number | None) -> float | int | str | None:
    """``value`` as JSON can hold it: what is not finite and what is complex become strings."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, complex):
        return complex_text(value)
    if isinstance(value, int):
        return value if abs(value) <= _SAFE_INTEGER else str(value)
    if isfinite(value):
        return value
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"


def nested(array: Array[Any]) -> Any:
    """The numbers in nested lists."""
    return Array(array.shape, _listed(array.values[:])).nested()


def _listed(values: Sequence[Any]) -> Sequence[Any]:
    """Each number as JSON can hold it; nearly always they are what they are."""
    if len(values) < _MANY:
        return list(map(number, values))
    try:
        plain = numpy.array(values, dtype=float)
    except TypeError:
        return list(map(number, values))
    # beyond this size whole numbers become strings
    return values if bool((abs(plain) <= _SAFE_INTEGER).all()) else list(map(number, values))


def numbers(arrays: Arrays) -> dict[str, Any] | None:
    """Arrays by name in nested lists."""
    if arrays is None:
        return None
    return {name: nested(array) for name, array in arrays.items()}


def jacobian(report: Report, sparse: Mapping[str, list[int]]) -> dict[str, Any] | None:
    """J for each input: nested, or by coordinates where ``sparse`` has the flat positions."""
    if report.jacobian is None:
        return None
    return {
        name: _coordinates(array, len(report.output.value.values), sparse[name])
        if name in sparse
        else nested(array)
        for name, array in report.jacobian.items()
    }


def _coordinates(array: Array[Any], rows: int, positions: list[int]) -> dict[str, Any]:
    columns = len(array.values) // rows
    at_rows, at_columns = numpy.divmod(numpy.array(positions, dtype=int), max(columns, 1))
    return {
        "format": "coo",
        "shape": [rows, columns],
        "rows": at_rows.tolist(),
        "cols": at_columns.tolist(),
        "values": _listed(array.at(positions)),
    }
