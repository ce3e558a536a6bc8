"""The command line: flags -> request and settings -> one call -> text -> written -> exit code."""

import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any, NoReturn

import typer

import vjp_cli
from vjp_cli import inspection
from vjp_cli.arguments import EXAMPLE, wants_json
from vjp_cli.choices import device_of, dtype_of, format_of, names_of, verdicts_of
from vjp_cli.command import (
    JUDGEMENT,
    OUTPUT,
    PROBLEM,
    SHOWN,
    ExpressionCommand,
    ProgramGroup,
    call_of,
    known_error,
)
from vjp_cli.errors import ExitCode
from vjp_cli.output import colored, unicode_drawn, width, write_error, write_text
from vjp_cli.problem import request_of, texts_of
from vjp_cli.render import View, render
from vjp_cli.report import Verdict
from vjp_cli.settings import Color, Format, Layout, Settings

_DEFAULTS = Settings()
_FAIL_ON = ",".join(verdict for verdict in Verdict if verdict in _DEFAULTS.fail_on)
_EXAMPLES = f"""\
Examples:
  {EXAMPLE} --v 0.1,1,1e-4
  vjp inspect 'k @ x' --k '1,2;3,4;5,6' --x 1,2 --v ones --json | jq .vjp.x"""

app = typer.Typer(
    cls=ProgramGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Inspect vector-Jacobian products: what y.backward(v) computes, and whether it is right.",
)


def _option(panel: str, *names: str, help: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=panel, **more)


def _answer(name: str, letter: str, help: str, text: Callable[[typer.Context], str]) -> Any:
    """An option that writes a text and ends the program well."""

    def write(context: typer.Context, asked: bool) -> None:
        if asked and not context.resilient_parsing:
            write_text(text(context) + "\n")
            raise typer.Exit

    return _option(
        OUTPUT, name, letter, help=help, is_eager=True, expose_value=False, callback=write
    )


Help = Annotated[
    bool, _answer("--help", "-h", "Show this page and exit.", lambda context: context.get_help())
]
Version = Annotated[
    bool,
    _answer(
        "--version", "-V", "Show the version and exit.", lambda _: f"vjp {vjp_cli.__version__}"
    ),
]
Expr = Annotated[
    str | None,
    typer.Argument(
        metavar="EXPR",
        help="A torch expression in quotes; - reads standard input, @FILE a file. "
        "Each of its variables is an option: 'k @ x' takes --k and --x.",
        rich_help_panel=PROBLEM,
    ),
]
_V = ("--v", "--cotangent", "--gradient")
Cotangent = Annotated[
    str | None,
    _option(PROBLEM, *_V, metavar="VALUE", help="The cotangent v, as y.backward(v) takes it."),
]
Wrt = Annotated[
    str | None, _option(PROBLEM, metavar="NAMES", help="Differentiate by these inputs only.")
]
Let = Annotated[
    list[str] | None,
    _option(
        PROBLEM,
        metavar="NAME=VALUE",
        help="Set a variable whose option means something else, like v. Repeatable.",
    ),
]
Dtype = Annotated[
    str, _option(PROBLEM, metavar="DTYPE", help="The dtype that inputs are rounded to.")
]
Device = Annotated[str, _option(PROBLEM, metavar="DEVICE", help="Where torch computes.")]
Full = Annotated[bool, _option(SHOWN, "--full", help="Cut no table and no formula.")]
Transposed = Annotated[Layout, _option(SHOWN, help="J[i,j] = ∂y_i/∂x_j, or its transpose.")]
NoJacobian = Annotated[bool, _option(SHOWN, "--no-jacobian", help="Do not build J.")]
MaxEntries = Annotated[
    int, _option(SHOWN, min=0, metavar="N", help="Nest J in JSON up to N entries.")
]
Strict = Annotated[bool, _option(JUDGEMENT, "--strict", help="Exit 1 for everything but ok.")]
FailOn = Annotated[
    str, _option(JUDGEMENT, metavar="VERDICTS", help="The verdicts that make exit 1.")
]
Digits = Annotated[
    int | None,
    _option(
        JUDGEMENT,
        min=1,
        max=30,
        metavar="N",
        help="Exit 1 where an imprecise entry has fewer correct digits.",
    ),
]
Timeout = Annotated[
    float,
    _option(
        JUDGEMENT,
        min=0,
        metavar="SECONDS",
        help="The time for the symbolic side; what is left then is unchecked.",
    ),
]
Seed = Annotated[
    int,
    _option(
        JUDGEMENT,
        min=0,
        max=2**32 - 1,
        metavar="N",
        help="The seed of random values and of random checks.",
    ),
]
Json = Annotated[bool, _option(OUTPUT, "--json", help="Short for --format json.")]
Shape = Annotated[Format | None, _option(OUTPUT, "--format", help="The output format.")]
File = Annotated[
    str | None, _option(OUTPUT, "--output", "-o", metavar="FILE", help="Write to FILE.")
]
Quiet = Annotated[
    bool, _option(OUTPUT, "--quiet", "-q", help="No report: the exit code is the answer.")
]
Colors = Annotated[Color, _option(OUTPUT, "--color", help="When to colour.")]


