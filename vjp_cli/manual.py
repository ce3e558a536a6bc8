"""What a man page says: the commands as they are declared, and the exit codes of their page."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import vjp_cli
from vjp_cli.errors import InputError
from vjp_cli.pages.content import page, summaries
from vjp_cli.plain import Panels

_EXIT_CODES = "| exit code | meaning |"
_ENVIRONMENT = {
    "NO_COLOR": "Not empty: no colour, unless --color always is given.",
    "FORCE_COLOR": "Neither empty nor 0: colour in a pipe as well.",
    "TERM": "dumb: no colour and no line of progress.",
    "COLUMNS": "The width of the terminal, from 40 to 200.",
    "VJP_DEBUG": "1: where an error of the program comes from.",
}


@dataclass(frozen=True)
class Command:
    """A command as its help shows it.

    Attributes:
        usage: how it is called, with its options and arguments in short.
        about: what it does; paragraphs are parted by an empty line.
        panels: its parameters by heading.
        examples: lines for a shell.
    """

    usage: str
    about: str
    panels: Panels
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Manual:
    """All of a man page.

    Attributes:
        options: of the program itself.
        exit_codes: what each says.
        environment: what each variable does.
        topics: what each page of help is about.
    """

    version: str
    about: str
    commands: tuple[Command, ...]
    options: Panels
    exit_codes: Mapping[str, str]
    environment: Mapping[str, str]
    topics: Mapping[str, str]


def manual(program: Any) -> Manual:
    """The man page of ``program``, Typer's context of the whole."""
    commands = program.command.commands
    return Manual(
        version=vjp_cli.__version__,
        about=program.command.help,
        commands=tuple(command_page(program, name) for name in commands),
        options=program.command.panels(program),
        exit_codes=_exit_codes(),
        environment=_ENVIRONMENT,
        topics=summaries(),
    )


def command_page(program: Any, name: str) -> Command:
    """The command ``name`` of ``program``, without the names of an expression."""
    command = program.command.commands[name]
    context = command.make_context(name, [], parent=program, resilient_parsing=True)
    pieces = " ".join(command.collect_usage_pieces(context))
    examples = command.epilog.splitlines()[1:]
    return Command(
        usage=f"{context.command_path} {pieces}",
        about=command.help,
        panels=command.panels(context),
        examples=tuple(line.strip() for line in examples),
    )


def _exit_codes() -> dict[str, str]:
    _, found, table = page("exit-codes").partition(_EXIT_CODES)
    if not found:
        raise InputError("the page on exit codes has no table of them")
    rows = table.partition("<!--")[0].splitlines()[2:]
    cells = (row.strip("| ").split(" | ") for row in rows)
    return {code: meaning.replace("`", "") for code, meaning in cells}
