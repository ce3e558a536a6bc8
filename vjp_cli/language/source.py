"""The text of an expression: its characters, its syntax tree, and where in it a node lies.

Nothing is evaluated and nothing is imported here: ``ast.parse`` is all that reads the text.
"""

import ast
import unicodedata
import warnings

from vjp_cli.errors import ExpressionError, LimitError, Place, clean, shorten
from vjp_cli.language import slips
from vjp_cli.settings import LIMITS

# for the line of an error Python reads the file of that name: none has the empty one
NO_FILE = ""
_BYTE_ORDER_MARK = "\ufeff"
_EXAMPLE = "for example 2*(x + 2)**2, or torch.exp(x).sum(0)"


def read(source: str) -> str:
    """The text that is parsed: no byte order mark, LF line ends, no blanks around a line.

    The language has no blocks, so indentation means nothing and is dropped.

    Raises:
        LimitError: more characters than the limit.
        ExpressionError: a character that hides or controls something, or no text at all.
    """
    if len(source) > LIMITS.characters:
        raise LimitError(
            f"the expression has {len(source)} characters; the limit is {LIMITS.characters}",
            "give long constants as inputs, for example --c @c.npy",
        )
    source = source.removeprefix(_BYTE_ORDER_MARK).replace("\r\n", "\n")
    for position, character in enumerate(source):
        if not _allowed(character):
            raise ExpressionError(
                f"character {_escaped(character)} at position {position + 1} "
                "is not allowed in an expression",
                "write a plain space" if character.isspace() else "delete it",
                Place(source, position, position + 1),
            )
    text = "\n".join(line.strip() for line in source.split("\n")).strip()
    if not text:
        raise _empty()
    return text


def _allowed(character: str) -> bool:
    if character in " \t\n":
        return True
    # letters, marks, numbers, punctuation and symbols; no controls, no separators
    return unicodedata.category(character)[0] in "LMNPS"


def _escaped(character: str) -> str:
    visible = clean(character)
    code = ord(character)
    return (
        visible if visible != character else f"\\x{code:02x}" if code < 256 else f"\\u{{{code:x}}}"
    )


def _empty() -> ExpressionError:
    return ExpressionError("the expression is empty", _EXAMPLE)


def tree(text: str) -> list[ast.stmt]:
    """The statements of ``text`` (one at least), not checked yet.

    Raises:
        ExpressionError: ``text`` is not Python.
        LimitError: it is nested too deeply for Python's parser, or has too many nodes or digits.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(text, NO_FILE)
    except SyntaxError as error:
        raise _unparsable(error, text) from None
    except ValueError as error:
        raise ExpressionError(
            f"cannot parse the expression: {shorten(str(error))}", _EXAMPLE
        ) from None
    except (MemoryError, RecursionError):
        raise _too_deep() from None
    if not module.body:
        raise _empty()
    nodes = sum(isinstance(node, ast.expr | ast.stmt | ast.keyword) for node in ast.walk(module))
    if nodes > LIMITS.nodes:
        raise LimitError(
            f"the expression has {nodes} parts; the limit is {LIMITS.nodes}",
            "write it with operations on whole arrays, such as sum",
        )
    return module.body


def _too_deep(place: Place | None = None) -> LimitError:
    return LimitError(
        "the expression is nested too deeply", "name its parts: a = ...; b = ... a ...", place
    )


def _unparsable(error: SyntaxError, text: str) -> ExpressionError | LimitError:
    place = _place_of(error, text)
    if "too many nested parentheses" in error.msg:
        return _too_deep(place)
    if "integer string conversion" in error.msg:
        return LimitError(
            "a number in the expression has too many digits", "write it as a float: 1e100", place
        )
    message = f"cannot parse the expression: {shorten(error.msg)}"
    return ExpressionError(message, slips.syntax_hint(error.msg, text, place.start), place)


def _place_of(error: SyntaxError, text: str) -> Place:
    """The span that a syntax error names, whose columns count characters from 1; 0 is unknown."""
    start = _offset(text, error.lineno or 1) + max((error.offset or 1) - 1, 0)
    end = start + 1
    if error.end_lineno == error.lineno and error.offset and error.end_offset:
        end = max(end, start + error.end_offset - error.offset)
    start = min(start, len(text))
    return Place(text, start, max(start, min(end, len(text))))


def _offset(text: str, line: int) -> int:
    """Where line ``line``, counted from 1, begins."""
    return sum(len(before) + 1 for before in text.split("\n")[: line - 1])


def span(text: str, node: ast.expr | ast.stmt | ast.keyword) -> Place:
    """The characters of ``text`` that ``node`` was parsed from (its own columns count bytes)."""
    last = node.lineno if node.end_lineno is None else node.end_lineno
    column = node.col_offset if node.end_col_offset is None else node.end_col_offset
    return Place(
        text, _character(text, node.lineno, node.col_offset), _character(text, last, column)
    )


def _character(text: str, line: int, column: int) -> int:
    encoded = text.split("\n")[line - 1].encode()
    return _offset(text, line) + len(encoded[:column].decode())
