"""A page of help as plain text: the little Markdown that the pages use, wrapped to a width."""

import re
import textwrap
from collections.abc import Iterator, Mapping

_MARKED = re.compile(r"`([^`]*)`|\*\*(.+?)\*\*")
# what is kept fresh by a command stands between comments
_COMMENT = re.compile(r"^<!--[^>]*-->\n|<!--[^>]*-->", re.MULTILINE)
_INDENT = "  "
_GAP = "  "
# the narrowest that a column is made
_NARROW = 12
# stands for a space within code, where no line may end
_FAST = "\N{NO-BREAK SPACE}"


def render_page(markdown: str, width: int) -> str:
    """The text of a page: headings, paragraphs, lists, tables and indented code.

    Lines have at most ``width`` characters where the words and the code allow it.
    """
    blocks = re.split(r"\n\s*\n", _COMMENT.sub("", markdown).strip("\n"))
    return "\n\n".join("\n".join(_block(block, width)) for block in blocks) + "\n"


def render_topics(summaries: Mapping[str, str], width: int) -> str:
    """The list of the pages."""
    rows = [list(row) for row in summaries.items()]
    lines = ["Pages:", *_columns(rows, width), "", "vjp help TOPIC shows one of them."]
    return "\n".join(lines) + "\n"


def _block(block: str, width: int) -> Iterator[str]:
    if block.startswith("#"):
        yield from _wrapped(_plain(block.lstrip("# ")), width, "")
    elif block.startswith("    "):
        yield from block.splitlines()
    elif block.startswith("|"):
        head, _, *rows = block.splitlines()
        yield from _columns([_cells(head), *map(_cells, rows)], width, ruled=True)
    elif block.startswith("- "):
        for item in re.split(r"^- ", block, flags=re.MULTILINE)[1:]:
            yield from _wrapped(_plain(item), width, f"{_INDENT}- ")
    else:
        yield from _wrapped(_plain(block), width, _INDENT)


def _plain(text: str) -> str:
    """The text without its marks; code stays in one piece."""
    words = " ".join(text.split())
    return _MARKED.sub(lambda match: match[2] or match[1].replace(" ", _FAST), words)


def _wrapped(text: str, width: int, first: str) -> list[str]:
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_FAST, " ") for line in lines]


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split(" | ")]


def _columns(rows: list[list[str]], width: int, ruled: bool = False) -> Iterator[str]:
    """The rows in aligned columns; the widest ones are wrapped where they do not fit."""
    texts = [[_plain(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    room = width - len(_INDENT) - len(_GAP) * (len(widths) - 1)
    while sum(widths) > room and max(widths) > _NARROW:
        widths[widths.index(max(widths))] -= 1
    for number, row in enumerate(texts):
        parts = [_wrapped(cell, size, "") or [""] for cell, size in zip(row, widths, strict=True)]
        for k in range(max(map(len, parts))):
            line = [part[k] if k < len(part) else "" for part in parts]
            yield (
                _INDENT
                + _GAP.join(cell.ljust(size) for cell, size in zip(line, widths, strict=True))
            ).rstrip()
        if ruled and number == 0:
            yield _INDENT + _GAP.join("-" * size for size in widths)
