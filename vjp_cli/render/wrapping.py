"""Paragraphs as lines: words stay whole, and Chinese may break between any two characters."""

import re
import unicodedata

from vjp_cli.render.grid import cell_width

# signs that must not begin a line, and one that must not end it
_CLOSING = "，。、；：！？）”’》"
_OPENING = "（“‘《"


def wrapped(text: str, width: int) -> list[str]:
    """``text`` in lines of at most ``width`` columns; a word alone may be longer.

    A wide character counts as two columns.
    """
    lines = [""]
    for piece in _pieces(text):
        if cell_width((lines[-1] + piece).rstrip()) > width and lines[-1].strip():
            lines[-1] = lines[-1].rstrip()
            lines.append("")
            piece = piece.lstrip()
        lines[-1] += piece
    return lines


def _pieces(text: str) -> list[str]:
    """What must not be torn apart, in order; blanks stand before the word that they precede."""
    pieces: list[str] = []
    for run in re.findall(r"\s*\S+", text):
        fresh = True
        for character in run:
            torn = _wide(character) or (bool(pieces) and _wide(pieces[-1][-1]))
            kept = bool(pieces) and pieces[-1][-1] in _OPENING
            if fresh or (torn and character not in _CLOSING and not kept):
                pieces.append(character)
            else:
                pieces[-1] += character
            fresh = False
    return pieces


def _wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"
