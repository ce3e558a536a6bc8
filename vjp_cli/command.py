"""The commands as Typer sees them: one whose options come from the expression, and plain help.

Typer reads options that are known when the program is written. Here the expression, or the source
of the function, is found and parsed first, and its names join the command's parameters for this
call alone, so that Typer's parser, help and completion all know them.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from vjp_cli.arguments import EXAMPLE, FUNCTION, Arguments, Known, split
from vjp_cli.choices import did_you_mean
from vjp_cli.errors import InputError, VjpError, shorten
from vjp_cli.expression import Expression, parse
from vjp_cli.expression_text import StandardInput
from vjp_cli.failures import known
from vjp_cli.functions.source import FunctionSource, find
from vjp_cli.plain import VALUES, PlainHelp, spare_conversions
from vjp_cli.problem import Subject, required
from vjp_cli.problem_text.opening import opened
from vjp_cli.problem_text.reading import ProblemFile, located, refuse_elsewhere

_CALL = "vjp_cli.call"
_NOTHING = Expression("", (), (), "y")
_NO_FILE = ProblemFile("")
# Typer's own context class is that of its private copy of Click
_Context = Any


@dataclass
class Call:
    """What one call's expression brought, kept in the context: the command object is shared.

    Attributes:
        subject: the parsed expression, or the function; an empty expression for help and completion
            without a good one.
        problem: the file that the expression was read from, with the options in it.
        options: one for each name of the subject that is no option of the command already.
        values: the text given for each of those names, or None.
    """

    stdin: StandardInput = field(default_factory=StandardInput)
    subject: Subject = _NOTHING
    problem: ProblemFile = _NO_FILE
    options: list[TyperOption] = field(default_factory=list)
    values: dict[str, str | None] = field(default_factory=dict)

    @property
    def own_names(self) -> frozenset[str]:
        """The names that have an option of their own."""
        return frozenset(option.opts[0].removeprefix("--") for option in self.options)


def call_of(context: _Context) -> Call:
    """The call that ``context`` belongs to."""
    call: Call = context.meta.setdefault(_CALL, Call())
    return call


class ProgramGroup(PlainHelp, TyperGroup):
    """The program itself: its commands, and what is said where there is no such command."""

    def format_options(self, ctx: _Context, formatter: Any) -> None:
        """The commands first: there is little else to choose."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)

    def parse_args(self, ctx: _Context, args: list[str]) -> list[str]:
        """Let Typer read the options before the command's name."""
        spare_conversions(self.params)
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def resolve_command(self, ctx: _Context, args: list[str]) -> Any:
        """The command that ``args`` begin with.

        Raises:
            InputError: no command has that name.
        """
        if args[0] not in self.commands and not ctx.resilient_parsing:
            hint = did_you_mean(args[0], self.commands) or f"write {EXAMPLE}"
            raise InputError(f"no such command: '{shorten(args[0])}'", hint)
        return super().resolve_command(ctx, args)


class PlainCommand(PlainHelp, TyperCommand):
    """A command whose options are its own."""

    def parse_args(self, ctx: _Context, args: list[str]) -> list[str]:
        """Let Typer read the options."""
        spare_conversions(self.params)
        rest: list[str] = super().parse_args(ctx, args)
        return rest


class ExpressionCommand(PlainHelp, TyperCommand):
    """A command whose options are its own and the names of its expression or function."""

    def get_params(self, ctx: _Context) -> list[Any]:
        """The parameters of the command and those of this call's subject."""
        return [*super().get_params(ctx), *call_of(ctx).options]

    def parse_args(self, ctx: _Context, args: list[str]) -> list[str]:
        """Find and parse the expression or the function, then let Typer read all options.

        Raises:
            VjpError: the subject or the shape of the command line is bad. Asked for help or for
                completions, the command answers without the names of such a one.
        """
        known = _known_options(self.params)
        arguments = split(args, known)
        asking = [] if ctx.resilient_parsing else arguments.asking
        lenient = bool(asking) or ctx.resilient_parsing
        call = call_of(ctx)
        try:
            call.problem, arguments = opened(arguments, call.stdin, lenient)
            subject = _subject(arguments, call, lenient)
            if subject is not None:
                call.subject = subject
                call.options = _options_of(call, known)
                refuse_elsewhere(call.problem.options, getattr(subject, "plain", ()))
        except VjpError as error:
            if not lenient:
                raise located(error, call.problem.options) from error
        spare_conversions(self.get_params(ctx))
        ordered = asking or [*arguments.options, "--", *arguments.words[:1]]
        with _placed(call):
            rest: list[str] = super().parse_args(ctx, ordered)
        return rest

    def invoke(self, ctx: _Context) -> Any:
        """Run the command; an error of an option in a problem file says where it stands."""
        with _placed(call_of(ctx)):
            return super().invoke(ctx)


