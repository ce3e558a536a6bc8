"""Help, the version and the shell's completion: all without torch."""

import re
import shlex

import pytest

from tests.helpers import Asked, Result, ask, run, run_process
from vjp_cli import __version__
from vjp_cli.settings import Check


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the inspection was asked; it answers REPORT."""
    return ask(monkeypatch)


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_has_four_headings_and_the_values(option: str) -> None:
    result = run("inspect", "alpha*x", option)
    assert (result.exit_code, result.stderr) == (0, "")
    headings = re.findall(r"^([A-Z][a-z ]+):$", result.stdout, re.MULTILINE)
    assert headings == ["Problem", "Values", "What to show", "Judgement", "Output", "Examples"]
    assert re.search(r"^  --alpha VALUE +The value of alpha\.$", result.stdout, re.MULTILINE)
    examples = result.stdout.split("Examples:\n")[1].splitlines()
    assert len(examples) == 2
    assert all(line.startswith("  vjp inspect '") for line in examples)


def test_the_examples_in_the_help_work(asked: Asked) -> None:
    for line in run("inspect", "--help").stdout.split("Examples:\n")[1].splitlines():
        words = shlex.split(line.split(" | ")[0])
        assert words[0] == "vjp"
        result = run(*words[1:])
        assert (result.exit_code, result.stderr) == (0, "")
    assert len(asked) == 2


@pytest.mark.parametrize("arguments", [["2*("], [], ["x", "x"], ["-"], ["x", "--x"], ["@no.txt"]])
def test_help_is_there_whatever_the_expression_is(arguments: list[str]) -> None:
    result = run("inspect", *arguments, "--help")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Usage: vjp inspect")


COMMANDS = ["inspect", "batch", "ops", "schema", "help"]


def test_every_command_is_listed_in_a_line_of_its_own() -> None:
    listed = run("--help").stdout.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed] == COMMANDS
    assert all(line.endswith(".") and not line.endswith("...") for line in listed)


@pytest.mark.parametrize("command", [[], *([command] for command in COMMANDS)])
def test_help_fits_80_columns_and_has_two_examples(command: list[str]) -> None:
    text = run(*command, "--help").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.partition("Examples:\n")[2].splitlines()) == 2


def test_no_word_is_broken_at_its_hyphen() -> None:
    text = run("inspect", "--help").stdout
    assert [check for check in Check if check not in text] == []
    assert not re.search(r"\w-$", text, re.MULTILINE)


def test_bounds_and_arguments_are_in_words() -> None:
    text = run("inspect", "--help").stdout
    assert "[1 to 30]" in text
    assert "from 0.  [at least 0]" in text
    assert not re.search(r"<str>|[<>]=", text)


def test_the_commonest_options_come_first() -> None:
    text = run("inspect", "--help").stdout
    first = ["EXPR", "-f,", "--v,", "--wrt", "--dtype", "--let", "--against", "--device"]
    first += ["--strict", "--fail-on", "--json", "--format", "-o,"]
    places = [text.index(f"\n  {name}") for name in first]
    assert places == sorted(places)


def test_a_narrow_terminal_gets_narrow_help() -> None:
    text = run("inspect", "--help", environment={"COLUMNS": "60"}).stdout
    assert max(map(len, text.partition("Examples:")[0].splitlines())) <= 60


def test_help_offers_no_short_v() -> None:
    result = run("inspect", "--help")
    assert not re.search(r"(?<![-\w])-v\b", result.stdout)
    assert "-V, --version" in result.stdout


def test_no_command_prints_the_help_on_stderr() -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Usage: vjp")
    assert "inspect" in result.stderr
    assert result.stderr.rstrip("\n") == run("--help").stdout.rstrip("\n")


@pytest.mark.parametrize("arguments", [["--version"], ["-V"], ["inspect", "-V"]])
def test_the_version(arguments: list[str]) -> None:
    assert run(*arguments) == Result(0, f"vjp {__version__}\n", "")


def complete(words: str, index: int) -> list[str]:
    environment = {
        "_VJP_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(index),
    }
    result = run(environment=environment)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout.split()


@pytest.mark.parametrize(
    ("words", "index", "completions"),
    [
        ("vjp ins", 1, ["inspect"]),
        ("vjp inspect 'alpha*beta' --alp", 3, ["--alpha"]),
        ("vjp inspect 'alpha*beta' --al", 3, ["--allow-functions", "--alpha"]),
        ("vjp inspect 'alpha*beta' --alpha 1 --be", 5, ["--beta"]),
        ("vjp inspect 'alpha*beta' --alpha 1 --alp", 5, []),
        ("vjp inspect 'alpha*' --alp", 3, []),
        ("vjp inspect x --layout ", 4, ["numerator", "denominator"]),
        ("vjp inspect x --dev", 3, ["--device"]),
        ("vjp schema re", 2, ["report", "request"]),
        ("vjp help v", 2, ["verdicts", "values"]),
        ("vjp help e", 2, ["exit-codes"]),
    ],
)
def test_the_shell_completes(words: str, index: int, completions: list[str]) -> None:
    assert complete(words, index) == completions


@pytest.mark.parametrize(
    "setup",
    [
        "run(['--help'])",
        "run(['--version'])",
        "run(['inspect', 'k*x', '--help'])",
        "run(['inspect', 'k*x', '--x', '1'])",
        "os.environ.update(_VJP_COMPLETE='complete_bash', COMP_WORDS='vjp inspect k*x --', "
        "COMP_CWORD='3'); run([])",
    ],
)
def test_help_version_and_completion_import_nothing_heavy(setup: str) -> None:
    code = f"""
import os, sys
from vjp_cli.cli import run
try:
    {setup}
except SystemExit:
    pass
heavy = {{"torch", "sympy", "numpy", "flint", "rich", "pydantic", "vjp_cli.inspection"}} & set(
    sys.modules
)
sys.stderr.write(f"heavy: {{sorted(heavy)}}")
"""
    result = run_process(code=code)
    assert result.stderr.endswith("heavy: []")
