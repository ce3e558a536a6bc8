"""What one call of the program brought: its problem, and the options of its names."""

from dataclasses import dataclass, field
from typing import Any

from typer.core import TyperOption

from vjp_cli.expression import Expression
from vjp_cli.expression_text import StandardInput
from vjp_cli.problem import Subject
from vjp_cli.problem_text.reading import ProblemFile

_CALL = "vjp_cli.call"
_NOTHING = Expression("", (), (), "y")
_NO_FILE = ProblemFile("")
# Typer's own context class is that of its private copy of Click
Context = Any


@dataclass
class Call:
    """What one call's expression brought, kept in the context: the command object is shared.

    Attributes:
        subject: the parsed expression, or the function; an empty expression for help and completion
            without a good one.
        problem: the file that the expression was read from, with the options in it.
        options: one for each name of the subject that is no option of the command already.
        values: the text given for each of those names, or None.
        tokens: the command line behind the command's name.
        by_function: a function is given in the place of an expression.
    """

    stdin: StandardInput = field(default_factory=StandardInput)
    subject: Subject = _NOTHING
    problem: ProblemFile = _NO_FILE
    options: list[TyperOption] = field(default_factory=list)
    values: dict[str, str | None] = field(default_factory=dict)
    tokens: tuple[str, ...] = ()
    by_function: bool = False

    @property
    def own_names(self) -> frozenset[str]:
        """The names that have an option of their own."""
        return frozenset(option.opts[0].removeprefix("--") for option in self.options)


def call_of(context: Context) -> Call:
    """The call that ``context`` belongs to."""
    call: Call = context.meta.setdefault(_CALL, Call())
    return call
