"""The command line: flags -> request and settings -> one call -> text -> written -> exit code."""

import gc
import os
import pkgutil
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

import typer

from vjp_cli import batch_options, ending, examples, judgement_options, lookups, options, positional
from vjp_cli.arguments import wants_json
from vjp_cli.asked import with_weights
from vjp_cli.call import call_of
from vjp_cli.choices import (
    checks_of,
    device_of,
    dtype_of,
    format_of,
    language_of,
    names_of,
    picture_of,
    verdicts_of,
)
from vjp_cli.command import ExpressionCommand, PlainCommand, ProgramGroup, known_error
from vjp_cli.errors import ExitCode
from vjp_cli.expression import Expression
from vjp_cli.lazy import inspection
from vjp_cli.output import (
    apart,
    colored,
    unicode_drawn,
    width,
    write_bytes,
    write_error,
    write_text,
)
from vjp_cli.problem import request_of, texts_of, with_truth
from vjp_cli.render import View, render
from vjp_cli.report import Report, Verdict
from vjp_cli.saving import refuse_unsavable, save_jacobian
from vjp_cli.settings import Color, Format, Settings
from vjp_cli.status_line import status_line

_DEFAULTS = Settings()
_FAIL_ON = ",".join(verdict for verdict in Verdict if verdict in _DEFAULTS.fail_on)

app = typer.Typer(
    cls=ProgramGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Inspect vector-Jacobian products: what y.backward(v) computes, and whether it is right.",
)


@app.callback(invoke_without_command=True, add_help_option=False, epilog=examples.INSPECT)
def _program(
    context: typer.Context, version: options.Version = False, help: options.Help = False
) -> None:
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
    epilog=examples.INSPECT,
)
def _inspect(
    context: typer.Context,
    expression: positional.Expr = None,
    function: options.Function = None,
    v: options.Cotangent = None,
    loss: options.Loss = None,
    u: options.TangentU = None,
    wrt: options.Wrt = None,
    dtype: options.Dtype = _DEFAULTS.dtype,
    let: options.Let = None,
    against: options.Against = None,
    output_index: options.OutputIndex = None,
    order: options.Order = 1,
    device: options.Device = _DEFAULTS.device,
    allow_functions: options.AllowFunctions = False,
    explain: options.Explain = False,
    lang: options.Lang = None,
    full: options.Full = False,
    layout: options.Transposed = _DEFAULTS.layout,
    chain: options.Chain = False,
    contributions: options.Shares = False,
    no_jacobian: options.NoJacobian = False,
    max_entries: options.MaxEntries = _DEFAULTS.max_entries,
    strict: judgement_options.Strict = False,
    fail_on: judgement_options.FailOn = _FAIL_ON,
    digits: judgement_options.Digits = None,
    timeout: judgement_options.Timeout = _DEFAULTS.timeout,
    checks: judgement_options.Checks = None,
    points: judgement_options.Points = _DEFAULTS.points,
    seed: judgement_options.Seed = _DEFAULTS.seed,
    json: options.Json = False,
    format: options.Shape = None,
    output: options.File = None,
    save: options.Save = None,
    plot: options.Plot = None,
    save_problem: options.SaveProblem = None,
    reproduce: options.Reproduce = False,
    quiet: options.Quiet = False,
    color: options.Colors = Color.AUTO,
    version: options.Version = False,
    help: options.Help = False,
) -> int:
    """Show J, v and vᵀJ of an expression or function, and judge them.

    The numbers are torch's, beside an independent derivation of the same.
    """
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
        contributions=contributions,
        output_index=output_index,
        order=order,
        points=points,
        chain=chain,
        language=language_of(explain, lang),
        checks=checks_of(checks if checks is None else names_of(checks, "--checks"), "--checks"),
    )
    if save is not None:
        refuse_unsavable(save, settings)
    chosen = format_of(format, json, output)
    picture = plot and picture_of(plot, settings.jacobian)
    call = call_of(context)
    if isinstance(call.subject, Expression) and against is None:
        ending.only_ours()
    texts = texts_of(call.subject, call.values, let or ())
    request = request_of(call.subject, texts, settings.wrt, call.stdin)
    request = with_weights(request, v or (), loss, u or (), call.stdin)
    request = with_truth(request, against, "--against")
    with status_line(quiet), apart():
        report: Report = inspection.inspect(request, settings)
    # a page is read where the command line that made it is no longer seen
    reproduce = reproduce or chosen is Format.HTML
    if save_problem is not None or reproduce:
        # with the tracer, which help can do without
        writing = pkgutil.resolve_name("vjp_cli.problem_text.writing")
        problem = writing.Asked(request, settings, call.own_names)
        if save_problem is not None:
            write_text(writing.problem_file(report, problem, save_problem), save_problem)
        report = writing.with_reproduction(report, problem) if reproduce else report
    if save is not None:
        save_jacobian(report, save)
    if plot and picture:
        # only this needs matplotlib, which takes longer to import than all the rest but torch
        draw = pkgutil.resolve_name("vjp_cli.render.plot.figure:render_plot")
        write_bytes(draw(report, picture), plot)
    if not quiet or output:
        view = View(width(output), colored(color, output), unicode_drawn(output), full, max_entries)
        write_text(render(report, chosen, view), output)
    return report.exit_code


@app.command("batch", cls=PlainCommand, add_help_option=False, epilog=examples.BATCH)
def _batch(
    file: positional.Requests,
    strict: judgement_options.Strict = False,
    fail_on: judgement_options.FailOn = _FAIL_ON,
    digits: judgement_options.Digits = None,
    timeout: judgement_options.Timeout = _DEFAULTS.timeout,
    seed: judgement_options.Seed = _DEFAULTS.seed,
    allow_functions: options.AllowFunctions = False,
    fail_fast: batch_options.FailFast = False,
    jobs: batch_options.Jobs = None,
    resume: batch_options.Resume = False,
    junit: batch_options.Junit = None,
    scheduler: batch_options.Scheduler = None,
    output: options.File = None,
    quiet: options.Quiet = False,
    version: options.Version = False,
    help: options.Help = False,
) -> int:
    """Answer many problems: JSON Lines in and out.

    Every line is a request and gets one line, written as soon as it is made.
    """
    settings = Settings(
        seed=seed,
        timeout=timeout,
        digits=digits,
        strict=strict,
        fail_on=verdicts_of(fail_on, "--fail-on"),
        allow_functions=allow_functions,
    )
    if not allow_functions:
        ending.only_ours()
    # only this command needs msgspec, which takes a third of the time of help to import
    batch = pkgutil.resolve_name("vjp_cli.batch_call")
    call = batch.BatchCall(file, output, quiet, fail_fast, jobs, resume, junit, scheduler)
    code: int = batch.run_batch(call, settings)
    return code


app.add_typer(lookups.app)


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
    """The program ``vjp``, in a process that ends ``by_signals``."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    # what was imported stays, and a long batch makes garbage
    gc.freeze()
    gc.enable()
    code = run(sys.argv[1:])
    ending.known(code)
    sys.exit(code)
