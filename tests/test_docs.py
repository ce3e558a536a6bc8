"""README says what the program does: commands, outputs, options, tables and lists are compared.

``python -m tests.test_docs`` writes today's outputs and facts into README, the page of the
samples and the pages of help.
"""

import os
import re

import pytest

from tests import shell
from tests.documents import (
    EXAMPLE,
    PAGES,
    PYTHON,
    ROOT,
    TOURS,
    outputs,
    printed,
    refresh,
    with_facts,
)
from tests.helpers import run
from vjp_cli import __version__, files
from vjp_cli.errors import ExitCode
from vjp_cli.render.formats import FORMATS
from vjp_cli.report import Verdict
from vjp_cli.settings import DTYPES, Settings

README = TOURS["README.md"].read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

SAMPLES = TOURS["samples/README.md"].read_text(encoding="utf-8")
EXAMPLES = [(match[1], match[2]) for text in (README, SAMPLES) for match in EXAMPLE.finditer(text)]
OPTION = re.compile(r"(?<![\w-])(?:--[a-z][a-z-]*|-[a-zA-Z]\b)")
# options of the examples' expressions, and what is subtracted from or negated in them
VALUES = {"--x", "--k", "-x"}


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def commands(block):
    return block.splitlines()


def first_line(text):
    return text.partition("\n")[0]


def table(heading, text=README):
    """The rows, as lists of cells, of the table with this heading in its first cell."""
    lines = text.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


@pytest.mark.parametrize("block", [block for block, _ in EXAMPLES], ids=first_line)
def test_exit_code_of_each_command(block):
    for line in commands(block):
        assert (line, shell.answer(line).exit_code) == (line, shell.exit_code(line))


@pytest.mark.parametrize(("block", "pasted"), [x for x in EXAMPLES if x[1]], ids=first_line)
def test_pasted_output_is_the_real_one(block, pasted):
    assert pasted == outputs(block)


def test_python_prints_what_is_pasted():
    examples = PYTHON.findall(README)
    assert len(examples) == README.count("```python\n") > 0
    for code, pasted in examples:
        assert pasted == printed(code)


def test_no_output_stands_alone():
    pasted = sum(output is not None for _, output in EXAMPLES)
    blocks = README.count("```text\n") + SAMPLES.count("```text\n")
    assert blocks == pasted + len(PYTHON.findall(README))


def test_no_block_is_empty():
    assert not re.search(r"```\w*\n```", README + SAMPLES)
    assert all(commands(block) for block, _ in EXAMPLES)


def test_outputs_fit_80_columns():
    # lines of JSON and CSV are as long as they are
    long = re.compile(r"--json|--format csv")
    tables = [pasted for block, pasted in EXAMPLES if pasted and not long.search(block)]
    assert max(len(line) for pasted in tables for line in pasted.splitlines()) <= 80


def test_the_two_commands_of_a_fresh_clone():
    venv = "    python3 -m venv .venv && "
    example = '"2*(x+2)**2" --x 1,2,3 --v 0.1,1,1e-4'
    lines = README.splitlines()
    assert f"{venv}.venv/bin/pip install . && .venv/bin/vjp inspect {example}" in lines
    assert f'{venv}.venv/bin/pip install -e ".[test]" && .venv/bin/python -m pytest' in lines


def program_commands():
    listed = re.search(r"Commands:\n(.*?)\n\n", run("--help").stdout, re.DOTALL)
    return re.findall(r"^  (\w+)", listed[1], re.MULTILINE)


def options():
    pages = [run("--help"), *(run(command, "--help") for command in program_commands())]
    return {option for page in pages for option in OPTION.findall(page.stdout)}


def test_every_option_is_mentioned():
    assert {"--v", "--json", "-o", "--install-completion"} <= options()
    page = PAGES["options"].read_text(encoding="utf-8")
    assert options() - set(OPTION.findall(page)) == set()


def test_no_option_is_invented():
    # pip's, Python's, jq's, grep's, column's and head's options stand in README too
    others = {"-m", "-e", "-c", "-r", "-s", "-t", "-B", "-l"}
    text = re.sub(r"<!--.*?-->", "", README)
    assert set(OPTION.findall(text)) - VALUES - others - options() == set()


def test_every_command_is_mentioned():
    assert "inspect" in program_commands()
    for name in program_commands():
        assert f"vjp {name}" in README
        assert f"vjp {name}" in CHANGELOG


def test_verdicts_with_their_exit_codes():
    fails = Settings().fail_on
    assert {row[0]: int(row[3]) for row in table("verdict")} == {
        f"`{each}`": 1 if each in fails else 3 if each is Verdict.MISSING else 0 for each in Verdict
    }


def test_exit_codes():
    section = README.partition("### Exit codes\n")[2].partition("#")[0]
    found = re.findall(r"(?:^|· )(\d+) ", " ".join(section.split()))
    assert found == [str(int(code)) for code in ExitCode]


def test_formats_of_value_files():
    for suffix in files._READERS:
        assert f"`@f.{suffix}" in README


def test_formats_are_named():
    for fmt in FORMATS:
        assert f"`{fmt}`" in README or f"--{fmt}" in README or fmt in ("table", "jsonl")


def test_dtypes():
    for dtype in DTYPES:
        assert dtype in README


@pytest.mark.parametrize("path", [*TOURS.values(), *PAGES.values()], ids=lambda path: path.name)
def test_facts_are_those_of_the_program(path):
    text = path.read_text(encoding="utf-8")
    assert text == with_facts(text)


def headings(text):
    """The places within a page that a link can name."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", title.lower()) for title in titles]
    return {title.replace(" ", "-") for title in plain}


def test_links_within_the_page():
    linked = re.findall(r"\]\(#([^)]+)\)", README)
    assert len(linked) > 10
    assert set(linked) - headings(README) == set()


def test_the_start_comes_first():
    before, _, _ = README.partition("## Reading the report")
    assert len(before.splitlines()) < 45
    # pages that GitHub shows begin with what the reader came for
    assert README.splitlines()[2].startswith("`vjp` shows what `y.backward(v)` computes")


def test_a_newcomer_understands_a_nan_in_four_commands():
    section = README.partition("### A NaN, understood\n")[2].partition("\n#")[0]
    lines = [line for block, _ in EXAMPLE.findall(section) for line in block.splitlines()]
    # and one that installs
    assert len(lines) + 1 <= 4
    report, where, remedied = lines
    found = shell.answer(report).stdout
    cause = re.search(r"cause +NaN enters in the backward pass of 'sqrt\(x\)'", found)
    remedy = re.search(r"remedy +(\S.*)", found)
    assert cause
    assert "NaN enters here" in shell.answer(where).stdout
    assert remedy[1].replace(" ", "") in remedied.replace(" ", "")
    assert shell.answer(remedied).exit_code == 0


def test_links_within_the_repository():
    for name, text in (("README.md", README), ("samples/README.md", SAMPLES)):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
            assert ((ROOT / name).parent / target).exists(), target


def test_changelog_has_the_version():
    heading = re.search(r"^## \[(.+)\] - (Unreleased|\d{4}-\d\d-\d\d)$", CHANGELOG, re.MULTILINE)
    assert heading[1] == __version__
    assert "### Added" in CHANGELOG


if __name__ == "__main__":
    os.chdir(ROOT)
    refresh()
