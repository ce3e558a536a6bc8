"""README says what the program does: commands, outputs, options, tables and lists are compared.

``python -m tests.test_docs`` writes today's outputs and operations into README.
"""

import inspect
import os
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from tests import shell
from tests.helpers import run
from vjp_cli import __version__, files
from vjp_cli.errors import ExitCode
from vjp_cli.ops import catalog
from vjp_cli.render.formats import FORMATS
from vjp_cli.report import Verdict
from vjp_cli.settings import DTYPES, LIMITS, Settings

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

# the commands of a block, and the output that is pasted directly after it
EXAMPLE = re.compile(r"^```sh\n(.*?)^```\n(?:\n*^```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
OPERATIONS = re.compile(
    r"(<!-- operations: begin -->\n)(.*?)(<!-- operations: end -->\n)", re.DOTALL
)
# Python and what it prints
PYTHON = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
EXAMPLES = [(match[1], match[2]) for match in EXAMPLE.finditer(README)]
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


def outputs(block):
    """What a reader sees who runs the commands of the block one after the other."""
    answers = [shell.answer(line) for line in commands(block)]
    text = "".join(answer.stdout + answer.stderr for answer in answers)
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def printed(code):
    """What the Python code prints."""
    text = StringIO()
    with redirect_stdout(text):
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    return text.getvalue()


def families():
    """The rows of the catalog by the module they are written in, in the catalog's order."""
    modules = [module for module in vars(catalog).values() if inspect.ismodule(module)]
    rows = {module.__name__: module.ROWS for module in modules if hasattr(module, "ROWS")}
    first = {name: catalog.ROWS.index(family[0]) for name, family in rows.items()}
    return {name.rpartition(".")[2]: rows[name] for name in sorted(rows, key=first.get)}


def names_of(row):
    """The names of a row, without a prefix where the bare name finds the same row."""
    bare = {name: name.rpartition(".")[2] for name in row.names}
    return dict.fromkeys(
        bare[name] if catalog.find(bare[name]) is row else name for name in row.names
    )


def operations():
    """A line for each family."""
    return "".join(
        f"- **{family.replace('_', ' ')}**: {' '.join(n for row in rows for n in names_of(row))}\n"
        for family, rows in families().items()
    )


def refreshed(readme):
    """README with today's outputs and operations."""

    def paste(match):
        if match[2] is None:
            return match[0]
        return f"```sh\n{match[1]}```\n\n```text\n{outputs(match[1])}```\n"

    def paste_printed(match):
        return f"```python\n{match[1]}```\n\n```text\n{printed(match[1])}```\n"

    pasted = PYTHON.sub(paste_printed, EXAMPLE.sub(paste, readme))
    return OPERATIONS.sub(lambda match: f"{match[1]}{operations()}{match[3]}", pasted)


def table(heading):
    """The rows, as lists of cells, of the table with this heading in its first cell."""
    lines = README.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
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
    outputs_of_commands = sum(pasted is not None for _, pasted in EXAMPLES)
    assert README.count("```text\n") == outputs_of_commands + len(PYTHON.findall(README))


def test_outputs_fit_80_columns():
    # JSON lines are as long as they are
    tables = [pasted for block, pasted in EXAMPLES if pasted and "--json" not in block]
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
    assert options() - set(OPTION.findall(README)) == set()


def test_no_option_is_invented():
    # pip's, Python's, jq's, column's and less's options stand in README too
    others = {"-m", "-e", "-c", "-r", "-s", "-t", "-R"}
    assert set(OPTION.findall(README)) - VALUES - others - options() == set()


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
    signals = "130, 141, 143"
    assert [row[0] for row in table("exit code")] == [*(str(int(c)) for c in ExitCode), signals]


def test_formats_of_value_files():
    for suffix in files._READERS:
        assert f"`@f.{suffix}" in README


def test_formats_with_their_suffixes():
    assert {row[0]: row[1] for row in table("format")} == {
        f"`{fmt}`": " ".join(f"`{suffix}`" for suffix in row.suffixes)
        for fmt, row in FORMATS.items()
    }


def test_dtypes_and_limits():
    limits = (LIMITS.characters, LIMITS.nodes, LIMITS.depth, LIMITS.exponent)
    for number in limits:
        assert f"{number:,}" in README
    for dtype in DTYPES:
        assert dtype in README or dtype.startswith("complex")


def test_operations_are_the_catalog():
    assert [row for rows in families().values() for row in rows] == list(catalog.ROWS)
    assert OPERATIONS.search(README)[2] == operations()


def test_links_within_the_repository():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_changelog_has_the_version():
    heading = re.search(r"^## \[(.+)\] - (Unreleased|\d{4}-\d\d-\d\d)$", CHANGELOG, re.MULTILINE)
    assert heading[1] == __version__
    assert "### Added" in CHANGELOG


if __name__ == "__main__":
    os.chdir(ROOT)
    (ROOT / "README.md").write_text(refreshed(README), encoding="utf-8")
