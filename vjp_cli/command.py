"""The commands as Typer sees them: one whose options come from the expression, and plain help.

Typer reads options that are known when the program is written. Here the expression, or the source
of the function, is found and parsed first, and its names join the command's parameters for this
call alone, so that Typer's parser, help and completion all know them.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from vjp_cli import completing
from vjp_cli.arguments import EXAMPLE, FUNCTION, Arguments, Known, answered, split
from vjp_cli.call import Call, Context, call_of
from vjp_cli.choices import did_you_mean
from vjp_cli.errors import InputError, VjpError, shorten
from vjp_cli.expression import parse
from vjp_cli.failures import known
from vjp_cli.functions.source import FunctionSource, find
from vjp_cli.plain import VALUES, PlainHelp, spare_conversions
from vjp_cli.problem import Subject, required
from vjp_cli.problem_text.opening import opened
from vjp_cli.problem_text.reading import located, refuse_elsewhere


class ProgramGroup(PlainHelp, TyperGroup):
    """The program itself: its commands, and what is said where there is no such command."""

    def format_options(self, ctx: Context, formatter: Any) -> None:
        """The commands first: there is little else to choose."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Let Typer read the options before the command's name."""
        spare_conversions(self.params)
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def resolve_command(self, ctx: Context, args: list[str]) -> Any:
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

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Let Typer read the options."""
        spare_conversions(self.params)
        rest: list[str] = super().parse_args(ctx, args)
        return rest


class ExpressionCommand(PlainHelp, TyperCommand):
    """A command whose options are its own and the names of its expression or function."""

    def get_params(self, ctx: Context) -> list[Any]:
        """The parameters of the command and those of this call's subject."""
        params = [*super().get_params(ctx), *call_of(ctx).options]
        # where a function is given, there is no expression to be completed
        given = ctx.resilient_parsing and call_of(ctx).by_function
        return [param for param in params if not (given and param.name == "expression")]

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Find and parse the expression or the function, then let Typer read all options.

        Raises:
            VjpError: the subject or the shape of the command line is bad. Asked for help or for
                completions, the command answers without the names of such a one.
        """
        known = _known_options(self.params)
        arguments = split(answered(args, known) if ctx.resilient_parsing else args, known)
        asking = [] if ctx.resilient_parsing else arguments.asking
        lenient = bool(asking) or ctx.resilient_parsing
        call = call_of(ctx)
        call.tokens, call.by_function = tuple(args), arguments.function is not None
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

    def shell_complete(self, ctx: Context, incomplete: str) -> list[Any]:
        """What else may begin so: an option, or the rest of a word.

        bash parts words at ``@``, ``=`` and ``:``, and puts the answer behind the last two.
        """
        *_, before, last = "", "", *call_of(ctx).tokens
        params = {name: param for param in self.params for name in (param.name, *param.opts)}
        if last.endswith("@"):
            return self._offered(params["expression"], ctx, f"@{incomplete}")
        if last == "=" and before in params:
            return self._offered(params[before], ctx, incomplete)
        if ":" in (last, incomplete):
            file = before if last == ":" else last
            found = self._offered(params[FUNCTION], ctx, f"{file}:{incomplete.lstrip(':')}")
            return [type(item)(item.value.rpartition(":")[2]) for item in found]
        options: list[Any] = super().shell_complete(ctx, incomplete)
        return options

    def _offered(self, param: Any, ctx: Context, incomplete: str) -> list[Any]:
        found: list[Any] = param.shell_complete(ctx, incomplete)
        return found

    def invoke(self, ctx: Context) -> Any:
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
                    autocompletion=completing.value,
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
