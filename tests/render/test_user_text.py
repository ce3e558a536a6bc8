"""Text of the user's acts nowhere: in file names, messages of exceptions, names of parameters."""

import csv
import json
import re
import subprocess
from io import StringIO
from pathlib import Path

import pytest

from tests.helpers import Result, run
from vjp_cli.errors import clean
from vjp_cli.settings import Format

# for a terminal, rich, a browser, LaTeX, a spreadsheet, Markdown, a shell
HOSTILE = (
    "=HYPERLINK(1) \x1b[31m\x1b]52;c;aGk=\x07 \x9b1m \u202e\u200d [red]r[/red] [/] :smile: "
    "</style><script>alert(1)</script><img src=x onerror=alert(2)> &amp; $\\input{a}$ %_^~#{} "
    "| `b` ``` $(touch pwned) 'q' \"r\"\nnext line\r\t\\begin{document}"
)
FILE = """
import torch

HOSTILE = {hostile!r}
NAME = HOSTILE.replace(".", "")

class Parameter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_parameter(NAME, torch.nn.Parameter(torch.ones(2, dtype=torch.float64)))

    def forward(self, x):
        return x * self._parameters[NAME]

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x**2

    @staticmethod
    def backward(ctx, g):
        raise ValueError(HOSTILE)

def backward(x):
    return Square.apply(x)

def raises(x):
    raise ValueError(HOSTILE)
"""
# no slash in a file name
NAME = f"{HOSTILE.replace('/', '').replace(chr(10), ' ')}.py"
# of these even an ASCII terminal makes something
ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / NAME).write_text(FILE.format(hostile=HOSTILE))
    return tmp_path


def inspected(function: str, *more: str) -> Result:
    return run("inspect", "-f", f"{NAME}:{function}", "--x", "1,2", "--v", "1,1", *more)


@pytest.mark.parametrize("function", ["Parameter", "backward"])
@pytest.mark.parametrize("fmt", Format)
def test_no_format_hands_on_what_acts(fmt: Format, function: str) -> None:
    result = inspected(function, "--format", fmt, "--full", "--reproduce")
    assert result.exit_code == (0 if function == "Parameter" else 3), result.stderr
    assert result.stdout
    assert not ACTIVE.search(result.stdout + result.stderr)
    if fmt not in (Format.CSV, Format.TSV, Format.PLAIN):
        # not one is eaten on the way
        shown = result.stdout.replace("\\", "").replace("{-}", "-")
        assert shown.count("[red]r[/red] [/] :smile:") >= 2


@pytest.mark.parametrize("function", ["Parameter", "backward"])
def test_a_page_has_no_element_of_the_users(function: str) -> None:
    page = inspected(function, "--format", "html", "--full").stdout
    assert not re.search(r"<(script|img)", page)
    assert page.count("</style>") == 1
    assert "onerror=alert(2)&gt;" in page


@pytest.mark.parametrize("function", ["Parameter", "backward"])
def test_latex_has_no_command_of_the_users(function: str) -> None:
    document = inspected(function, "--format", "latex", "--full").stdout
    assert document.count(r"\begin{document}") == 1
    assert r"\input" not in document
    assert r"\textbackslash{}input\{a\}" in document


@pytest.mark.parametrize("fmt", ["csv", "tsv"])
def test_no_cell_of_a_spreadsheet_is_a_formula(fmt: str) -> None:
    text = inspected("Parameter", "--format", fmt).stdout
    rows = list(csv.reader(StringIO(text), delimiter="," if fmt == "csv" else "\t"))
    inputs = {row[2] for row in rows[1:]}
    assert len(inputs) == 2
    assert all(cell[0] in "'x" for cell in inputs)
    assert len({len(row) for row in rows}) == 1
    assert text.count("\n") == len(rows)


