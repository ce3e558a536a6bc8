"""What the pages say that the program has as data, as Markdown."""

from collections.abc import Iterable, Mapping
from math import inf

from vjp_cli import files, values
from vjp_cli.checks import exit_code
from vjp_cli.checks.verdict import DOT_UNITS
from vjp_cli.errors import ExitCode
from vjp_cli.functions.signature import PLAIN
from vjp_cli.numbers.dtypes import FORMATS
from vjp_cli.numbers.scalar import TRUTH_DIGITS
from vjp_cli.ops import catalog
from vjp_cli.render.tables import MARKS
from vjp_cli.report import Verdict
from vjp_cli.settings import DTYPES, LIMITS, ON_REQUEST, Check, Settings

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
    Check.RETURNED: "what `backward` returns, before torch looks at it",
    Check.SINGLE_INPUTS: "gradients asked for one input at a time",
    Check.FORWARD_INPUTS: "the inputs of `forward`, before and after",
    Check.REPEATED: "the same v twice on one graph",
    Check.LAYOUTS: "v expanded (as from `y.sum()`), transposed, with gaps in memory",
    Check.LINEARITY: "v = 0, sums, v times 256 and divided by it",
    Check.DOUBLE_BACKWARD: "the derivative of vᵀJ, against the exact one",
    Check.JVP_RULE: "`jvp`, if there is one, against the exact J",
    Check.VMAP_RULE: "`vmap` or `generate_vmap_rule`, if there is one: y and vᵀJ of a batch",
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


# by the name that a page uses
FACTS: Mapping[str, str] = {
    **_limits(),
    "waiting": f"{LIMITS.waiting_elements:,}",
    "limits": _table(
        ("what", "at most"),
        ((words, _limits()[name]) for name, words in (COUNTS | BYTES).items()),
    ),
    "verdicts": _table(("verdict", "sign", "meaning", "exit code"), map(_verdict_row, Verdict)),
    "exit_codes": _table(("exit code", "meaning"), EXIT_CODES.items()),
    "tolerances": _table(
        ("dtype", "relative error"),
        ((dtype, f"{form.unit**0.75:.1e}") for dtype, form in FORMATS.items()),
    ),
    "backward_checks": _table(("name", "what is tried"), BACKWARD.items()),
    "checks": _words(check for check in Check if check not in ON_REQUEST),
    "on_request": _words(ON_REQUEST, " and "),
    "fail_on": _words((v for v in Verdict if v in _DEFAULTS.fail_on), " and "),
    "timeout": f"{_DEFAULTS.timeout:g}",
    "dot_units": str(DOT_UNITS),
    "digits": str(TRUTH_DIGITS),
    "operations": str(len(catalog.ROWS)),
    "formats": _words((f"`.{suffix}`" for suffix in files.FORMATS), " and "),
    "constants": _words(values.CONSTANTS, " and "),
    "dtypes": _words(DTYPES, " or "),
    "plain": _words((f"`{name}`" for name in PLAIN), " or "),
    "short": _words((dtype for dtype in FORMATS if dtype != _DEFAULTS.dtype), " and "),
}
