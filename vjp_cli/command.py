"""The commands as Typer sees them: one whose options come from the expression, and plain help.

Typer reads options that are known when the program is written. Here the expression is found and
parsed first, and its names join the command's parameters for this call alone, so that Typer's
parser, help and completion all know them.
"""

import inspect
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

import vjp_cli
from vjp_cli.arguments import EXAMPLE, Known, split
from vjp_cli.choices import did_you_mean
from vjp_cli.errors import EvaluationError, ExitCode, InputError, LimitError, VjpError, shorten
from vjp_cli.expression import Expression, parse
from vjp_cli.expression_text import StandardInput, read_expression

PROBLEM, VALUES, SHOWN, JUDGEMENT, OUTPUT = PANELS = (
    "Problem",
    "Values",
    "What to show",
    "Judgement",
    "Output",
)
_CALL = "vjp_cli.call"
_NOTHING = Expression("", (), (), "y")
# Typer's own context class is that of its private copy of Click
_Context = Any


@dataclass
class Call:
    """What one call's expression brought, kept in the context: the command object is shared.

    Attributes:
        expression: the parsed expression; empty for help and completion without a good one.
        options: one for each name of the expression that is no option of the command already.
        values: the text given for each of those names, or None.
    """

    stdin: StandardInput = field(default_factory=StandardInput)
    expression: Expression = _NOTHING
    options: list[TyperOption] = field(default_factory=list)
    values: dict[str, str | None] = field(default_factory=dict)


def call_of(context: _Context) -> Call:
    """The call that ``context`` belongs to."""
    call: Call = context.meta.setdefault(_CALL, Call())
    return call


class _Conversion:
    """Typer's conversion of one parameter, only where there is something to convert.

    Typer would import pydantic to find that a flag which nobody gave is None, and that a text is a
    text: half of the time that a rejected call takes.
    """

    def __init__(self, param: TyperOption) -> None:
        self._convert = param.get_runtime_param

    def __call__(self) -> "_Conversion":
        return self

    def coerce(self, value: Any, param: TyperOption, ctx: _Context) -> Any:
        if value is None:
            return () if param.multiple else None
        annotation = param.type_descriptor.annotation
        # the command line gives texts, and a default has its type already
        if annotation in (str, list[str]) or type(value) is annotation:
            return value
        return self._convert().coerce(value, param=param, ctx=ctx)


def _spare_conversions(params: Iterable[Any]) -> None:
    for param in params:
        if not isinstance(param.get_runtime_param, _Conversion):
            param.get_runtime_param = _Conversion(param)


class _PlainHelp:
    """Help under one heading a panel, with an epilog whose lines stay as they are written."""

    epilog: str | None

    def format_options(self: Any, ctx: _Context, formatter: Any) -> None:
        rows: dict[str, list[tuple[str, str]]] = {panel: [] for panel in PANELS}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                rows.setdefault(param.rich_help_panel or "Completion", []).append(record)
        for panel, records in rows.items():
            if records:
                with formatter.section(panel):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: _Context, formatter: Any) -> None:
        formatter.write(f"\n{self.epilog}\n" if self.epilog else "")


class ProgramGroup(_PlainHelp, TyperGroup):
    """The program itself: its commands, and what is said where there is no such command."""

    def format_options(self, ctx: _Context, formatter: Any) -> None:
        """The commands first: there is little else to choose."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)

    def parse_args(self, ctx: _Context, args: list[str]) -> list[str]:
        """Let Typer read the options before the command's name."""
        _spare_conversions(self.params)
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


class ExpressionCommand(_PlainHelp, TyperCommand):
    """A command whose options are its own and the names of its expression."""

    def get_params(self, ctx: _Context) -> list[Any]:
        """The parameters of the command and those of this call's expression."""
        return [*super().get_params(ctx), *call_of(ctx).options]

    def parse_args(self, ctx: _Context, args: list[str]) -> list[str]:
        """Find and parse the expression, then let Typer read all options.

        Raises:
            VjpError: the expression or the shape of the command line is bad. Asked for help or for
                completions, the command answers without the names of such an expression.
        """
        known = _known_options(self.params)
        arguments = split(args, known)
        asking = [] if ctx.resilient_parsing else arguments.asking
        lenient = bool(asking) or ctx.resilient_parsing
        call = call_of(ctx)
        try:
            word = arguments.expression()
            # help must not wait for standard input
            if not (lenient and word == "-"):
                call.expression = parse(read_expression(word, call.stdin))
                call.options = _options_of(call, known)
        except VjpError:
            if not lenient:
                raise
        _spare_conversions(self.get_params(ctx))
        ordered = asking or [*arguments.options, "--", *arguments.words[:1]]
        rest: list[str] = super().parse_args(ctx, ordered)
        return rest


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
                    help=f"The value of {name}.",
                    callback=keep,
                    expose_value=False,
                    rich_help_panel=VALUES,
                ),
            )
            for name in call.expression.names
            if f"--{name}" not in known
        ]
    )
    throwaway = typer.Typer(add_completion=False, rich_markup_mode=None)
    throwaway.command()(receive)
    params = typer.main.get_command(throwaway).params
    return [param for param in params if isinstance(param, TyperOption)]


class _Bug(VjpError):
    kind = "bug"
    exit_code = ExitCode.BUG


def known_error(error: Exception) -> VjpError:
    """``error`` as one of the program's own, worded for the user; a bug where it is none."""
    match error:
        case VjpError():
            return error
        case typer.TyperException():
            return _usage_error(error)
        case MemoryError():
            return LimitError("there is not enough memory for this problem")
        case ImportError(name="torch" | "sympy" | "numpy" | "flint"):
            return EvaluationError(f"{error.name} cannot be imported: {error}")
    return _Bug(
        f"this is a bug in vjp {vjp_cli.__version__} (Python {platform.python_version()}): "
        f"{type(error).__name__}: {shorten(' '.join(str(error).split()), 200)}",
        "please report it with the command line; VJP_DEBUG=1 shows where it happened",
    )


def _usage_error(error: typer.TyperException) -> InputError:
    option: str | None = getattr(error, "option_name", None)
    close: list[str] | None = getattr(error, "possibilities", None)
    if option is None or close is None:
        text = " ".join(error.format_message().split()).rstrip(".")
        text = text.replace("Value error, ", "").replace("Input should", "it should")
        return InputError(text[:1].lower() + text[1:])
    # of two single letters each looks like the other
    close = [name for name in close if len(name) > len("--xy")]
    values = [param.opts[0] for param in call_of(getattr(error, "ctx", None)).options]
    hint = f"the expression has {', '.join(values)}" if values else ""
    return InputError(
        f"no such option: {shorten(option)}", f"did you mean '{close[0]}'?" if close else hint
    )