def test_a_field_of_plain_columns_has_no_blanks() -> None:
    lines = inspected("Parameter", "--format", "plain").stdout.splitlines()
    assert {len(line.split()) for line in lines} == {7}


def test_markdown_cannot_be_left() -> None:
    text = inspected("Parameter", "--format", "markdown", "--full").stdout
    # outside of code, where nothing acts, each sign has its backslash
    outside = re.sub(r"(?ms)^(`{3,})\w*$.*?^\1$", "", text)
    outside = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", outside.replace("\\`", ""))
    assert "<script" not in outside.replace("\\<", "")
    assert re.search(r"\\<script", outside)


def test_a_line_to_reproduce_is_one_word_of_a_shell(folder: Path) -> None:
    # what is left where a terminal would not act
    name = clean(NAME)
    (folder / name).write_text(FILE.format(hostile=HOSTILE))
    shown = run("inspect", "-f", f"{name}:backward", "--x", "1,2", "--v", "1,1", "--reproduce")
    [line] = [line for line in shown.stdout.splitlines() if "vjp inspect" in line]
    echoed = subprocess.run(
        ["sh", "-c", line.replace("vjp inspect", "printf '%s\\n'", 1)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"{name}:backward" in echoed.stdout.splitlines()
    assert not Path("pwned").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["-f", f"{NAME}:raises", "--x", "1"], 3),
        (["-f", f"{NAME}:missing", "--x", "1"], 2),
        (["-f", f"no {NAME}:missing", "--x", "1"], 2),
        (["x", "--x", HOSTILE], 2),
        (["x", "--x", f"@{NAME}"], 2),
        (["x", "--x", f"@{HOSTILE}.npy"], 2),
        (["x", "--x", f"@csv:{NAME}"], 2),
        (["x", "--x", "1", "--v", HOSTILE], 2),
        (["x", "--x", "1", "--wrt", HOSTILE], 2),
        (["x", "--x", "1", "--dtype", HOSTILE], 2),
        (["x", "--x", "1", "--device", HOSTILE], 2),
        (["x", "--x", "1", "--checks", HOSTILE], 2),
        (["x", "--x", "1", "--fail-on", HOSTILE], 2),
        (["x", "--x", "1", "--let", HOSTILE], 2),
        (["x", "--x", "1", "--format", HOSTILE], 2),
        (["x", "--x", "1", "--layout", HOSTILE], 2),
        (["x", "--x", "1", "--seed", HOSTILE], 2),
        (["x", "--x", "1", f"--{HOSTILE}", "1"], 2),
        (["x", "--x", "1", HOSTILE], 2),
        (["x", "--x", "1", "-o", f"no/{HOSTILE}"], 5),
        (["x", "--x", "1", "--save", f"no/{HOSTILE}"], 2),
        (["x", "--x", "1", "--plot", f"no/{HOSTILE}"], 2),
        (["x", "--x", "1", "--loss", HOSTILE], 2),
        ([f"einsum({HOSTILE[-16:]!r}, x)", "--x", "1,2"], 3),
        ([HOSTILE, "--x", "1"], 2),
    ],
)
@pytest.mark.parametrize("json_too", [False, True])
def test_an_error_hands_on_nothing_that_acts(
    arguments: list[str], code: int, json_too: bool
) -> None:
    result = run("inspect", *(["--json"] if json_too else []), *arguments)
    assert result.exit_code == code, result.stderr
    assert result.stdout == ""
    assert not ACTIVE.search(result.stderr)
    if json_too and "--format" not in arguments:
        assert json.loads(result.stderr)["error"]["exit_code"] == code
    else:
        # the error, its place in two lines, a hint
        assert len(result.stderr.splitlines()) <= 4


@pytest.mark.parametrize("command", ["ops", "schema", "help", "batch", HOSTILE])
def test_no_other_command_does(command: str) -> None:
    result = run(command, HOSTILE)
    assert result.exit_code == 2
    assert not ACTIVE.search(result.stderr)
