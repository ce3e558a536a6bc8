"""A man page, in the macros of man(7)."""

from collections.abc import Iterable, Iterator

from vjp_cli.manual import Command, Manual
from vjp_cli.plain import Panels


def render_man(manual: Manual) -> str:
    """The page as text for ``man -l -``."""
    return "\n".join(_lines(manual)) + "\n"


def _lines(manual: Manual) -> Iterator[str]:
    yield f'.TH VJP 1 "" "vjp {manual.version}" "User Commands"'
    yield ".SH NAME"
    yield _text(f"vjp - {manual.about[:1].lower()}{manual.about[1:].rstrip('.')}")
    yield ".SH SYNOPSIS"
    for k, command in enumerate(manual.commands):
        # each call has a line of its own
        if k:
            yield ".br"
        yield _bold(command.usage, words=2)
    yield ".SH DESCRIPTION"
    yield from _paragraphs(manual.about)
    yield ".SH COMMANDS"
    for command in manual.commands:
        yield from _command(command)
    yield ".SH OPTIONS"
    for rows in manual.options.values():
        yield from _terms(rows)
    for title, words in (("EXIT STATUS", manual.exit_codes), ("ENVIRONMENT", manual.environment)):
        yield f".SH {title}"
        yield from _terms(words.items())
    yield ".SH EXAMPLES"
    yield from (".nf", ".RS 4")
    for command in manual.commands:
        yield from map(_text, command.examples)
    yield from (".RE", ".fi")
    yield ".SH SEE ALSO"
    yield _text("The pages of the program, each shown by vjp help TOPIC:")
    yield from _terms(manual.topics.items())


def _command(command: Command) -> Iterator[str]:
    yield f".SS {_text(' '.join(command.usage.split()[:2]))}"
    yield from _paragraphs(command.about)
    yield from _panels(command.panels)


def _panels(panels: Panels) -> Iterator[str]:
    for heading, rows in panels.items():
        yield ".PP"
        yield f"\\fI{_text(heading)}\\fR"
        yield from _terms(rows)


def _terms(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, meaning in rows:
        yield ".TP"
        yield f"\\fB{_text(name)}\\fR"
        yield _text(" ".join(meaning.split()))


def _paragraphs(text: str) -> Iterator[str]:
    for k, paragraph in enumerate(text.split("\n\n")):
        if k:
            yield ".PP"
        yield _text(" ".join(paragraph.split()))


def _bold(text: str, words: int) -> str:
    """``text`` with its first words in bold."""
    parts = text.split(" ")
    bold, rest = " ".join(parts[:words]), " ".join(parts[words:])
    return f"\\fB{_text(bold)}\\fR {_text(rest)}".rstrip()


def _text(text: str) -> str:
    """``text`` as it is: no character of it is a command of the macros."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped
