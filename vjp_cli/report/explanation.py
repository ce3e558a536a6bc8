"""A report in words for a newcomer."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Paragraph:
    """One paragraph; ``label`` is the sign or the word that it explains."""

    label: str
    text: str


@dataclass(frozen=True)
class Explanation:
    """The paragraphs in one language, under a title."""

    title: str
    paragraphs: tuple[Paragraph, ...]
