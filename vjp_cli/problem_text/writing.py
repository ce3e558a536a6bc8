"""A problem written out again: as one line for a shell, and as a file that ``reading`` reads.

The inputs are those of the report, rounded and generated already, so that nothing is left to a
file, a generator or a rounding.
"""

import ast
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from vjp_cli.arguments import FUNCTION
from vjp_cli.binding import tensor
from vjp_cli.errors import InputError
from vjp_cli.expression import Expression
from vjp_cli.language.source import span
from vjp_cli.problem_text.numerals import constant_text, value_text
from vjp_cli.problem_text.reading import LET, is_header
from vjp_cli.report import Array, Point, Report, Reproduction
from vjp_cli.request import Request
from vjp_cli.settings import Settings

# what a shell's history and a chat still show
LONGEST_LINE = 2_000
_DEFAULTS = Settings()
_TOO_LONG = "the problem has {} characters, too many for a line: --save-problem FILE writes it"


@dataclass(frozen=True)
class Asked:
    """A problem and the names that have an option of their own; others are set by ``--let``."""

    request: Request
    settings: Settings
    own: frozenset[str]


def with_reproduction(report: Report, asked: Asked) -> Report:
    """``report`` with the lines that make it again; a note says where one would be too long."""
    points = (None, *(c.point for c in report.checks if c.point is not None))[:2]
    lines = [_line(asked, _options(asked, report, point)) for point in points]
    longest = max(map(len, lines))
    notes = [_TOO_LONG.format(f"{longest:,}")] if longest > LONGEST_LINE else []
    short = (line if len(line) <= LONGEST_LINE else None for line in lines)
    return replace(report, reproduction=Reproduction(*short), notes=(*report.notes, *notes))


def problem_file(report: Report, asked: Asked, path: str) -> str:
    """The text of a file that ``vjp inspect @path`` runs.

    Raises:
        InputError: a text among the arguments of a function does not fit a line, or ``path`` is
            standard output.
    """
    if path == "-":
        raise InputError("--save-problem needs a file", "standard output has the report")
    options = _options(asked, report)
    call = ["vjp", "inspect", f"@{path}" if path.isprintable() else "@FILE"]
    if any(name in (FUNCTION, "--against") for name, _ in options):
        call.append("--allow-functions")
    lines = [f"# {shlex.join(call)}"]
    for name, value in options:
        if value is not None and not value.isprintable():
            raise InputError(
                f"the value of {name} has characters that a line of a file cannot hold",
                "--reproduce writes it for a shell",
            )
        lines.append(f"# vjp: {name}" + ("" if value is None else f" {_quoted(value)}"))
    subject = asked.request.subject
    if isinstance(subject, Expression):
        lines.append(_one_line(subject) if _has_header(subject) else _without_call(subject))
    return "\n".join(lines) + "\n"


def _line(asked: Asked, options: list[tuple[str, str | None]]) -> str:
    words = [
        word
        for name, value in options
        # a value that begins like an option would be taken for one
        for word in ([name, value] if value and value[0] != "-" else [_joined(name, value)])
    ]
    subject = asked.request.subject
    if not isinstance(subject, Expression):
        return shlex.join(["vjp", "inspect", *words])
    text = _one_line(subject)
    # behind a blank it is no option, and more options may be added at the end
    return shlex.join(["vjp", "inspect", f" {text}" if text[0] == "-" else text, *words])


def _joined(name: str, value: str | None) -> str:
    return name if value is None else f"{name}={value}"


def _options(
    asked: Asked, report: Report, point: Point | None = None
) -> list[tuple[str, str | None]]:
    """The options of the problem with their values, None for a flag."""
    request, settings = asked.request, asked.settings
    options: list[tuple[str, str | None]] = []
    if not isinstance(request.subject, Expression):
        options.append((FUNCTION, request.subject.text))
    for name, text in _values(asked, report, point).items():
        options.append((f"--{name}", text) if name in asked.own else (LET, f"{name}={text}"))
    v = report.v if point is None else point.v
    weights = report.problem.weights
    if settings.order == 2 and weights is not None:
        v = weights
    if v is not None and (request.v is not None or point is not None):
        options.append(("--v", value_text(v, settings.dtype)))
    if point is None:
        options += _weights(request, report, settings.dtype)
    return [*options, *_settings(request, settings)]


def _weights(request: Request, report: Report, dtype: str) -> Iterator[tuple[str, str]]:
    """The further v, the loss in the place of all of them, and u."""
    if report.accumulation is not None:
        for pull in report.accumulation.pulls[1:]:
            yield "--v", value_text(pull.v, dtype)
    if request.loss is not None:
        yield "--loss", _one_line(request.loss)
    if report.tangent is not None:
        for name, u in report.tangent.u.items():
            yield "--u", f"{name}={value_text(u, dtype)}"


def _values(asked: Asked, report: Report, point: Point | None) -> dict[str, str]:
    """The text of the value of each name."""
    request, settings = asked.request, asked.settings
    inputs = report.inputs if point is None else point.inputs
    texts: dict[str, str] = {}
    for name, value in request.inputs.items():
        if value.dtype is not None:
            constant = tensor(value, settings)
            numbers = tuple(constant.reshape(-1).tolist())
            texts[name] = constant_text(Array(tuple(constant.shape), numbers), value.dtype)
    # the parameters of a module move only with a point
    given = [name for name in inputs if point is not None or name in request.inputs]
    texts |= {name: value_text(inputs[name], settings.dtype) for name in given}
    ordered = [*(name for name in request.inputs if name in texts), *given]
    plain = {name: _plain(value) for name, value in request.arguments.items()}
    return {name: texts[name] for name in dict.fromkeys(ordered)} | plain


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _settings(request: Request, settings: Settings) -> Iterator[tuple[str, str | None]]:
    """The other choices that make the problem what it is, where they are not the usual ones."""
    if request.against is not None:
        yield "--against", request.against.text
    usual: Mapping[str, tuple[Any, Any]] = {
        "--wrt": (",".join(settings.wrt), ""),
        "--dtype": (settings.dtype, _DEFAULTS.dtype),
        "--device": (settings.device, _DEFAULTS.device),
        "--order": (settings.order, _DEFAULTS.order),
        "--output-index": (settings.output_index, None),
        "--layout": (settings.layout, _DEFAULTS.layout),
        "--seed": (settings.seed, _DEFAULTS.seed),
        "--checks": (settings.checks, _DEFAULTS.checks),
    }
    for name, (chosen, default) in usual.items():
        if chosen != default:
            words = ",".join(chosen) or "none" if isinstance(chosen, tuple) else str(chosen)
            yield name, words
    if not settings.jacobian:
        yield "--no-jacobian", None


def _one_line(expression: Expression) -> str:
    """The expression without comments and line ends."""
    if "\n" not in expression.source and "#" not in expression.source:
        return expression.source
    texts = ((node, span(expression.source, node).text) for node in expression.statements)
    # as it was written, but for what has a line end or a comment within brackets
    return "; ".join(ast.unparse(n) if "\n" in text or "#" in text else text for n, text in texts)


def _has_header(expression: Expression) -> bool:
    return any(is_header(line) for line in expression.source.split("\n"))


def _without_call(expression: Expression) -> str:
    """The text without the command of another file that it was read from."""
    lines = expression.source.split("\n")
    return "\n".join(line for line in lines if not line.startswith("# vjp inspect @"))


def _quoted(value: str) -> str:
    """``value`` for a line of a problem file, where only quotes and blanks need care."""
    return value if re.fullmatch(r"[^\s'\"\\]+", value) else shlex.quote(value)
