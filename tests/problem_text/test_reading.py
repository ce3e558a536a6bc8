"""Files of problems: what their lines mean, what a caller overrides, what they must not say."""

import pytest

from tests.helpers import Asked, ask, refused, run
from vjp_cli.settings import Layout, Settings
from vjp_cli.values import Value

ELSEWHERE = "a value in a problem is not read from elsewhere"
NUMBERS = "write the numbers, or give it on the command line"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the inspection was asked; it answers REPORT."""
    return ask(monkeypatch)


@pytest.fixture
def problem(tmp_path, monkeypatch):
    """A function that writes ``p.txt`` where the program runs."""
    monkeypatch.chdir(tmp_path)

    def write(text: str) -> str:
        (tmp_path / "p.txt").write_text(text, encoding="utf-8")
        return "@p.txt"

    return write


def numbers(value):
    assert isinstance(value, Value)
    return list(value.numbers)


def test_a_file_runs_alone(asked, problem):
    file = problem(
        "# two lines of options\n"
        "# vjp: --x 1,2,3 --dtype float32\n"
        "#vjp:   --cotangent=0.1,1,1e-4 --layout denominator --no-jacobian\n"
        "2*(x+2)**2\n"
    )
    result = run("inspect", file)
    assert (result.exit_code, result.stderr) == (0, "")
    [(request, settings)] = asked
    assert request.subject.source == "# two lines of options\n2*(x+2)**2"
    assert numbers(request.inputs["x"]) == [1, 2, 3]
    assert numbers(request.v) == [0.1, 1, 1e-4]
    assert settings == Settings(dtype="float32", layout=Layout.DENOMINATOR, jacobian=False)


def test_standard_input_is_a_problem_too(asked):
    assert run("inspect", "-", stdin="# vjp: --x 5\nx**2\n").exit_code == 0
    assert numbers(asked[0][0].inputs["x"]) == [5]


def test_options_after_the_expression_and_line_ends_of_windows(asked, problem):
    run("inspect", problem("x*y\r\n# vjp: --x 5\r\n# vjp: --y 7\r\n"))
    assert [numbers(value) for value in asked[0][0].inputs.values()] == [[5], [7]]


def test_the_command_line_comes_first(asked, problem):
    file = problem("# vjp: --x 1,2 --y 3 --v 4,5 --dtype float32 --seed 7\nx*y\n")
    run("inspect", file, "--x", "8,9", "--v=6,6", "--dtype", "float16")
    [(request, settings)] = asked
    assert numbers(request.inputs["x"]) == [8, 9]
    assert numbers(request.inputs["y"]) == [3]
    assert numbers(request.v) == [6, 6]
    assert (settings.dtype, settings.seed) == ("float16", 7)


@pytest.mark.parametrize(
    ("header", "option"),
    [("--k 1", "--let=k=2"), ("--let k=1", "--k=2"), ("--let k=1", "--let=k=2")],
)
def test_let_and_an_option_mean_the_same_name(asked, problem, header, option):
    result = run("inspect", problem(f"# vjp: {header}\nk**2\n"), option)
    assert (result.exit_code, result.stderr) == (0, "")
    assert numbers(asked[0][0].inputs["k"]) == [2]


def test_a_variable_called_v_is_not_the_cotangent(asked, problem):
    run("inspect", problem("# vjp: --let v=1 --v 3\nv**2\n"), "--let", "v=2")
    [(request, _)] = asked
    assert numbers(request.inputs["v"]) == [2]
    assert numbers(request.v) == [3]


def test_quotes_are_those_of_a_shell(asked, problem):
    run("inspect", problem("# vjp: --x '[[1, 2], [3, 4]]' --let \"y = 5\"\nx*y\n"))
    assert asked[0][0].inputs["x"].shape == (2, 2)
    assert numbers(asked[0][0].inputs["y"]) == [5]


def test_a_file_without_options_is_an_expression(asked, problem):
    file = problem("# vjp inspect @p.txt --x 1\nx**2\n")
    refused(run("inspect", file), "no value for x", "add --x VALUE")
    assert run("inspect", file, "--x", "1").exit_code == 0


@pytest.mark.parametrize(
    ("header", "message", "hint"),
    [
        (
            "--output y.json",
            "--output is not an option of a problem",
            "give it on the command line",
        ),
        ("-q", "--quiet is not an option of a problem", "give it on the command line"),
        ("--save-problem a", "--save-problem is not an option of a problem", None),
        ("--allow-functions", "--allow-functions is not an option of a problem", None),
        ("--fail-on ok", "--fail-on is not an option of a problem", None),
        ("--timeout 9", "--timeout is not an option of a problem", None),
        ("--help", "--help is not an option of a problem", None),
        ("--x", "--x needs a value", "for example # vjp: --x 1,2,3 --v ones"),
        ("1,2", "'1,2' is no option", "for example # vjp: --x 1,2,3 --v ones"),
        ("--x '1", "no closing quotation", "quote it as in a shell"),
        ("--x @other.npy", f"--x: {ELSEWHERE}", NUMBERS),
        ("--x int64:@csv:other.txt", f"--x: {ELSEWHERE}", NUMBERS),
        ("--x=-", f"--x: {ELSEWHERE}", NUMBERS),
        ("--let x=@/etc/passwd", f"--x: {ELSEWHERE}", NUMBERS),
        ("--x 1 --v @v.npy", f"--v: {ELSEWHERE}", NUMBERS),
        ("--x 1 --u x=-", f"--u: {ELSEWHERE}", NUMBERS),
        ("--x 1 --u -", f"--u: {ELSEWHERE}", NUMBERS),
        ("--x 1 --x 2", "--x is there already, in line 2 of 'p.txt'", "give it once"),
        ("--x 1,,2", "--x: entry 2 of 3 is empty", "two commas, or one at the end?"),
        ("--let x=1,,2", "--x: entry 2 of 3 is empty", "two commas, or one at the end?"),
        ("--x 1 --z 2", "no such option: --z", "the expression has --x"),
        ("--x 1 --dtype float31", "unknown dtype 'float31'", "did you mean 'float32'?"),
        ("--x 1 --wrt q", "--wrt: the expression has no variable 'q'", "its variables: x"),
        ("--x 1 --layout sideways", None, None),
    ],
)
def test_what_a_file_must_not_say(problem, header, message, hint):
    result = run("inspect", problem(f"# a comment\n# vjp: {header}\nx**2\n"))
    assert (result.exit_code, result.stdout) == (2, "")
    if message and not message.startswith("unknown dtype"):
        message = f"line 2 of 'p.txt': {message}"
    if hint is not None:
        refused(result, message, hint)
    first = result.stderr.splitlines()[0]
    assert message is None or first == f"vjp: error: {message}"
    assert message is not None or first.startswith("vjp: error: line 2 of 'p.txt': ")


def test_an_error_of_the_command_line_has_no_line(problem):
    result = run("inspect", problem("# vjp: --x 1\nx*y\n"), "--y", "1,,2")
    refused(result, "--y: entry 2 of 3 is empty", "two commas, or one at the end?")


def test_the_line_of_an_option_that_is_there_twice(problem):
    result = run("inspect", problem("# vjp: --x 1\nx\n# vjp: --x 2\n"))
    refused(result, "line 3 of 'p.txt': --x is there already, in line 1 of 'p.txt'", "give it once")


CODE = "from pathlib import Path\nPath('ran').touch()\ndef double(x):\n    return 2*x\n"


@pytest.mark.parametrize(
    "text",
    [
        "# vjp: --function f.py:double --x 1\n",
        "# vjp: -f f.py:double\n# vjp: --x 1\n",
        "# vjp: --x 1 --against f.py:double\n2*x\n",
    ],
)
def test_a_function_is_refused_unless_allowed(problem, tmp_path, text):
    (tmp_path / "f.py").write_text(CODE)
    file = problem(text)
    result = run("inspect", file)
    assert result.exit_code == 2
    assert "runs the code of a file\n" in result.stderr
    assert result.stderr.startswith("vjp: error: line 1 of 'p.txt': --")
    assert result.stderr.splitlines()[-1].startswith("hint: add --allow-functions if you trust")
    assert not (tmp_path / "ran").exists()
    allowed = run("inspect", file, "--allow-functions", "--json")
    assert allowed.exit_code == 0, allowed.stderr
    assert '"vjp":{"x":2.0}' in allowed.stdout
    assert (tmp_path / "ran").exists()


def test_a_function_and_an_expression(problem, tmp_path):
    (tmp_path / "f.py").write_text(CODE)
    file = problem("# vjp: --function f.py:double --x 1\nx**2\n")
    result = run("inspect", file, "--allow-functions")
    refused(result, "line 1 of 'p.txt': there is an expression, too", "leave one out")


def test_a_text_of_a_function_may_hold_any_sign(problem, tmp_path):
    (tmp_path / "f.py").write_text("def f(x, mode: str = ''):\n    return x*len(mode)\n")
    file = problem("# vjp: --function f.py:f --x 1 --mode '@ -'\n")
    result = run("inspect", file, "--allow-functions", "--json")
    assert '"vjp":{"x":3.0}' in result.stdout, result.stderr


def test_help_and_completion_read_the_names(problem):
    file = problem("# vjp: --alpha 1\nalpha*beta\n")
    shown = run("inspect", file, "--help").stdout
    assert "--alpha VALUE" in shown
    assert "--beta VALUE" in shown


def test_limits(problem):
    long = ",".join(["0.5"] * 20_000)
    assert run("inspect", problem(f"# vjp: --x {long}\nsum(x)\n"), "-q").exit_code == 0
    result = run("inspect", problem("# vjp: --x 1\n" + "x" + "+x" * 5_000))
    refused(
        result,
        "the expression has 10001 characters; the limit is 10000",
        "give long constants as inputs, for example --c @c.npy",
        4,
    )


def test_a_huge_file_is_not_read(tmp_path):
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(50_000_000)
    result = run("inspect", f"@{tmp_path / 'huge.txt'}")
    assert result.exit_code == 4
    assert "has more than 10000000 characters" in result.stderr
