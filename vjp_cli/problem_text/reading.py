"""A problem file: an expression, and before or after it comment lines with the options of a call.

    # vjp: --x 1,2,3 --v 0.1,1,1e-4
    2*(x+2)**2

Such a file is data, perhaps a stranger's: it says what the problem is, but not how it is judged or
where the answer goes; it reads no other file, and names a function only where that is allowed.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from vjp_cli.arguments import FUNCTION, Arguments, Known, split
from vjp_cli.errors import InputError, VjpError, shorten
from vjp_cli.values import from_elsewhere

LET = "--let"
# these run code; the caller allows it
_CODE = (FUNCTION, "--against")
ALLOWED = (
    *("--v", "--u", "--loss", LET, "--wrt", "--dtype", "--device", "--layout", "--order"),
    *("--output-index", "--seed", "--no-jacobian", "--checks"),
)
# of these one stands in the place of the other
_EITHER = ({"--v", "--loss"},)
# what a value, or an expression, is read from
_READING = ("--v", "--u", "--loss")
_HEADER = re.compile(r"\s*#\s*vjp:(.*)")
_EXAMPLE = "for example # vjp: --x 1,2,3 --v ones"
_OPTION = re.compile(r"--[\w-]+")


@dataclass(frozen=True)
class FileOption:
    """An option of a problem file.

    Attributes:
        name: its first name, such as ``--v`` or ``--x``.
        token: with its value, as Typer reads it.
        place: the line and the file, for messages.
    """

    name: str
    token: str
    place: str

    @property
    def value(self) -> str:
        """What stands behind the equals sign."""
        return self.token.partition("=")[2]

    @property
    def variable(self) -> str:
        """The name that gets a value: that of ``--x VALUE`` or of ``--let x=VALUE``."""
        given = self.value.partition("=")[0].strip() if self.name == LET else self.name
        return given.removeprefix("--")


@dataclass(frozen=True)
class ProblemFile:
    """What a file of an expression holds.

    Attributes:
        expression: its text without the lines of options.
        options: in their order; none in a file of an expression alone.
    """

    expression: str
    options: tuple[FileOption, ...] = field(default=())

    @property
    def function(self) -> FileOption | None:
        """What stands in the place of an expression."""
        return next((option for option in self.options if option.name == FUNCTION), None)


def read_problem(text: str, source: str, known: Mapping[str, Known]) -> ProblemFile:
    """The expression and the options in ``text``.

    Args:
        text: the content of a file of an expression.
        source: the file as messages name it.
        known: the options of the command; all other names are those of variables.

    Raises:
        InputError: a line of options is no such, has one twice, or an option of the caller.
    """
    kept: list[str] = []
    options: list[FileOption] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        header = _HEADER.fullmatch(line.rstrip("\r"))
        if header is None:
            kept.append(line)
            continue
        place = f"line {number} of {source}"
        for option in _options(header[1], place, known):
            again = next((each for each in options if each.name == option.name), None)
            if again and not known.get(option.name, Known("")).repeatable:
                raise InputError(
                    f"{place}: {shorten(option.name)} is there already, in {again.place}",
                    "give it once",
                )
            options.append(option)
    if not options:
        return ProblemFile(text)
    return ProblemFile("\n".join(kept), tuple(options))


def is_header(line: str) -> bool:
    """Whether a line of a file holds options."""
    return _HEADER.fullmatch(line) is not None


def _options(line: str, place: str, known: Mapping[str, Known]) -> Iterator[FileOption]:
    try:
        # a value is long, and what reads quotes is slow
        words = shlex.split(line) if any(sign in line for sign in "\"'\\") else line.split()
    except ValueError as error:
        raise InputError(f"{place}: {str(error).lower()}", "quote it as in a shell") from None
    found = split(words, known)
    for word in found.words:
        raise InputError(f"{place}: '{shorten(word)}' is no option", _EXAMPLE)
    for name in found.missing:
        raise InputError(f"{place}: {shorten(name)} needs a value", _EXAMPLE)
    for token in found.options:
        name = token.partition("=")[0]
        if name in known and name not in (*ALLOWED, *_CODE):
            raise InputError(
                f"{place}: {name} is not an option of a problem", "give it on the command line"
            )
        yield FileOption(name, token, place)


def merged(arguments: Arguments, problem: ProblemFile, functions: bool) -> Arguments:
    """The command line with the options of the file that it does not give itself.

    Args:
        arguments: of the command line, with the file in the place of an expression.
        problem: what the file holds.
        functions: whether the file may name a function.

    Raises:
        InputError: the file names a function that is not allowed, beside an expression, or lacks
            both.
    """
    kept = [option for option in problem.options if not _overridden(option, arguments)]
    for option in kept:
        if option.name in _CODE and not functions:
            raise InputError(
                f"{option.place}: {option.name} runs the code of a file",
                "add --allow-functions if you trust the problem and the file that it names",
            )
    function = problem.function
    has_code = any(line.strip()[:1] not in ("", "#") for line in problem.expression.split("\n"))
    if function is not None and has_code:
        raise InputError(f"{function.place}: there is an expression, too", "leave one out")
    values = {option.name: option.value for option in kept if "=" in option.token}
    return replace(
        arguments,
        options=[*(option.token for option in kept), *arguments.options],
        values={**values, **arguments.values},
    )


def _overridden(option: FileOption, arguments: Arguments) -> bool:
    """Whether the command line gives the same, or what stands in its place."""
    if option.name == LET or option.name not in arguments.known:
        named = {token.partition("=")[2] for token in arguments.options if token.startswith(LET)}
        lets = {text.partition("=")[0].strip() for text in named}
        free = {name.removeprefix("--") for name in arguments.given if name not in arguments.known}
        return option.variable in lets | free
    same = next((group for group in _EITHER if option.name in group), {option.name})
    return bool(same & arguments.given.keys())


def refuse_elsewhere(options: Iterable[FileOption], texts: Iterable[str]) -> None:
    """Refuse values that are read from other files, or from standard input.

    Args:
        options: of the file.
        texts: the names whose value is a plain text, which reads nothing.

    Raises:
        InputError: at the first such value.
    """
    for option in options:
        name, value = option.variable, option.value
        if option.name == LET or (option.name == "--u" and "=" in value):
            value = value.partition("=")[2]
        elif option.name in (*ALLOWED, *_CODE) and option.name not in _READING:
            continue
        start = value.strip()
        # in an expression @ is a product
        product = option.name == "--loss" and start[:1] != "@" and start != "-"
        if from_elsewhere(value) and not product and name not in texts:
            raise InputError(
                f"{option.place}: --{name}: a value in a problem is not read from elsewhere",
                "write the numbers, or give it on the command line",
            )


def located(error: VjpError, options: Iterable[FileOption]) -> VjpError:
    """``error`` with the place of the option that it speaks of, if that is one of the file."""
    places = {f"--{option.variable}": option.place for option in options}
    places |= {option.name: option.place for option in options}
    place = next((places[n] for n in _OPTION.findall(error.message) if n in places), None)
    if place is not None and not error.message.startswith("line "):
        error.message = f"{place}: {error.message}"
    return error
