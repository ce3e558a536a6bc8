"""The commands that only look something up: the operations, the schema, the pages of help."""

import pkgutil
from typing import Any

import typer

from vjp_cli import examples, options, positional
from vjp_cli.choices import format_of
from vjp_cli.command import PlainCommand
from vjp_cli.output import width, write_text
from vjp_cli.settings import Format

app = typer.Typer()


@app.command("ops", cls=PlainCommand, add_help_option=False, epilog=examples.OPS)
def _ops(
    name: positional.Operation = None,
    json: options.Json = False,
    format: options.Listing = None,
    version: options.Version = False,
    help: options.Help = False,
) -> None:
    """Show the operations, or the page of one.

    A page has the SymPy rule, the domain, the kinks, and what torch answers there.
    """
    chosen: Format = format_of(format, json, choices=(Format.TABLE, Format.JSON))
    # with the table of operations, which help can do without
    pages = pkgutil.resolve_name("vjp_cli.ops_page")
    found = pages.listing() if name is None else pages.page(name)
    write_text(pkgutil.resolve_name("vjp_cli.render.ops:render_ops")(found, chosen))


@app.command("schema", cls=PlainCommand, add_help_option=False, epilog=examples.SCHEMA)
def _schema(
    name: positional.SchemaName = None, version: options.Version = False, help: options.Help = False
) -> None:
    """Show the JSON Schema of requests, reports and errors.

    Every key is described. Keys are only ever added.
    """
    # with msgspec, which help can do without
    write_text(pkgutil.resolve_name("vjp_cli.schema.documents:text")(name))


@app.command("help", cls=PlainCommand, add_help_option=False, epilog=examples.HELP)
def _help(
    context: typer.Context,
    topic: positional.Topic = None,
    man: options.Man = False,
    version: options.Version = False,
    help: options.Help = False,
) -> None:
    """Show a page on the method, the verdicts, the language and more.

    With --man it is all of the help, as the program man reads it.
    """
    program: Any = context.find_root()
    if man:
        page = pkgutil.resolve_name("vjp_cli.manual:manual")(program)
        write_text(pkgutil.resolve_name("vjp_cli.render.roff:render_man")(page))
        return
    if topic in program.command.commands:
        # answers and ends the program
        program.command.commands[topic].make_context(topic, ["--help"], parent=program)
    write_text(pkgutil.resolve_name("vjp_cli.pages.content:text")(topic, width(None)))
