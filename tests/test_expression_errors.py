"""Every text with which an expression is refused, with the carets under its place."""

import codecs
import os
import re
import time
from pathlib import Path

import pytest

from vjp_cli.alarm import alarm
from vjp_cli.errors import ExitCode, VjpError
from vjp_cli.expression import parse
from vjp_cli.ops import catalog
from vjp_cli.ops.table import Kind, Op

NAME_PARTS = "name its parts: a = ...; b = ... a ..."
AS_FLOAT = "write it as a float: 9.0**99"
NO_END = "exact powers of that size do not finish; write exp(n*log(x))"
BEYOND = "is larger than 1000 in absolute value"


@pytest.fixture(scope="module", autouse=True)
def _rows():
    names = ("sin", "sum", "exp", "pow", "zeros", "zero")
    rows = {name: Op(name, name, Kind.MOVE) for name in names}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalog, "_BY_NAME", rows)
        yield


def _refused():
    r"""The blocks of ``refused.txt``: source (with \n, \x1b, \u202e), carets, message, hint."""
    text = (Path(__file__).parent / "language" / "refused.txt").read_text(encoding="utf-8")
    for block in text.split("\n\n"):
        source, carets, message, hint = block.strip("\n").split("\n")
        yield (re.sub(r"\\(x..|u....|[nrt])", _character, source), carets, message, hint)


def _character(found):
    return codecs.decode(found[0], "unicode_escape")


LIMITED = [
    (
        "x+" * 6000 + "x",
        "the expression has 12001 characters; the limit is 10000",
        "give long constants as inputs, for example --c @c.npy",
        "-",
    ),
    (
        "[" + "-x," * 3000 + "]",
        "the expression has 6002 parts; the limit is 5000",
        "write it with operations on whole arrays, such as sum",
        "-",
    ),
    (
        "(" * 300 + "x" + ")" * 300,
        "the expression is nested too deeply",
        NAME_PARTS,
        " " * 38 + "^",
    ),
    ("-" * 9000 + "x", "the expression is nested too deeply", NAME_PARTS, "-"),
    ("x**" * 3000 + "x", "the expression is nested too deeply", NAME_PARTS, "-"),
    (
        "-" * 100 + "x",
        "the expression is nested more than 100 levels deep",
        NAME_PARTS,
        " " * 38 + "^",
    ),
    ("9**9**9", f"the exponent 387420489 {BEYOND}", NO_END, "^^^^^^^"),
    ("x**(9**9)", f"the exponent 387420489 {BEYOND}", NO_END, "    ^^^^"),
    ("x**-1001.5", f"the exponent -1001.5 {BEYOND}", NO_END, "   ^^^^^^^"),
    ("x**2**600", f"the exponent {BEYOND}", NO_END, "   ^^^^^^"),
    ("n = 10**6; x**n", f"the exponent 1000000 {BEYOND}", NO_END, " " * 14 + "^"),
    ("x.pow(1001)", f"the exponent 1001 {BEYOND}", NO_END, "^" * 11),
    ("pow(x, exponent=1001)", f"the exponent 1001 {BEYOND}", NO_END, "^" * 21),
    ("((9**9)**9)**999", "a constant in the expression is too large", AS_FLOAT, "^" * 16),
    (
        "2**1000*2**1000*2**1000*2**1000*2**96",
        "a constant in the expression is too large",
        AS_FLOAT,
        "^" * 37,
    ),
    ("x*0x1" + "0" * 256, "an integer in the expression is too large", AS_FLOAT, "  " + "^" * 74),
    (
        "9" * 5000,
        "a number in the expression has too many digits",
        "write it as a float: 1e100",
        "^",
    ),
]


def _error(source):
    with pytest.raises(VjpError) as caught:
        parse(source)
    return caught.value


def _carets(error):
    return error.place.caret().split("\n")[1][2:] if error.place else "-"


@pytest.mark.parametrize("source", ["", " \n\t", "# x"])
def test_an_empty_text_is_refused(source):
    error = _error(source)
    assert error.message == "the expression is empty"
    assert error.hint == "for example 2*(x + 2)**2, or torch.exp(x).sum(0)"


@pytest.mark.parametrize(("source", "carets", "message", "hint"), list(_refused()))
def test_a_text_outside_the_language_is_refused_at_its_place(source, carets, message, hint):
    error = _error(source)
    assert (error.message, error.hint, error.exit_code) == (message, hint, ExitCode.USAGE)
    assert _carets(error) == carets


@pytest.mark.parametrize(("source", "message", "hint", "carets"), LIMITED)
def test_a_cost_beyond_a_limit_is_refused_at_its_place(source, message, hint, carets):
    error = _error(source)
    assert (error.message, error.hint, error.exit_code) == (message, hint, ExitCode.LIMIT)
    assert _carets(error) == carets


def test_no_file_is_opened_for_the_line_of_an_error(tmp_path, monkeypatch):
    # where a file has no name, Python calls it so, and reads the line of the error from it
    monkeypatch.chdir(tmp_path)
    os.mkfifo(tmp_path / "<unknown>")
    begin = time.monotonic()
    # Python swallows the error, but goes on
    with alarm(10, TimeoutError()), pytest.raises(VjpError, match="invalid syntax"):
        parse("x ! y")
    assert time.monotonic() - begin < 10
