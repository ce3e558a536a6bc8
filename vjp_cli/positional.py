"""The arguments of the commands that have no name, as the options are kept."""

from typing import Annotated

import typer

from vjp_cli import completing
from vjp_cli.pages import TOPICS
from vjp_cli.plain import PROBLEM, SHOWN
from vjp_cli.schema import NAMES

Expr = Annotated[
    str | None,
    typer.Argument(
        metavar="EXPR",
        help="A torch expression in quotes; - reads standard input, @FILE a file. "
        "Each of its variables is an option: 'k @ x' takes --k and --x.",
        rich_help_panel=PROBLEM,
        autocompletion=completing.value,
    ),
]
Requests = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="JSON Lines, one request a line; - reads standard input.",
        rich_help_panel=PROBLEM,
    ),
]
Operation = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME",
        help="An operation, as it is written in an expression; all of them without it.",
        rich_help_panel=PROBLEM,
        autocompletion=completing.operations,
    ),
]
SchemaName = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME",
        help=f"One of {', '.join(NAMES)}; all of them in one document without it.",
        rich_help_panel=SHOWN,
        autocompletion=completing.one_of(NAMES),
    ),
]
Topic = Annotated[
    str | None,
    typer.Argument(
        metavar="TOPIC",
        help=f"One of {', '.join(TOPICS)}, or a command; what each is about without it.",
        rich_help_panel=SHOWN,
        autocompletion=completing.one_of(TOPICS),
    ),
]
