"""The library: the same inspection for Python code, and an assertion for people's own test suites.

Nothing of the command line is imported here.
"""

import inspect as signatures
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from vjp_cli import inspection
from vjp_cli.checks.diagnosis import NOTE
from vjp_cli.errors import InputError
from vjp_cli.expression import Expression, parse
from vjp_cli.functions.body import UserFunction
from vjp_cli.functions.loading import called
from vjp_cli.functions.signature import UNANNOTATED, Kind, plain_type
from vjp_cli.functions.source import FunctionSource
from vjp_cli.lazy import numpy, torch
from vjp_cli.report import Finding, Report, Verdict
from vjp_cli.request import Request
from vjp_cli.settings import Settings
from vjp_cli.values import Value


def inspect(
    subject: str | Callable[..., Any],
    inputs: Mapping[str, Any],
    v: Any = None,
    *,
    against: Callable[..., Any] | None = None,
    settings: Settings | None = None,
) -> Report:
    """Evaluate, differentiate and judge an expression or a function of torch tensors.

    Args:
        subject: an expression as text, a function that takes tensors and returns one, or an
            ``nn.Module``, whose parameters are inputs as well.
        inputs: for each name (each parameter) a tensor, an array, nested lists or a number.
            Integer and boolean tensors are constants; all others are differentiated by. A bool or
            a text is handed on as it is, and so is the value of a parameter that is annotated as
            ``bool``, ``int``, ``float`` or ``str``.
        v: the cotangent, of the output's shape; None for J alone (or 1 for an output of one
            element).
        against: a function to take the truth from, if not from ``subject`` itself.
        settings: all other choices; the dtype is that of the first floating-point tensor among the
            inputs unless they are given.

    Raises:
        VjpError: an input does not fit, or the evaluation failed.
    """
    chosen = settings or Settings(dtype=_dtype(inputs))
    weights = None if v is None else _value(v)
    body = parse(subject) if isinstance(subject, str) else _function(subject)
    unknown = [name for name in inputs if name not in body.names]
    if unknown and (isinstance(body, Expression) or body.module is None):
        raise InputError(
            f"there is no input '{unknown[0]}'", f"its inputs: {', '.join(body.names)}"
        )
    plain = () if isinstance(body, Expression) else body.source.plain
    arguments = {n: x for n, x in inputs.items() if n in plain or isinstance(x, (bool, str))}
    values = {name: _value(value) for name, value in inputs.items() if name not in arguments}
    other = None if against is None else _function(against)
    return inspection.inspect(Request(body, values, weights, other, arguments), chosen)


def assert_vjp(
    subject: str | Callable[..., Any],
    inputs: Mapping[str, Any],
    v: Any = None,
    *,
    against: Callable[..., Any] | None = None,
    settings: Settings | None = None,
) -> Report:
    """Fail unless every entry of J and of vᵀJ is right; the arguments are those of ``inspect``.

    Raises:
        AssertionError: an entry is wrong, NaN, saturated, missing or could not be judged; the text
            begins with that entry, both numbers and the cause.
    """
    report = inspect(subject, inputs, v, against=against, settings=settings)
    bad = [finding for finding in report.findings if finding.verdict in _FAILING]
    if bad:
        raise AssertionError("\n".join(_lines(report, bad)))
    if report.exit_code != 0 or report.verdict in _FAILING:
        failing = [c for c in report.checks if c.verdict in _FAILING and c.reason]
        said = [f"{check.name}: {check.verdict}: {check.reason}" for check in failing]
        raise AssertionError("\n".join([f"the verdict is {report.verdict}", *said, *report.notes]))
    return report


def _lines(report: Report, bad: list[Finding]) -> list[str]:
    lines = [_line(finding) for finding in bad[:_LISTED]]
    if len(bad) > _LISTED:
        lines.append(f"and {len(bad) - _LISTED} more entries")
    return lines + [note for note in report.notes if note.startswith(NOTE)]


_FAILING = (Verdict.WRONG, Verdict.NAN, Verdict.SATURATED, Verdict.MISSING, Verdict.UNCHECKED)
_LISTED = 5


def _line(finding: Finding) -> str:
    if finding.verdict is Verdict.UNCHECKED:
        return f"{finding.where}: unchecked: {finding.cause}"
    truth = finding.truth or (f"slopes {finding.left}, {finding.right}" if finding.left else "?")
    text = f"{finding.where}: {finding.verdict}: torch has {finding.torch}, the truth is {truth}"
    text += f" ({finding.cause})" if finding.cause else ""
    return f"{text}; write {finding.remedy}" if finding.remedy else text


_MANY = (signatures.Parameter.VAR_POSITIONAL, signatures.Parameter.VAR_KEYWORD)


def _function(function: Callable[..., Any]) -> UserFunction:
    """A function that is there already, with the parameters that its signature has."""
    is_module = isinstance(function, torch.nn.Module)
    target = function.forward if is_module else function  # type: ignore[attr-defined]
    name = getattr(function, "__name__", type(function).__name__)
    try:
        parameters = signatures.signature(target).parameters
    except ValueError:
        parameters = signatures.Signature().parameters
    if not parameters or any(p.kind in _MANY for p in parameters.values()):
        raise InputError(f"{name} has no named parameters", f"for example lambda x: {name}(x)")
    optional = {n for n, p in parameters.items() if p.default is not signatures.Parameter.empty}
    plain = {n: kind for n, p in parameters.items() if (kind := _plain(p))}
    code = getattr(target, "__code__", None)
    path = Path(code.co_filename) if code is not None else Path("<python>")
    kind = Kind.MODULE if is_module else Kind.FUNCTION
    source = FunctionSource(path, name, tuple(parameters), frozenset(optional), plain, kind)
    return called(source, function)


def _plain(parameter: signatures.Parameter) -> str:
    """The type of a parameter that takes a plain Python value, by the rule for sources; else ""."""
    note = parameter.annotation
    text = note if isinstance(note, str) else getattr(note, "__name__", None) or str(note)
    if plain_type(text):
        return plain_type(text)
    default = type(parameter.default).__name__
    return default if parameter.kind is parameter.KEYWORD_ONLY and default in UNANNOTATED else ""


def _dtype(inputs: Mapping[str, Any]) -> str:
    for value in inputs.values():
        if isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex()):
            return str(value.dtype).removeprefix("torch.")
    return Settings().dtype


def _value(given: Any) -> Value:
    if isinstance(given, torch.Tensor):
        tensor = given.detach().cpu()
        own = None
        if not (tensor.is_floating_point() or tensor.is_complex()):
            own = str(tensor.dtype).removeprefix("torch.")
        return Value(tuple(tensor.shape), tuple(tensor.reshape(-1).tolist()), own)
    array = numpy.asarray(given)
    wide = complex if numpy.iscomplexobj(array) else float
    return Value(tuple(array.shape), tuple(wide(number) for number in array.reshape(-1).tolist()))
