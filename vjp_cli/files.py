"""Values in files: ``@f.npy``, ``@f.npz:name``, ``@f.csv``, ``@csv:path`` and the like."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import PurePath

from vjp_cli.errors import InputError, shorten
from vjp_cli.inputs.array_files import read_npy, read_npz
from vjp_cli.inputs.literals import BadNumber, Scalar, Value, check_size, number, read_numbers
from vjp_cli.inputs.nested import from_json
from vjp_cli.inputs.sources import Source, from_file, from_stdin
from vjp_cli.inputs.tensor_files import read_pt, read_safetensors


def read_file(spec: str, name: str, stdin: Callable[[], bytes] | None = None) -> Value:
    """The raw value in a file.

    Args:
        spec: what stands after the ``@``: ``[FORMAT:]PATH[:KEY]``.
        name: the option that the value is for.
        stdin: gives the bytes of standard input, for ``csv:-``.

    Raises:
        InputError: if the file cannot be read, or is not what its format says.
        LimitError: if it is too large; raised before memory is taken.
    """
    form, path, key = _split(spec, name)
    if path in ("-", "/dev/stdin"):
        return _READERS[form](from_stdin(name, stdin, key))
    with from_file(name, path, key) as source:
        return _READERS[form](source)


def _split(spec: str, name: str) -> tuple[str, str, str | None]:
    match = re.fullmatch(rf"({'|'.join(_READERS)}):(.*)", spec, re.DOTALL)
    form, path = (match[1], match[2]) if match else ("", spec)
    if not path:
        raise InputError(f"{name}: @ names no file", f"for example {name} @data.npy")
    keyed = re.fullmatch(r"(.+?\.\w+):(.*)", path, re.DOTALL)
    if keyed and (form or _suffix(keyed[1])) in _KEYED:
        return form or _suffix(keyed[1]), keyed[1], keyed[2]
    form = form or _suffix(path)
    if form not in _READERS:
        known = ", ".join(f".{known}" for known in _READERS)
        raise InputError(
            f"{name}: the name of {shorten(path)} does not say its format",
            f"formats are {known}; @csv:PATH reads a file of any name as CSV",
        )
    return form, path, None


def _suffix(path: str) -> str:
    return PurePath(path).suffix.lower().removeprefix(".")


def _read_json(source: Source) -> Value:
    text = source.text().strip()
    if not text:
        raise source.error("is empty")
    return from_json(text, f"{source.name}: {source.label}")


def _read_csv(source: Source) -> Value:
    return read_table(source.text(), source, ",")


def _read_tsv(source: Source) -> Value:
    return read_table(source.text(), source, "\t")


def read_table(text: str, source: Source, delimiter: str) -> Value:
    """Lines of numbers as a raw value: one column or one row is 1-d, anything else 2-d.

    Empty lines, and a first line without any number, are skipped.

    Raises:
        InputError: at a cell that is no number, naming line and column, or an uneven line.
        LimitError: before splitting, if there are too many cells.
    """
    check_size((text.count(delimiter) + text.count("\n") + 1,), f"{source.name}: {source.label}")
    rows: list[list[Scalar]] = []
    first = True
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if len(cells) < 2 and not "".join(cells).strip():
                continue
            heading = first and _is_header(cells)
            first = False
            if heading:
                continue
            if rows and len(cells) != len(rows[0]):
                raise InputError(
                    f"{source.name}: line {reader.line_num} of {source.label} ends after column "
                    f"{len(cells)}, the lines before after column {len(rows[0])}",
                    "every line needs as many numbers as the first",
                )
            rows.append(_read_cells(cells, source, reader.line_num))
    except csv.Error as error:
        raise source.error(f"is damaged at line {reader.line_num}: {error}") from None
    if not rows:
        raise source.error("holds no numbers")
    columns = len(rows[0])
    shape = (len(rows), columns) if len(rows) > 1 < columns else (len(rows) * columns,)
    return Value(shape, [entry for row in rows for entry in row])


def _is_header(cells: list[str]) -> bool:
    # a cell that begins like a number is a bad number, not a name: its line must not be skipped
    return any(cell.strip() for cell in cells) and not any(
        _LIKE_NUMBER.match(cell) or _spells_number(cell) for cell in cells
    )


_LIKE_NUMBER = re.compile(r"\s*[+\-−]?[.,]?\d")


def _spells_number(cell: str) -> bool:
    try:
        number(cell)
    except BadNumber:
        return False
    return True


def _read_cells(cells: list[str], source: Source, line: int) -> list[Scalar]:
    def place(index: int) -> str:
        return f"line {line}, column {index + 1} of {source.label}"

    for index, cell in enumerate(cells):
        if not cell.strip():
            problem = f"{source.name}: {place(index)} is empty"
            raise InputError(problem, "write nan for a missing number")
    return read_numbers(cells, source.name, place)


_READERS: dict[str, Callable[[Source], Value]] = {
    "npy": read_npy,
    "npz": read_npz,
    "csv": _read_csv,
    "tsv": _read_tsv,
    "json": _read_json,
    "pt": read_pt,
    "safetensors": read_safetensors,
}
# the endings of the files that can be read
FORMATS = tuple(_READERS)
_KEYED = ("npz", "pt", "safetensors")