@app.callback(invoke_without_command=True, add_help_option=False, epilog=_EXAMPLES)
def _program(context: typer.Context, version: Version = False, help: Help = False) -> None:
    if context.invoked_subcommand is None:
        # not an answer but a reminder: stdout stays empty for whatever reads it
        if sys.stderr is not None:
            sys.stderr.write(context.get_help() + "\n")
        raise typer.Exit(ExitCode.USAGE)


@app.command(
    "inspect",
    cls=ExpressionCommand,
    options_metavar="[--NAME VALUE]... [OPTIONS]",
    add_help_option=False,
    epilog=_EXAMPLES,
)
def _inspect(
    context: typer.Context,
    expression: Expr = None,
    v: Cotangent = None,
    wrt: Wrt = None,
    let: Let = None,
    dtype: Dtype = _DEFAULTS.dtype,
    device: Device = _DEFAULTS.device,
    full: Full = False,
    layout: Transposed = _DEFAULTS.layout,
    no_jacobian: NoJacobian = False,
    max_entries: MaxEntries = _DEFAULTS.max_entries,
    strict: Strict = False,
    fail_on: FailOn = _FAIL_ON,
    digits: Digits = None,
    timeout: Timeout = _DEFAULTS.timeout,
    seed: Seed = _DEFAULTS.seed,
    json: Json = False,
    format: Shape = None,
    output: File = None,
    quiet: Quiet = False,
    color: Colors = Color.AUTO,
    version: Version = False,
    help: Help = False,
) -> int:
    """Show J, v, vᵀJ and an independent derivation of them for one expression."""
    settings = Settings(
        wrt=names_of(wrt, "--wrt") if wrt is not None else (),
        dtype=dtype_of(dtype),
        device=device_of(device),
        layout=layout,
        seed=seed,
        timeout=timeout,
        digits=digits,
        strict=strict,
        fail_on=verdicts_of(fail_on, "--fail-on"),
        max_entries=max_entries,
        jacobian=not no_jacobian,
        full=full,
    )
    chosen = format_of(format, json)
    call = call_of(context)
    texts = texts_of(call.expression, call.values, let or ())
    request = request_of(call.expression, texts, v, settings.wrt, call.stdin)
    report = inspection.inspect(request, settings)
    if not quiet or output:
        view = View(width(output), colored(color, output), unicode_drawn(output), full, max_entries)
        write_text(render(report, chosen, view), output)
    return report.exit_code


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; nothing but ``SystemExit`` is raised."""
    try:
        command = typer.main.get_command(app)
        # given as a list, the arguments are never expanded as file patterns on Windows
        result = command.main(list(arguments), prog_name="vjp", standalone_mode=False)
        return int(result or 0)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except Exception as error:
        if os.environ.get("VJP_DEBUG") == "1" and sys.stderr is not None:
            traceback.print_exc()
        known = known_error(error)
        write_error(known, as_json=wants_json(arguments))
        return int(known.exit_code)


def main() -> NoReturn:
    """The program ``vjp``."""
    # a loop in C hears Ctrl-C only so, and a closed pipe ends the program in silence
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    code = run(sys.argv[1:])
    # what torch has made lives until the end: do not scan it once more for garbage
    gc.freeze()
    sys.exit(code)
