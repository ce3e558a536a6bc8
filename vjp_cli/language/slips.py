"""What to write where Python's parser stops: the slips that people make when they write formulas.

Every hint is made of the user's own text where that text says what was meant.
"""

import keyword
import re
import unicodedata

from vjp_cli.errors import shorten

_SYMBOLS = {
    "−": "-",
    "–": "-",
    "—": "-",
    "×": "*",
    "·": "*",
    "⋅": "*",
    "∙": "*",
    "∗": "*",
    "÷": "/",
    "∕": "/",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "√": "sqrt(...)",
    "∞": "float('inf')",
    "“": "'",
    "”": "'",
    "‘": "'",
    "’": "'",
}

_SYNTAX = (
    ("was never closed", "close it with the bracket of the same kind"),
    ("unmatched", "delete it, or open the bracket before it"),
    ("does not match", "brackets close in the order in which they were opened"),
    ("forgot a comma", "a comma between arguments or an operator such as * is missing"),
    ("unterminated string", "close the string with the quote that opened it"),
    ("leading zeros", "write the number without leading zeros"),
    ("cannot assign", "an assignment is NAME = expression; == compares"),
    ("line continuation", "delete the backslash"),
    ("expected 'else'", "write where(condition, a, b)"),
    ("f-string", "strings are plain, as in reduction='sum'"),
)

_OTHER_WORDS = frozenset({"True", "False", "None", "not", "and", "or"})


def syntax_hint(message: str, text: str, start: int) -> str:
    """What to write where Python's parser stopped at ``start`` with ``message``."""
    if found := re.search(r"invalid character .*\(U\+([0-9A-F]+)\)", message):
        return _character_hint(chr(int(found[1], 16)), text[:start])
    if "invalid decimal literal" in message:
        return _number_hint(text, start)
    for part, hint in _SYNTAX:
        if part in message:
            return hint
    words = set(re.findall(r"\w+", re.sub("#.*", "", text)))
    if reserved := sorted(words & set(keyword.kwlist) - _OTHER_WORDS):
        return f"'{reserved[0]}' is a word of Python: an input needs another name"
    return _junction_hint(text, start)


def _character_hint(character: str, before: str) -> str:
    plain = unicodedata.normalize("NFKC", character)
    if unicodedata.category(character) == "No" and plain.isdecimal():
        # from its end: a search for the last word starts anew at each character of a long one
        ends = re.match(r"\w*", before[::-1])
        base = ends[0][::-1] if ends else ""
        return f"write {shorten(base) if base else '(...)'}**{plain} for a power"
    if symbol := _SYMBOLS.get(character, plain if plain.isascii() else ""):
        return f"write {symbol}"
    return "names are letters, digits and _; operators are + - * / ** @ // %"


def _number_hint(text: str, start: int) -> str:
    if found := re.compile(r"(\d+)([^\W\d_]\w*)").match(text, start):
        return f"write {shorten(found[1])}*{shorten(found[2])} for a product"
    return "numbers look like 1, 0.5, 1e-4, 1_000"


def _junction_hint(text: str, start: int) -> str:
    """The hint for an ``invalid syntax``, read off the characters around the place."""
    before, after = text[:start].rstrip()[-1:], text[start : start + 2]
    if not after:
        return "something is missing at the end"
    if after in ("&&", "||") or text[start - 1 : start + 1] in ("&&", "||"):
        return "write & and | for masks: (x > 0) & (x < 1)"
    if after[:1] == "|" and not before:
        return "write abs(x) for an absolute value"
    if re.match(r"[\w)\]]", before) and re.match(r"[\w(]", after):
        return "an operator such as * is missing here"
    return "for example 2*(x + 2)**2, or torch.exp(x).sum(0)"
