"""What the documents say that the program has as data, as Markdown."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import groupby
from math import inf
from typing import Any

import typer

from tests.bench import comparison
from vjp_cli import files, ops_page, values
from vjp_cli.checks import exit_code
from vjp_cli.checks.verdict import DOT_UNITS
from vjp_cli.cli import app
from vjp_cli.errors import ExitCode
from vjp_cli.functions.signature import PLAIN
from vjp_cli.manual import command_page
from vjp_cli.numbers.dtypes import FORMATS
from vjp_cli.numbers.scalar import TRUTH_DIGITS
from vjp_cli.ops import catalog
from vjp_cli.ops.facts import OpLine
from vjp_cli.ops.table import Op
from vjp_cli.pages.content import summaries
from vjp_cli.render import formats as report_formats
from vjp_cli.render.tables import MARKS
from vjp_cli.report import Verdict
from vjp_cli.settings import DTYPES, LIMITS, ON_REQUEST, Check, Format, Settings

_DEFAULTS = Settings()

VERDICTS = {
    Verdict.WRONG: "torch's number is not the derivative, and rounding cannot explain it",
    Verdict.NAN: "torch has NaN, but the derivative (or a slope) exists",
    Verdict.SATURATED: "torch has 0 or infinity where the derivative is an ordinary number: "
    "something overflowed, underflowed or was rounded away",
    Verdict.MISSING: "torch gives no number; the truth is shown",
    Verdict.IMPRECISE: "right up to rounding, but with fewer digits than the dtype has",
    Verdict.UNCHECKED: "could not be judged; the reason is given",
    Verdict.UNDEFINED: "the function has no slope here",
    Verdict.KINK: "the slopes to the left and to the right differ, and torch's number lies between "
    "them",
    Verdict.POLE: "the derivative is infinite, and torch says so",
    Verdict.BY_DESIGN: "the program departs from its mathematics on purpose, as with `detach`",
    Verdict.OK: "torch is right, up to the rounding of its own operations",
}
EXIT_CODES = {
    **{
        str(int(code)): meaning
        for code, meaning in {
            ExitCode.OK: "nothing wrong found",
            ExitCode.WRONG: "a gradient is wrong (or `--strict`, `--fail-on`, `--digits` not met)",
            ExitCode.USAGE: "a bad option, expression, value or file",
            ExitCode.EVALUATION: "the evaluation failed, or torch gives no gradient",
            ExitCode.LIMIT: "a limit was reached",
            ExitCode.OUTPUT: "the output could not be written",
            ExitCode.BUG: "a bug in vjp; please report it",
        }.items()
    },
    "130, 141, 143": "ended by a signal: Ctrl-C, a closed pipe, termination",
}
BACKWARD = {
    Check.RETURNED: (
        "what `backward` returns, before torch looks at it",
        "too few or too many gradients, a wrong shape, None where the output depends on the input, "
        "fewer digits than the input has",
    ),
    Check.SINGLE_INPUTS: (
        "gradients asked for one input at a time",
        "a backward that ignores `ctx.needs_input_grad`, or reads it wrongly",
    ),
    Check.FORWARD_INPUTS: (
        "the inputs of `forward`, before and after",
        "writing into them without `ctx.mark_dirty`",
    ),
    Check.REPEATED: (
        "the same v twice on one graph",
        "writing into saved tensors, `grad_output` or `ctx`",
    ),
    Check.LAYOUTS: (
        "v expanded (as from `y.sum()`), transposed, with gaps in memory",
        "`view(-1)`, writing in place, reading memory",
    ),
    Check.LINEARITY: (
        "v = 0, sums, v times 256 and divided by it",
        "a cotangent that is squared, clipped, normalised, ignored",
    ),
    Check.DOUBLE_BACKWARD: (
        "the derivative of vᵀJ, against the exact one",
        "a term lost because torch does not see it: an intermediate saved in forward, `.data`, "
        "NumPy",
    ),
    Check.JVP_RULE: ("`jvp`, if there is one, against the exact J", "a wrong or failing rule"),
    Check.VMAP_RULE: (
        "`vmap` or `generate_vmap_rule`, if there is one: y and vᵀJ of a batch",
        "a wrong or failing rule",
    ),
}
REPORTS = {
    Format.TABLE: "what a terminal shows",
    Format.PLAIN: "aligned columns without blanks in a field, an entry a line, for awk",
    Format.JSON: "everything, as one JSON value (`--json` is short for it)",
    Format.JSONL: "the same: one line, as in `vjp batch`",
    Format.CSV: "a row for each entry",
    Format.TSV: "the same with tabs",
    Format.MARKDOWN: "for an issue or a pull request",
    Format.LATEX: "a document that compiles, with the formulas and matrices",
    Format.HTML: "a page for the browser, for a phone, and for paper",
}
# the fields of ``Limits`` that are counts, and those that are bytes
COUNTS = {
    "characters": "characters of an expression",
    "nodes": "parts of an expression",
    "depth": "levels of nesting in an expression",
    "exponent": "a constant exponent",
    "constant_bits": "bits of a whole number in an expression",
    "elements": "elements of a value",
    "line_characters": "characters of a line of a batch",
    "dense_entries": "entries of a J that is computed in full; a larger one by its pattern",
    "exact_entries": "entries of J that can be non-zero and are compared; beyond, vᵀJ alone",
}
BYTES = {
    "file_bytes": "a file of values",
    "jacobian_bytes": "J in an `.npy` file",
}


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _words(words: Iterable[str], last: str = ", ") -> str:
    *others, end = words
    return last.join([", ".join(others), end]) if others else end


def _limits() -> dict[str, str]:
    counts = {name: f"{getattr(LIMITS, name):,}" for name in COUNTS}
    return counts | {name: f"{getattr(LIMITS, name) / 2**30:g} GiB" for name in BYTES}


def _verdict_row(verdict: Verdict) -> tuple[str, ...]:
    code = exit_code.of({verdict}, inf, _DEFAULTS)
    return f"`{verdict}`", MARKS[verdict], VERDICTS[verdict], str(int(code))


def _options(command: str) -> str:
    """A table for each heading of a command's help."""
    program: Any = typer.main.get_command(app).make_context("vjp", [], resilient_parsing=True)
    panels = command_page(program, command).panels
    return "\n\n".join(
        f"### {panel}\n\n" + _table(("option", "means"), map(_option_row, rows))
        for panel, rows in panels.items()
    )


