"""A command line in two heaps, options and words, before Typer sees it.

Only so can the expression be found first, and with it the options that its names are. What Typer
would accept in silence, or would explain badly, is refused here.
"""

import re
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from unicodedata import normalize

from vjp_cli.choices import did_you_mean
from vjp_cli.errors import InputError, shorten

EXAMPLE = "vjp inspect '2*(x+2)**2' --x 1,2,3"
FUNCTION = "--function"
_NAME = re.compile(r"--[^\W\d][\w-]*")


@dataclass(frozen=True)
class Known:
    """An option that the command has whatever the expression is.

    Attributes:
        name: the first of its names, for messages.
        flag: it takes no value.
        asks: it asks something of the program itself, as ``--help`` does.
    """

    name: str
    flag: bool = False
    repeatable: bool = False
    asks: bool = False


@dataclass(frozen=True)
class Arguments:
    """The tokens of a command line.

    Attributes:
        options: the options, each with its value, for Typer's parser.
        words: what is neither: the expression, and what is too much.
        given: how often each option is given, under its first name.
        values: the value of each option that takes one, under its first name.
        missing: the options without a value, with the option that stands in its place, or "".
    """

    known: Mapping[str, Known]
    options: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    given: Counter[str] = field(default_factory=Counter)
    values: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def asking(self) -> list[str]:
        """The options that ask something of the program itself: help, the version."""
        return [token for token in self.options if token in self.known and self.known[token].asks]

    @property
    def function(self) -> str | None:
        """What stands in the place of an expression, if anything does."""
        return self.values.get(FUNCTION)

    def expression(self) -> str:
        """The one word; empty where there is a function.

        Raises:
            InputError: no word or two, an option without its value or given twice.
        """
        for name, token in self.missing.items():
            self._refuse_typing_error(name)
            got = f", but got '{shorten(token)}'" if token else ""
            raise InputError(f"{name} needs a value{got}", f"write {name} VALUE, or {name}=VALUE")
        for name, count in self.given.items():
            option = self.known.get(name, Known(name))
            if count > 1 and not (option.flag or option.repeatable):
                raise InputError(f"{shorten(name)} is given {count} times", "give it once")
        if self.function is not None:
            if self.words:
                raise InputError(
                    f"there is an expression '{shorten(self.words[0], 40)}' and a function",
                    f"leave one out: {FUNCTION} stands in the place of an expression",
                )
            return ""
        if not self.words:
            for name in self.given:
                # it took the expression for its value
                self._refuse_typing_error(name)
            raise InputError("no expression given", f"write {EXAMPLE}, or {FUNCTION} FILE.py:NAME")
        if len(self.words) > 1:
            first, second = (shorten(word, 40) for word in self.words[:2])
            raise InputError(
                f"there is an extra argument '{second}' after the expression '{first}'",
                "quote the whole expression, and put each value behind its option",
            )
        return self.words[0]

    def _refuse_typing_error(self, name: str) -> None:
        """Refuse a mistyped flag by name, rather than ask for the value that it never had."""
        variable = any(name.removeprefix("--") in word for word in self.words)
        # of two single letters each looks like the other
        if name not in self.known and not variable and len(name) > len("--xy"):
            hint = did_you_mean(name, self.known)
            if hint:
                raise InputError(f"no such option: {shorten(name)}", hint)


def split(tokens: Iterable[str], known: Mapping[str, Known]) -> Arguments:
    """``tokens`` sorted; an unknown ``--name`` is a variable's and takes the next token.

    A token with one minus sign that is no option is a word: ``-x**2`` is an expression.
    """
    arguments, queue = Arguments(known), deque(tokens)
    while queue:
        token = queue.popleft()
        if token == "--":
            arguments.words.extend(queue)
            break
        name, equals, value = token.partition("=")
        # Python's parser folds the names in an expression, so their options are folded too
        name = normalize("NFKC", name)
        if name not in known and not _NAME.fullmatch(name):
            arguments.words.append(token)
            continue
        option = known.get(name, Known(name))
        arguments.given[option.name] += 1
        if not (equals or option.flag):
            if not queue or queue[0].startswith("--") or queue[0] in known:
                arguments.missing[name] = queue[0] if queue else ""
            else:
                equals, value = "=", queue.popleft()
        # by its first name, which is a long one: Typer would take -o=f for -o with the value =f
        arguments.options.append(f"{option.name}{equals}{value}")
        if equals:
            arguments.values[option.name] = value
    return arguments


def answered(tokens: Sequence[str], known: Mapping[str, Known]) -> Sequence[str]:
    """``tokens`` without a last option that waits for its value: a shell asks what that may be."""
    waits = "" in split(tokens, known).missing.values()
    return tokens[:-1] if waits else tokens


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether JSON is asked for, found without Typer: its own errors are to be JSON too."""
    pairs = zip(arguments, [*arguments[1:], ""], strict=True)
    asked = {"--json"}
    asked |= {f"--format{mark}{name}" for mark in "= " for name in ("json", "jsonl")}
    return any({token, f"{token} {following}"} & asked for token, following in pairs)
