"""The pages of help say what is so: facts are compared, examples run, tables are tried."""

import json
import re
import shlex
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests import shell
from tests.bench import comparison
from tests.documents import PAGES, TOURS, facts_of
from tests.helpers import refused, run, run_process
from tests.pages import facts
from tests.pages.facts import FACTS
from tests.test_docs import OPTION, VALUES, options
from vjp_cli import ops_page
from vjp_cli.errors import ExitCode, VjpError
from vjp_cli.expression import parse
from vjp_cli.files import FORMATS
from vjp_cli.ops import catalog
from vjp_cli.pages import TOPICS
from vjp_cli.pages.content import page, summaries
from vjp_cli.render import formats as report_formats
from vjp_cli.report import Verdict
from vjp_cli.settings import DTYPES, LIMITS, Check, Limits, Settings
from vjp_cli.values import parse_value

ROOT = Path(__file__).parents[2]
COMMANDS = re.compile(r"^    (vjp .*)$", re.MULTILINE)


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def rows(topic: str, heading: str) -> list[list[str]]:
    """The cells of the table of a page whose first heading this is."""
    lines = page(topic).splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    found = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return found


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def shown(topic: str) -> str:
    result = run("help", topic)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def test_without_a_topic_there_is_the_list() -> None:
    result = run("help")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line.split()[0] for line in result.stdout.splitlines()[1 : 1 + len(TOPICS)]] == list(
        TOPICS
    )
    assert all(summary in result.stdout for summary in summaries().values())


@pytest.mark.parametrize("topic", TOPICS)
def test_a_page_is_plain_text_within_80_columns(topic: str) -> None:
    text = shown(topic)
    assert text.splitlines()[0] == f"{topic}: {summaries()[topic]}"
    assert max(map(len, text.splitlines())) <= 80
    assert not re.search(r"`|<!--|\x1b|^#|^\s*\|", text, re.MULTILINE)
    # a wide terminal gets no longer lines, a narrow one shorter ones
    assert run("help", topic, tty=True, environment={"COLUMNS": "200"}).stdout == text
    narrow = run("help", topic, tty=True, environment={"COLUMNS": "60"}).stdout
    assert len(narrow.splitlines()) > len(text.splitlines())


def test_a_wrong_topic_gets_a_suggestion() -> None:
    refused(run("help", "verdict"), "there is no page on 'verdict'", "did you mean 'verdicts'?")
    refused(run("help", "x"), "there is no page on 'x'", f"one of {', '.join(TOPICS)}")


@pytest.mark.parametrize("command", ["inspect", "batch", "ops", "schema", "help"])
def test_a_command_as_the_topic_shows_its_help(command: str) -> None:
    assert run("help", command) == run(command, "--help")


@pytest.mark.parametrize("arguments", [["help"], *(["help", topic] for topic in TOPICS)])
def test_nothing_heavy_is_imported(arguments: list[str]) -> None:
    script = f"""
import sys
from vjp_cli.cli import run
run({arguments!r})
heavy = {{"torch", "sympy", "numpy", "flint", "rich", "pydantic", "msgspec"}} & set(sys.modules)
sys.stderr.write(f"heavy: {{sorted(heavy)}}")
"""
    assert run_process(code=script).stderr.endswith("heavy: []")


def test_every_fact_is_used() -> None:
    used = [
        facts_of(path.read_text(encoding="utf-8")) for path in [*TOURS.values(), *PAGES.values()]
    ]
    # the table of limits has what no sentence has
    assert set(FACTS) - set().union(*used) == {"line_characters"}
    folder = ROOT / "vjp_cli" / "pages"
    assert sorted(path.stem for path in folder.glob("*.md")) == sorted(TOPICS)


@pytest.mark.parametrize("topic", TOPICS)
def test_a_site_shows_a_page_as_it_is(topic: str) -> None:
    # a comment that begins a line makes all of that line HTML
    assert not re.search(r"^(- )?<!--\w+-->.", page(topic), re.MULTILINE)
    # and a bar ends a cell
    lines = page(topic).splitlines()
    for line, following in pairwise(lines):
        if line.startswith("|") and following.startswith("|"):
            assert line.count("|") == following.count("|"), following


def test_verdicts_are_those_of_the_program() -> None:
    found = rows("verdicts", "verdict")
    assert [row[0] for row in found] == [f"`{verdict}`" for verdict in Verdict]


def test_exit_codes_are_those_of_the_program() -> None:
    found = rows("exit-codes", "exit code")
    assert [row[0] for row in found[:-1]] == [str(int(code)) for code in ExitCode]


def test_checks_of_a_backward_are_named() -> None:
    found = [code(row[0])[0] for row in rows("functions", "name")]
    assert set(found) <= set(Check)
    assert len(found) == len(set(found)) == 9


def test_every_operation_is_listed_by_its_names() -> None:
    listed = re.findall(r"^\| (`.*?`) \|", page("operations"), re.MULTILINE)
    found = [[*map(catalog.find, code(cell))] for cell in listed]
    assert [row[0] for row in found] == [catalog.find(line.name) for line in ops_page.listing()]
    assert all(each is row[0] for row in found for each in row)


def test_every_option_is_listed_with_its_letter() -> None:
    text = page("options")
    assert "| `-f, --function FILE.py:NAME` |" in text
    assert "| `-j, --jobs N` |" in text
    assert set(options()) <= set(OPTION.findall(text))


