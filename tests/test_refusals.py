"""What the command line refuses, each with its whole text and what to write instead."""

import pytest

from tests.helpers import Asked, ask, refused, run


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the inspection was asked; it answers REPORT."""
    return ask(monkeypatch)


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        ("k*x --x 1", "no value for k", "add --k VALUE"),
        ("a*b*c --b 1", "no value for a and c", "add --a VALUE --c VALUE"),
        ("v*x --x 1 --v 3", "no value for v", "add --let v=VALUE"),
        ("json*k*x --x 1", "no value for json and k", "add --let json=VALUE --k VALUE"),
        ("alpha*x --alhpa 1 --x 1", "no such option: --alhpa", "did you mean '--alpha'?"),
        ("form*x --x 1 --form", "--form needs a value", "write --form VALUE, or --form=VALUE"),
        ("x --x 1 --jsno", "no such option: --jsno", "did you mean '--json'?"),
        ("x --x 1 --k 2", "no such option: --k", "the expression has --x"),
        ("x --x 1 --x 2", "--x is given 2 times", "give it once"),
        ("x --x 1 --loss y --loss y", "--loss is given 2 times", "give it once"),
        (
            "k@x --k 1,2 --x 1,2 --loss sum(k)",
            "--loss: 'k' is not the output y: a loss may use that and numbers",
            "for example --loss 'sum((y - 1)**2)'",
        ),
        (
            "z=2*x --x 1,2 --loss sum(y)",
            "--loss: 'y' is not the output z: a loss may use that and numbers",
            "for example --loss 'sum((z - 1)**2)'",
        ),
        (
            "x --x 1 --loss ones(3)",
            "--loss: the loss does not use the output y",
            "for example --loss 'sum(y**2)'",
        ),
        ("x --x 1 --u q=1", "--u: there is no input 'q'", "its inputs: x"),
        (
            "x --x 1 --u 1 --u 2",
            "--u is given twice",
            "name the input of each: --u x=1,2 --u w=3",
        ),
        (
            "x --x 1 --u x=1 --u x=2",
            "--u is given twice",
            "name the input of each: --u x=1,2 --u w=3",
        ),
        ("k*x --k --x 1", "--k needs a value, but got '--x'", "write --k VALUE, or --k=VALUE"),
        ("x --x 1 -o -q", "-o needs a value, but got '-q'", "write -o VALUE, or -o=VALUE"),
        ("x --x", "--x needs a value", "write --x VALUE, or --x=VALUE"),
        ("x --let x", "--let wants NAME=VALUE, got 'x'", "--let x=1,2,3"),
        ("x --let =1", "--let wants NAME=VALUE, got '=1'", "--let x=1,2,3"),
        (
            "x --x 1 --let q=1",
            "--let: the expression has no variable 'q'",
            "its variables: x",
        ),
        ("x --x 1 --let x=2", "'x' is given twice", "give --x or --let x=VALUE"),
        ("x --let x=1 --let x=2", "'x' is given twice", "give each value once"),
        (
            "--x 1",
            "no expression given",
            "write vjp inspect '2*(x+2)**2' --x 1,2,3, or --function FILE.py:NAME",
        ),
        ("--jsno x**2", "no such option: --jsno", "did you mean '--json'?"),
        (
            "x x --x 1",
            "there is an extra argument 'x' after the expression 'x'",
            "quote the whole expression, and put each value behind its option",
        ),
        (
            "2+3",
            "nothing to differentiate: the expression has no variables",
            "name what may change, for example 3*x with --x 2",
        ),
        (
            "alpha*x --alpha 1 --x 1 --wrt alhpa",
            "--wrt: the expression has no variable 'alhpa'",
            "did you mean 'alpha'?",
        ),
        ("x --x 1 --wrt x,,x", "--wrt has an empty entry: 'x,,x'", "--wrt a,b"),
        (
            "x[t] --x 1,2 --t int64:0 --wrt t",
            "--wrt: t is a constant of dtype int64",
            "values with a dtype of their own are indices, targets or masks",
        ),
        (
            "x --x bool:1,0",
            "nothing to differentiate: x can only be constant",
            "a value without a dtype of its own is differentiated",
        ),
        (
            "x --x 1 --dtype int64",
            "derivatives need a floating dtype; int64 has none",
            "use float64 or float32; write indices and masks as --name int64:0,2",
        ),
        ("x --x 1 --dtype flaot32", "unknown dtype 'flaot32'", "did you mean 'float32'?"),
        ("x --x 1 --device gpu", "unknown device 'gpu'", "cpu, cuda, cuda:1, mps or xpu"),
        ("x --x 1 --fail-on wrogn", "--fail-on: 'wrogn' is not a verdict", "did you mean 'wrong'?"),
        ("x --x 1 --json=1", "option '--json' does not take a value", ""),
        (
            "x --x 1 --layout wide",
            "invalid value for '--layout': 'wide' is not one of 'numerator', 'denominator'",
            "",
        ),
        (
            "x --x 1 --digits 0",
            "invalid value for '--digits': it should be greater than or equal to 1",
            "",
        ),
        (
            "x --x 1 --timeout nan",
            "invalid value for '--timeout': it should be greater than or equal to 0",
            "",
        ),
        ("- --x -", "standard input can be used once", "put one of the two in a file"),
        ("@", "@ needs the name of a file", "vjp inspect @expression.txt"),
        ("@/dev", "cannot read '/dev': not a regular file", ""),
        ("@no/such.txt --x 1", "cannot read 'no/such.txt': No such file or directory", ""),
    ],
)
def test_what_is_refused_and_what_to_write_instead(
    arguments: str, message: str, hint: str, asked: Asked
) -> None:
    refused(run("inspect", *arguments.split(), stdin="x"), message, hint)
    assert asked == []


def test_a_command_that_does_not_exist() -> None:
    refused(run("inspct", "x"), "no such command: 'inspct'", "did you mean 'inspect'?")
    refused(
        run("x**2", "--x", "1"),
        "no such command: 'x**2'",
        "write vjp inspect '2*(x+2)**2' --x 1,2,3",
    )


def test_the_place_of_a_syntax_error_is_marked() -> None:
    result = run("inspect", "2*(x+1))", "--x", "1")
    assert result.stderr.splitlines()[1:3] == ["  2*(x+1))", "         ^"]


def test_standard_input_that_is_not_utf8() -> None:
    refused(run("inspect", "-", stdin=b"x+\xe9"), "standard input is not UTF-8 (byte 3)")


def test_standard_input_without_end_is_not_read_whole() -> None:
    # the values of a problem may stand in it, ten million characters of four bytes at most
    result = run("inspect", "-", stdin=b"x" * 40_000_004)
    refused(result, "standard input has more than 40000003 bytes", exit_code=4)


def test_user_text_reaches_no_terminal_raw() -> None:
    result = run("inspect", "x", "--x", "1", "--wrt", "\x1b[31m\u202eq")
    refused(
        result,
        "--wrt: the expression has no variable '\\x1b[31m\\u{202e}q'",
        "its variables: x",
    )
