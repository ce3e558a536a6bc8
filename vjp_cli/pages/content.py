"""A page of help, and what the pages are about."""

from pathlib import Path

from vjp_cli.choices import did_you_mean
from vjp_cli.errors import InputError, shorten
from vjp_cli.pages import TOPICS
from vjp_cli.render.pages import render_page, render_topics

# longer lines of prose are hard to read
_WIDTH = 80


def text(topic: str | None, width: int) -> str:
    """The page of ``topic`` as plain text for ``width`` columns; without one what there is.

    Raises:
        InputError: there is no such page.
    """
    columns = min(width, _WIDTH)
    if topic is None:
        return render_topics(summaries(), columns)
    return render_page(page(topic), columns)


def summaries() -> dict[str, str]:
    """What each topic is about, in one line."""
    titles = (_text(topic).partition("\n")[0] for topic in TOPICS)
    return {topic: title.partition(": ")[2] for topic, title in zip(TOPICS, titles, strict=True)}


def page(topic: str) -> str:
    """The page of ``topic`` as Markdown.

    Raises:
        InputError: there is none.
    """
    if topic not in TOPICS:
        hint = did_you_mean(topic, TOPICS) or f"one of {', '.join(TOPICS)}"
        raise InputError(f"there is no page on '{shorten(topic)}'", hint)
    return _text(topic)


def _text(topic: str) -> str:
    return (Path(__file__).parent / f"{topic}.md").read_text(encoding="utf-8")
