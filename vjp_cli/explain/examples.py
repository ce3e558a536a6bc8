"""One entry of ``.grad`` written out: its weighted sum with the numbers of this problem."""

from math import isfinite

from vjp_cli.render.numbers import short
from vjp_cli.render.tables import Axis
from vjp_cli.report import Number, Report, Verdict

# of a sum, and of a longer one
_TERMS = 4
_BEGINNING = 3
# a short dtype rounds each product
_CLOSE = {"float16": 1e-2, "bfloat16": 5e-2}


def example(report: Report) -> tuple[str, dict[str, object]]:
    """The key of the sentence, and what stands in its places."""
    assert report.vjp is not None
    name = report.problem.wrt[0]
    numbers = report.vjp[name]
    position = _telling(report, name)
    value = numbers.values[position]
    if value is None:
        return "example_none", {}
    values: dict[str, object] = {
        "entry": Axis(f"{name}.grad", numbers.shape)[position],
        "value": short(value),
    }
    pairs = _pairs(report, name, position)
    if pairs is None or not _adds_up(pairs, value, _CLOSE.get(report.problem.dtype, 1e-4)):
        return "example_value", values
    if len(pairs) <= _TERMS:
        return "example", {**values, "terms": _sum(pairs)}
    active = [pair for pair in pairs if pair[0] != 0 and pair[1] != 0]
    if not active:
        return "example_value", values
    rest = len(pairs) - len(active)
    if len(active) <= _TERMS:
        key = "example_zeros" if rest else "example"
        return key, {**values, "terms": _sum(active), "rest": rest}
    beginning = active[:_BEGINNING]
    return "example_rest", {**values, "terms": _sum(beginning), "rest": len(pairs) - _BEGINNING}


def _telling(report: Report, name: str) -> int:
    """The first entry that is right, finite and not 0, or what comes closest to it."""
    assert report.vjp is not None
    numbers = report.vjp[name].values
    judged = report.judged_vjp
    verdicts = None if judged is None else judged.verdicts[name].values

    def rank(position: int) -> tuple[bool, ...]:
        value = numbers[position]
        known = value is not None and _finite(value)
        right = verdicts is None or verdicts[position] is Verdict.OK
        return (value is not None, known, right, known and value != 0)

    return max(range(len(numbers)), key=rank)


def _pairs(report: Report, name: str, position: int) -> list[tuple[Number, Number]] | None:
    """Each weight with the derivative that it weights; None where J is not there in full."""
    if report.jacobian is None or report.v is None:
        return None
    columns = len(report.inputs[name].values)
    column = report.jacobian[name].values[position::columns]
    found = [(v, d) for v, d in zip(report.v.values, column, strict=True) if d is not None]
    return found if len(found) == len(column) else None


def _adds_up(pairs: list[tuple[Number, Number]], value: Number, close: float) -> bool:
    """Whether a reader who adds the terms gets the number that is shown."""
    products = [weight * derivative for weight, derivative in pairs]
    size = sum(map(abs, products))
    return isfinite(size) and _finite(value) and abs(sum(products) - value) <= close * size


def _finite(value: Number) -> bool:
    return isfinite(value.real) and isfinite(value.imag)


def _sum(pairs: list[tuple[Number, Number]]) -> str:
    return " + ".join(f"{_factor(weight)}·{_factor(derivative)}" for weight, derivative in pairs)


def _factor(value: Number) -> str:
    text = short(value)
    return f"({text})" if text.startswith("-") or isinstance(value, complex) else text
