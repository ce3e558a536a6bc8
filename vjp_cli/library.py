"""The library: the same inspection for Python code, and an assertion for people's own test suites.

Nothing of the command line is imported here.
"""

import inspect as signatures
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from vjp_cli import inspection
from vjp_cli.assembly import Request
from vjp_cli.checks.diagnosis import NOTE
from vjp_cli.errors import InputError
from vjp_cli.expression import parse
from vjp_cli.functions.body import UserFunction
from vjp_cli.functions.source import FunctionSource
from vjp_cli.lazy import numpy, torch
from vjp_cli.report import Finding, Report, Verdict
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
        subject: an expression as text, or a function that takes tensors and returns one.
        inputs: for each name (each parameter) a tensor, an array, nested lists or a number.
            Integer and boolean tensors are constants; all others are differentiated by.
        v: the cotangent, of the output's shape; None for J alone (or 1 for an output of one
            element).
        against: a function to take the truth from, if not from ``subject`` itself.
        settings: all other choices; the dtype is that of the first floating-point tensor among the
            inputs unless they are given.

    Raises:
        VjpError: an input does not fit, or the evaluation failed.
    """
    chosen = settings or Settings(dtype=_dtype(inputs))
    values = {name: _value(value) for name, value in inputs.items()}
    weights = None if v is None else _value(v)
    body = parse(subject) if isinstance(subject, str) else _function(subject)
    unknown = [name for name in values if name not in body.names]
    if unknown:
        raise InputError(
            f"there is no input '{unknown[0]}'", f"its inputs: {', '.join(body.names)}"
        )
    other = None if against is None else _function(against)
    return inspection.inspect(Request(body, values, weights, other), chosen)


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
        raise AssertionError("\n".join([f"the verdict is {report.verdict}", *report.notes]))
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
    name = getattr(function, "__name__", type(function).__name__)
    try:
        parameters = signatures.signature(function).parameters
    except ValueError:
        parameters = signatures.Signature().parameters
    if not parameters or any(p.kind in _MANY for p in parameters.values()):
        raise InputError(f"{name} has no named parameters", f"for example lambda x: {name}(x)")
    optional = {n for n, p in parameters.items() if p.default is not signatures.Parameter.empty}
    code = getattr(function, "__code__", None)
    path = Path(code.co_filename) if code is not None else Path("<python>")
    source = FunctionSource(path, name, tuple(parameters), frozenset(optional))
    return UserFunction(source, function)


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
