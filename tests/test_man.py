"""The man page: from the declarations, accepted by the programs that show man pages."""

import re
import shutil
import subprocess

import pytest

from tests.helpers import run, run_process
from tests.test_docs import OPTION, options, program_commands
from vjp_cli.errors import ExitCode
from vjp_cli.pages import TOPICS


@pytest.fixture(scope="module")
def page() -> str:
    result = run("help", "--man")
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def filtered(program: list[str], page: str) -> subprocess.CompletedProcess[str]:
    if shutil.which(program[0]) is None:
        pytest.skip(f"{program[0]} is not installed")
    environment = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin", "MANWIDTH": "80"}
    return subprocess.run(
        program, input=page, capture_output=True, text=True, env=environment, check=False
    )


def test_it_has_all_commands_options_codes_and_topics(page: str) -> None:
    plain = page.replace("\\-", "-")
    assert [name for name in program_commands() if f".SS vjp {name}\n" not in plain] == []
    assert options() - set(OPTION.findall(plain.replace("\\fB", " "))) == set()
    assert [code for code in ExitCode if f"\\fB{int(code)}\\fR" not in plain] == []
    assert [topic for topic in TOPICS if f"\\fB{topic}\\fR" not in plain] == []
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "VJP_DEBUG"):
        assert f"\\fB{name}\\fR" in plain


def test_mandoc_finds_no_fault(page: str) -> None:
    found = filtered(["mandoc", "-T", "lint", "-W", "warning"], page).stdout.splitlines()
    # a page that is made when it is asked for has no date
    assert [line for line in found if "missing date" not in line] == []


def test_groff_finds_no_fault(page: str) -> None:
    assert filtered(["man", "--warnings", "-l", "-"], page).stderr == ""


def test_man_shows_it(page: str) -> None:
    shown = filtered(["man", "-l", "-"], page)
    assert shown.returncode == 0
    text = re.sub(r".\x08", "", shown.stdout)
    assert "vjp inspect [--NAME VALUE]... [OPTIONS] [EXPR]" in text
    assert "Take v = ∂loss/∂y of this loss in y." in text
    assert re.search(r"^ +2 +a bad option, expression, value or file$", text, re.MULTILINE)


def test_it_loads_nothing_heavy() -> None:
    code = """
import sys
from vjp_cli.cli import run
run(["help", "--man"])
heavy = {"torch", "sympy", "numpy", "flint", "rich", "msgspec"} & set(sys.modules)
sys.stderr.write(f"heavy: {sorted(heavy)}")
"""
    assert run_process(code=code).stderr.endswith("heavy: []")
