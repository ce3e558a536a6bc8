"""What the texts of options mean: names, a dtype, a device, verdicts, NAME=VALUE."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from unicodedata import normalize

from vjp_cli.errors import InputError, shorten
from vjp_cli.render.formats import format_by_suffix
from vjp_cli.report import Verdict
from vjp_cli.settings import DTYPES, Check, Format, Language, Picture, Settings

# torch's other dtypes; none of them can carry a derivative
_DISCRETE = re.compile(r"u?int\d*|long|short|byte|char|bool|q(u?int)\d+")
_DEVICE = re.compile(r"(cpu|cuda|mps|xpu)(:\d{1,3})?")


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """``did you mean 'sin'?`` for the choice that ``word`` is close to, else an empty text."""
    close = get_close_matches(word, list(choices), n=1)
    return f"did you mean '{close[0]}'?" if close else ""


def names_of(text: str, option: str) -> tuple[str, ...]:
    """The words of a comma list, in order, each once.

    Raises:
        InputError: the list, or an entry of it, is empty.
    """
    words = [normalize("NFKC", word.strip()) for word in text.split(",")]
    if not all(words):
        raise InputError(f"{option} has an empty entry: '{shorten(text)}'", f"{option} a,b")
    return tuple(dict.fromkeys(words))


def dtype_of(text: str) -> str:
    """One of ``DTYPES``, with or without ``torch.``.

    Raises:
        InputError: no dtype that derivatives can have.
    """
    name = text.removeprefix("torch.")
    if name in DTYPES:
        return name
    if _DISCRETE.fullmatch(name):
        raise InputError(
            f"derivatives need a floating dtype; {name} has none",
            "use float64 or float32; write indices and masks as --name int64:0,2",
        )
    raise InputError(
        f"unknown dtype '{shorten(text)}'",
        did_you_mean(name, DTYPES) or f"one of {', '.join(DTYPES)}",
    )


def device_of(text: str) -> str:
    """A torch device that a report can be made on; whether it is there is not looked at.

    Raises:
        InputError: not the name of a device.
    """
    if not _DEVICE.fullmatch(text):
        raise InputError(f"unknown device '{shorten(text)}'", "cpu, cuda, cuda:1, mps or xpu")
    return text


def verdicts_of(text: str, option: str) -> frozenset[Verdict]:
    """The verdicts of a comma list.

    Raises:
        InputError: a word that is no verdict.
    """
    for word in names_of(text, option):
        if word not in set(Verdict):
            hint = did_you_mean(word, Verdict) or f"one of {', '.join(Verdict)}"
            raise InputError(f"{option}: '{shorten(word)}' is not a verdict", hint)
    return frozenset(Verdict(word) for word in names_of(text, option))


def checks_of(words: Iterable[str] | None, option: str) -> tuple[Check, ...]:
    """The further checks of a list of names, in which ``all`` and ``none`` stand alone.

    Without a list those that are made by default.

    Raises:
        InputError: a word that is no check.
    """
    if words is None:
        return Settings().checks
    names = list(words)
    if names in (["all"], ["none"]):
        return tuple(Check) if names == ["all"] else ()
    for word in names:
        if word not in set(Check):
            hint = did_you_mean(word, Check) or f"all, none, or some of {', '.join(Check)}"
            raise InputError(f"{option}: there is no check '{shorten(word)}'", hint)
    return tuple(check for check in Check if check in names)


def format_of(
    chosen: str | None, json: bool, file: str | None = None, choices: Iterable[Format] = Format
) -> Format:
    """The format that ``--format``, ``--json`` and, without them, the name of the file ask for.

    Raises:
        InputError: a word that is none of ``choices``, or the options contradict each other.
    """
    formats = list(choices)
    if chosen is not None and chosen not in formats:
        hint = did_you_mean(chosen, formats) or f"one of {', '.join(formats)}"
        raise InputError(f"there is no format '{shorten(chosen)}'", hint)
    if json and chosen not in (None, Format.JSON):
        raise InputError(f"--json and --format {chosen} contradict each other", "give one of them")
    if json:
        return Format.JSON
    if chosen is not None:
        return Format(chosen)
    return (file and format_by_suffix(file)) or Format.TABLE


def picture_of(file: str, jacobian: bool) -> Picture:
    """The kind of picture that a file is named for, while nothing has been computed.

    Raises:
        InputError: another suffix, no J to plot, or no matplotlib to plot it with.
    """
    suffix = Path(file).suffix.lower().removeprefix(".")
    if suffix not in list(Picture):
        hint = did_you_mean(suffix, Picture) or f"end it in {', '.join(f'.{p}' for p in Picture)}"
        raise InputError(f"--plot writes no '{shorten(suffix or file)}' file", hint)
    if not jacobian:
        raise InputError("--plot shows J, and --no-jacobian leaves it out", "give one of them")
    if find_spec("matplotlib") is None:
        raise InputError("--plot needs matplotlib", "pip install 'vjp-cli[plot]'")
    return Picture(suffix)


def language_of(explain: bool, chosen: Language | None) -> Language | None:
    """The language that ``--explain`` and ``--lang`` ask for together; None for no explanation.

    Raises:
        InputError: there is a language, and nothing to explain.
    """
    if chosen is not None and not explain:
        raise InputError("--lang is the language of an explanation", "add --explain")
    return (chosen or Language.ENGLISH) if explain else None


def assignments(texts: Iterable[str]) -> dict[str, str]:
    """The NAME=VALUE texts by name.

    Raises:
        InputError: a text without ``=``, or one name twice.
    """
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = normalize("NFKC", name.strip())
        if not (equals and name):
            raise InputError(f"--let wants NAME=VALUE, got '{shorten(text)}'", "--let x=1,2,3")
        if name in values:
            raise InputError(f"'{shorten(name)}' is given twice", "give each value once")
        values[name] = value
    return values