@contextmanager
def _placed(call: Call) -> Iterator[None]:
    try:
        yield
    except (VjpError, typer.TyperException) as error:
        if not call.problem.options:
            raise
        raise located(known_error(error), call.problem.options) from error


def _subject(arguments: Arguments, call: Call, lenient: bool) -> Subject | None:
    """The expression, or the function by its source; None for one that is not to be waited for."""
    # bash completes words that it has split at the colon
    if lenient and arguments.function and arguments.words[:1] == [":"]:
        return find(arguments.function + "".join(arguments.words[:2]), FUNCTION)
    if arguments.function is not None:
        return find(arguments.function, FUNCTION)
    # help does not wait for standard input
    if lenient and arguments.words[:1] == ["-"]:
        return None
    return parse(call.problem.expression)


def _known_options(params: Iterable[Any]) -> dict[str, Known]:
    return {
        name: Known(param.opts[0], param.is_flag, param.multiple, param.is_eager)
        for param in params
        if isinstance(param, TyperOption)
        for name in param.opts
    }


def _options_of(call: Call, known: Mapping[str, Known]) -> list[TyperOption]:
    """An option for each name whose ``--name`` is free, made by Typer from a function signature."""

    def keep(param: typer.CallbackParam, value: str | None) -> None:
        call.values[param.opts[0].removeprefix("--")] = value

    def receive() -> None:
        """Only the signature is of use."""

    needed = required(call.subject)
    receive.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                # a name of its own inside Typer: the expression may have a variable `output`
                f"value_of_{name}",
                inspect.Parameter.KEYWORD_ONLY,
                annotation=str | None,
                default=typer.Option(
                    None,
                    f"--{name}",
                    metavar="VALUE",
                    help=f"The value of {name}{'' if name in needed else '; has a default'}.",
                    callback=keep,
                    expose_value=False,
                    rich_help_panel=VALUES,
                ),
            )
            for name in call.subject.names
            if f"--{name}" not in known
        ]
    )
    throwaway = typer.Typer(add_completion=False, rich_markup_mode=None)
    throwaway.command()(receive)
    params = typer.main.get_command(throwaway).params
    return [param for param in params if isinstance(param, TyperOption)]


def known_error(error: Exception) -> VjpError:
    """``error`` as one of the program's own, worded for the user; a bug where it is none."""
    return _usage_error(error) if isinstance(error, typer.TyperException) else known(error)


def _usage_error(error: typer.TyperException) -> InputError:
    option: str | None = getattr(error, "option_name", None)
    close: list[str] | None = getattr(error, "possibilities", None)
    if option is None or close is None:
        text = " ".join(error.format_message().split()).rstrip(".")
        text = text.replace("Value error, ", "").replace("Input should", "it should")
        return InputError(text[:1].lower() + text[1:])
    # of two single letters each looks like the other
    close = [name for name in close if len(name) > len("--xy")]
    call = call_of(getattr(error, "ctx", None))
    values = [param.opts[0] for param in call.options]
    what = call.subject.name if isinstance(call.subject, FunctionSource) else "the expression"
    hint = f"{what} has {', '.join(values)}" if values else ""
    return InputError(
        f"no such option: {shorten(option)}", f"did you mean '{close[0]}'?" if close else hint
    )
