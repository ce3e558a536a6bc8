"""The documents that people read: what in them the program says itself, written anew.

In README and in the samples' page a block of commands is followed by what it answers, and Python by
what it prints. In all of them, and in the pages of ``vjp help``, a fact stands between
``<!--name-->`` and ``<!--/-->``.
"""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from tests import shell
from tests.pages.facts import FACTS
from vjp_cli.pages import TOPICS

ROOT = Path(__file__).parents[1]
# with commands and what they answer
TOURS = {name: ROOT / name for name in ("README.md", "samples/README.md")}
PAGES = {topic: ROOT / "vjp_cli" / "pages" / f"{topic}.md" for topic in TOPICS}

# the commands of a block, and the output that is pasted directly after it
EXAMPLE = re.compile(r"^```sh\n(.*?)^```\n(?:\n*^```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
# Python and what it prints
PYTHON = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
# a fact in a line, or one of several lines between comments on lines of their own
_FACT = re.compile(r"<!--(\w+)-->(\n?)(.*?)<!--/-->", re.DOTALL)


def outputs(block: str) -> str:
    """What a reader sees who runs the commands of the block one after the other."""
    answers = [shell.answer(line) for line in block.splitlines()]
    text = "".join(answer.stdout + answer.stderr for answer in answers)
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def printed(code: str) -> str:
    """What the Python code prints."""
    text = StringIO()
    with redirect_stdout(text):
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    return text.getvalue()


def with_facts(text: str) -> str:
    """The document with today's facts."""

    def fact(match: re.Match[str]) -> str:
        value = FACTS[match[1]]()
        lines = f"\n{value}\n" if match[2] else value
        return f"<!--{match[1]}-->{lines}<!--/-->"

    return _FACT.sub(fact, text)


def facts_of(text: str) -> set[str]:
    """The names of the facts in a document."""
    return {match[1] for match in _FACT.finditer(text)}


def refreshed(text: str) -> str:
    """The document with today's outputs and facts."""

    def paste(match: re.Match[str]) -> str:
        if match[2] is None:
            return match[0]
        return f"```sh\n{match[1]}```\n\n```text\n{outputs(match[1])}```\n"

    def paste_printed(match: re.Match[str]) -> str:
        return f"```python\n{match[1]}```\n\n```text\n{printed(match[1])}```\n"

    return with_facts(PYTHON.sub(paste_printed, EXAMPLE.sub(paste, text)))


def refresh() -> None:
    """Write all documents anew."""
    for path in TOURS.values():
        path.write_text(refreshed(path.read_text(encoding="utf-8")), encoding="utf-8")
    for path in PAGES.values():
        path.write_text(with_facts(path.read_text(encoding="utf-8")), encoding="utf-8")