def _option_row(row: tuple[str, str]) -> tuple[str, str]:
    # a bar would end the cell
    names, text = (re.sub(r"(?<=\S)\|(?=\S)", " or ", " ".join(part.split())) for part in row)
    return f"`{re.sub('[<>]', '', names)}`", text


def _operations() -> str:
    families = groupby(ops_page.listing(), key=lambda line: line.family)
    return "\n\n".join(
        f"## {family}\n\n" + _table(("operation", "checked by", "kinks"), map(_operation_row, rows))
        for family, rows in families
    )


def _operation_row(line: OpLine) -> tuple[str, ...]:
    op = catalog.find(line.name)
    assert op is not None
    return ", ".join(f"`{name}`" for name in _names_of(op)), line.checked, line.kinks


def _names_of(op: Op) -> Iterable[str]:
    """The names of a row, without a prefix where the bare name finds the same row."""
    bare = {name: name.rpartition(".")[2] for name in op.names}
    return dict.fromkeys(
        bare[name] if catalog.find(bare[name]) is op else name for name in op.names
    )


def _formats() -> str:
    return _table(
        ("format", "suffix of `-o`", "what it is"),
        (
            (f"`{fmt}`", " ".join(f"`{suffix}`" for suffix in row.suffixes), REPORTS[fmt])
            for fmt, row in report_formats.FORMATS.items()
        ),
    )


def _topics() -> str:
    return _table(
        ("page", "about"),
        (
            (f"[`vjp help {topic}`](vjp_cli/pages/{topic}.md)", about)
            for topic, about in summaries().items()
        ),
    )


def _comparison() -> str:
    rows = (comparison.row(case, case.jax) for case in comparison.CASES)
    return _table(tuple(comparison.HEAD), map(tuple, rows))


# by the name that a document uses; what takes long is only made when it is asked for
FACTS: Mapping[str, Callable[[], str]] = {
    **{name: partial(str, text) for name, text in _limits().items()},
    "waiting": lambda: f"{LIMITS.waiting_elements:,}",
    "limits": lambda: _table(
        ("what", "at most"),
        ((words, _limits()[name]) for name, words in (COUNTS | BYTES).items()),
    ),
    "verdicts": lambda: _table(
        ("verdict", "sign", "meaning", "exit code"), map(_verdict_row, Verdict)
    ),
    "exit_codes": lambda: _table(("exit code", "meaning"), EXIT_CODES.items()),
    "tolerances": lambda: _table(
        ("dtype", "relative error"),
        ((dtype, f"{form.unit**0.75:.1e}") for dtype, form in FORMATS.items()),
    ),
    "backward_checks": lambda: _table(
        ("name", "what is tried", "what it finds"),
        ((f"`{check}`", *words) for check, words in BACKWARD.items()),
    ),
    "checks": lambda: _words(check for check in Check if check not in ON_REQUEST),
    "on_request": lambda: _words(ON_REQUEST, " and "),
    "fail_on": lambda: _words((v for v in Verdict if v in _DEFAULTS.fail_on), " and "),
    "timeout": lambda: f"{_DEFAULTS.timeout:g}",
    "dot_units": lambda: str(DOT_UNITS),
    "digits": lambda: str(TRUTH_DIGITS),
    "operations": lambda: str(len(catalog.ROWS)),
    "formats": lambda: _words((f"`.{suffix}`" for suffix in files.FORMATS), " and "),
    "constants": lambda: _words(values.CONSTANTS, " and "),
    "dtypes": lambda: _words(DTYPES, " or "),
    "plain": lambda: _words((f"`{name}`" for name in PLAIN), " or "),
    "short": lambda: _words((dtype for dtype in FORMATS if dtype != _DEFAULTS.dtype), " and "),
    "inspect_options": lambda: _options("inspect"),
    "batch_options": lambda: _options("batch"),
    "operation_table": _operations,
    "format_table": _formats,
    "topics": _topics,
    "comparison": _comparison,
}