def test_every_format_is_listed_with_its_suffixes() -> None:
    assert {row[0]: row[1] for row in rows("formats", "format")} == {
        f"`{fmt}`": " ".join(f"`{suffix}`" for suffix in row.suffixes)
        for fmt, row in report_formats.FORMATS.items()
    }


def test_the_keys_of_a_request_are_those_of_the_schema() -> None:
    named = {name for row in rows("batches", "key of a request") for name in code(row[0])}
    schema = json.loads(run("schema", "request").stdout)
    assert named == set(schema["$defs"]["RequestLine"]["properties"])


def test_what_others_say_is_what_they_said() -> None:
    found = rows("comparison", "gradient of")
    assert [row[0] for row in found] == [case.words for case in comparison.CASES]
    # right is who passes what is right, and fails what is not
    right = {"yes": "passes", "no": "fails"}
    missed = [[row[2:5][k] != right.get(row[1], "fails") for row in found] for k in range(3)]
    assert all(any(column) for column in missed)
    assert [row[5] for row in found if row[1] == "yes"] == ["`ok`"] * 3


def test_limits_are_those_of_the_settings() -> None:
    # from waiting_elements on the work is done in another way: nothing ends
    bounds = {field.name for field in fields(Limits)} - {"waiting_elements"}
    assert bounds == set(facts.COUNTS | facts.BYTES)
    found = {row[0]: row[1] for row in rows("method", "what")}
    assert found["characters of an expression"] == "10,000"
    assert found["a file of values"] == "1 GiB"
    for name, words in facts.COUNTS.items():
        assert found[words] == f"{getattr(LIMITS, name):,}"
    text = " ".join(shown("language").split())
    assert "10,000 characters, 5,000 parts and 100 levels" in text
    assert "10,000,000 elements, a file at most 1 GiB" in shown("values")


def test_words_and_numbers_of_the_settings() -> None:
    defaults = Settings()
    method, values = shown("method"), shown("values")
    assert f"--timeout ({defaults.timeout:g} seconds)" in method
    assert [check for check in Check if check not in method] == []
    assert "forward-mode and finite-difference." in method
    assert [dtype for dtype in DTYPES if dtype not in values] == []
    assert [suffix for suffix in FORMATS if f".{suffix}" not in values] == []
    assert "by default wrong, nan and saturated" in shown("verdicts")


def test_tolerances() -> None:
    # 2**(-53·3/4) = 2**-39.75, 2**-18, 2**-8.25, 2**-6
    assert [row[1] for row in rows("verdicts", "dtype")] == [
        "1.1e-12",
        "3.8e-06",
        "3.3e-03",
        "1.6e-02",
    ]


EXAMPLES = [(topic, line) for topic in TOPICS for line in COMMANDS.findall(page(topic))]


@pytest.mark.parametrize(("topic", "line"), EXAMPLES)
def test_an_example_runs_as_it_promises(topic: str, line: str) -> None:
    assert (line, shell.answer(line).exit_code) == (line, shell.exit_code(line))


def test_every_option_exists() -> None:
    named = {option for topic in TOPICS for option in OPTION.findall(shown(topic))}
    # those of Python, jq, column, head and less too
    others = {"--t", "--help", "-o", "-m", "-s", "-t", "-R", "-l"}
    assert {"--v", "--wrt", "--fail-on"} <= named
    assert named - options() - VALUES - others == set()


@pytest.mark.parametrize(("verdict", "expression", "x"), rows("verdicts", "verdict | for example"))
def test_a_verdict_has_its_example(verdict: str, expression: str, x: str) -> None:
    result = run("inspect", *code(expression), "--x", x, "--json")
    assert json.loads(result.stdout)["verdict"] == code(verdict)[0]


@pytest.mark.parametrize(
    "expression", [each for row in rows("language", "part") for each in code(row[1])]
)
def test_a_part_of_the_language_is_accepted(expression: str) -> None:
    parse(expression)


@pytest.mark.parametrize(("written", "instead"), rows("language", "not in the language"))
def test_what_to_write_instead(written: str, instead: str) -> None:
    with pytest.raises(VjpError) as caught:
        parse(code(written)[0])
    assert caught.value.place is not None
    assert caught.value.hint
    parse(f"{code(instead)[0]}; y" if " = " in instead else code(instead)[0])


def value_shape(text: str) -> Any:
    return parse_value(text, "--x", lambda: b"1,2").shape


def test_values_are_what_the_page_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    numpy = pytest.importorskip("numpy")
    numpy.save("data.npy", numpy.zeros((2, 3)))
    written = [code(row[0])[0] for row in rows("values", "written")]
    assert [value_shape(text) for text in written] == [
        *[(), (3,), (1,), (2, 2), (3, 1), (4,), (2,), (3,), (3, 3), (3,), (2,), (3,), (2, 3), (2,)],
    ]
    for made in ("zeros(2)", "rand(2)", "randn(2)", "linspace(0,1,5)", "arange(6)"):
        assert made.partition("(")[0] in page("values")
        assert value_shape(made)


def test_the_examples_of_the_command_line_are_quoted_for_a_shell() -> None:
    for _, line in EXAMPLES:
        assert shlex.split(line, comments=True)[0] == "vjp"
