"""What ``vjp ops`` tells of the operation table: a line for each row, or the page of one."""

import inspect as python_inspect
import re
from collections.abc import Iterator
from contextlib import suppress
from types import ModuleType
from typing import Any

from vjp_cli.errors import EvaluationError, InputError, VjpError, shorten
from vjp_cli.expression import parse
from vjp_cli.lazy import inspection, sympy, torch
from vjp_cli.ops import catalog
from vjp_cli.ops.facts import MeasuredKink, OpLine, OpPage
from vjp_cli.ops.table import Kind, Op
from vjp_cli.report import Report, Truth, TruthKind
from vjp_cli.request import Request
from vjp_cli.settings import Settings
from vjp_cli.values import Value

_CHECKED = {
    Kind.COMPOSITE: "traced algorithm",
    Kind.OPAQUE: "evaluation and slopes",
    Kind.COMPARE: "no derivative",
    Kind.CONSTANT: "no derivative",
}
_NUMBER = r"-?\d+(?:\.\d+)?"
_PLACES = re.compile(
    rf"(?:a jump )?(?:vertical tangents? )?(?:at )?({_NUMBER}(?: and {_NUMBER})*)(?:$|[,;]| in )"
)
# arguments that an expression has no use for
_NO_USE = re.compile(
    r", (out|layout|device|requires_grad|pin_memory|memory_format)\b(=[\w.']+)?|, \*(?=, out=None)"
)


def listing() -> tuple[OpLine, ...]:
    """Every row, family by family, without torch or SymPy."""
    return tuple(_line(op, family) for family, rows in _families() for op in rows)


def page(name: str) -> OpPage:
    """The page of the operation that an expression calls ``name``.

    Raises:
        InputError: there is none.
    """
    op = catalog.find(name)
    if op is None:
        close = catalog.suggest(name)
        hint = f"did you mean '{close}'?" if close else "vjp ops lists all of them"
        raise InputError(f"no such operation: '{shorten(name)}'", hint)
    family = next(family for family, rows in _families() if op in rows)
    rule, derivatives = _formulas(op)
    return OpPage(
        line=_line(op, family),
        torch=f"torch.{op.torch}",
        signature=_signature(op),
        aliases=op.aliases,
        fields=op.fields,
        samples=op.samples,
        rule=rule,
        derivatives=derivatives,
        domain=op.domain,
        measured=tuple(_measured(op)),
        note=op.note,
        departure=op.departure,
    )


def _families() -> Iterator[tuple[str, tuple[Op, ...]]]:
    """The modules that the catalog collects, each a family."""
    for module in vars(catalog).values():
        if isinstance(module, ModuleType) and hasattr(module, "ROWS"):
            yield module.__name__.rpartition(".")[2].replace("_", " "), module.ROWS


def _line(op: Op, family: str) -> OpLine:
    return OpLine(op.name, family, op.kind, _CHECKED.get(op.kind, "formula"), op.kinks)


def _signature(op: Op) -> str:
    """As torch documents it; where it does not, as Python or the row has it; names and defaults."""
    function: Any = torch
    for part in op.torch.split("."):
        function = getattr(function, part)
    last = op.torch.rpartition(".")[2]
    documented = re.search(rf"^\s*{last}\((.*?)\) *->", function.__doc__ or "", re.MULTILINE)
    if documented and ": " not in documented[1]:
        words = " ".join(documented[1].replace("\\", "").split())
        return f"{op.name}({_NO_USE.sub('', words).removesuffix(', *')})"
    for source in filter(callable, (function, op.rule)):
        with suppress(TypeError, ValueError):
            plain = [
                parameter.replace(annotation=parameter.empty)
                for parameter in python_inspect.signature(source).parameters.values()
                if not parameter.name.startswith("_")
            ]
            return f"{op.name}{python_inspect.Signature(plain)}"
    return op.samples[0]


def _formulas(op: Op) -> tuple[str, dict[str, str]]:
    """The formula of an elementwise row, and its derivatives by SymPy."""
    if op.kind is not Kind.ELEMENTWISE or op.rule is None:
        return "", {}
    symbols = [sympy.Symbol(name) for name in python_inspect.signature(op.rule).parameters]
    formula = op.rule(*symbols)
    return str(formula), {str(symbol): str(sympy.diff(formula, symbol)) for symbol in symbols}


def _measured(op: Op) -> Iterator[MeasuredKink]:
    """The row's own call inspected at each kink whose place is a number."""
    places = _PLACES.match(op.kinks)
    for at in places[1].split(" and ") if places else ():
        for sample in op.samples:
            try:
                yield _measure(op, sample, at)
            except VjpError:
                continue
            break


def _measure(op: Op, sample: str, at: str) -> MeasuredKink:
    expression = parse(sample)
    first, *others = expression.names
    # generic, so that no second kink hides the one that is looked for
    between = op.domain[0] + 0.7 * (op.domain[1] - op.domain[0])
    values = {first: Value((), (float(at),)), **{name: Value((), (between,)) for name in others}}
    report: Report = inspection.inspect(
        Request(expression, values), Settings(wrt=(first,), jacobian=False)
    )
    judged, numbers = report.judged_vjp, report.vjp
    if judged is None:
        raise EvaluationError(f"no derivative of {sample} was judged")
    truth = judged.truth[first].values[0]
    left, right = _sides(truth)
    torch_number = None if numbers is None else numbers[first].values[0]
    verdict = judged.verdicts[first].values[0]
    return MeasuredKink(sample, at, torch_number, left, right, verdict)


def _sides(truth: Truth) -> tuple[str, str]:
    match truth.kind:
        case TruthKind.SLOPES:
            return truth.left, truth.right
        case TruthKind.VALUE | TruthKind.REMOVABLE:
            return truth.value, truth.value
    return truth.kind.value, truth.kind.value
