"""How a format is chosen, and what a pipe, a full disk and a closed stream make of it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import Asked, ask, refused, run
from vjp_cli.render.formats import FORMATS, format_by_suffix
from vjp_cli.settings import Format

STARTS = {
    Format.TABLE: "ok   y = ",
    Format.PLAIN: "of        output",
    Format.JSON: '{"schema":',
    Format.JSONL: '{"schema":',
    Format.CSV: "of,output_index,",
    Format.TSV: "of\toutput_index\t",
    Format.MARKDOWN: "# ok: ",
    Format.LATEX: "\\documentclass",
    Format.HTML: "<!DOCTYPE html>",
}
VJP = f"{sys.executable} -W ignore -m vjp_cli inspect 'x**2' --x 1,2,3 --v 1,1,0.5"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the inspection was asked; it answers a report."""
    return ask(monkeypatch)


@pytest.mark.parametrize("fmt", Format)
def test_each_format_by_its_name(asked: Asked, fmt: Format) -> None:
    result = run("inspect", "x", "--x", "1,2", "--format", fmt)
    assert result.stdout.startswith(STARTS[fmt])
    assert result.stdout.endswith("\n")
    assert (result.stderr, result.exit_code) == ("", 0)


@pytest.mark.parametrize(
    ("name", "fmt"), [(f"a.b{s}", fmt) for fmt, row in FORMATS.items() for s in row.suffixes]
)
def test_a_suffix_is_enough(asked: Asked, tmp_path: Path, name: str, fmt: Format) -> None:
    for file in (tmp_path / name, tmp_path / name.upper()):
        assert run("inspect", "x", "--x", "1,2", "-o", str(file)).stdout == ""
        assert file.read_text().startswith(STARTS[fmt])


def test_an_option_goes_before_the_suffix(asked: Asked, tmp_path: Path) -> None:
    file = tmp_path / "report.csv"
    run("inspect", "x", "--x", "1", "-o", str(file), "--json")
    assert json.loads(file.read_text())["ok"] is True
    run("inspect", "x", "--x", "1", "-o", str(file), "--format", "table")
    assert file.read_text().startswith(STARTS[Format.TABLE])


def test_no_suffix_belongs_to_two_formats() -> None:
    suffixes = [suffix for row in FORMATS.values() for suffix in row.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert format_by_suffix("/dev/null") is None
    assert format_by_suffix("csv") is None


def test_an_unknown_format_is_answered_before_anything_is_computed() -> None:
    result = run("inspect", "x", "--x", "1", "--format", "cvs")
    refused(result, "there is no format 'cvs'", "did you mean 'csv'?")
    result = run("inspect", "x", "--x", "1", "--format", "xml")
    refused(result, "there is no format 'xml'", f"one of {', '.join(Format)}")
    result = run("ops", "--format", "csv")
    refused(result, "there is no format 'csv'", "one of table, json")
    result = run("inspect", "x", "--x", "1", "--json", "--format", "csv")
    error = json.loads(result.stderr)["error"]
    assert error["message"] == "--json and --format csv contradict each other"


def shell(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.skipif(shutil.which("column") is None, reason="column is not installed")
def test_columns_of_csv() -> None:
    lines = shell(f"{VJP} --format csv | column -s, -t").stdout.splitlines()
    # 9 entries of J and 3 of vᵀJ below the header; the verdict begins at one place
    assert len(lines) == 13
    assert {line.rindex("  ") for line in lines[1:]} == {lines[0].rindex("  ")}


@pytest.mark.parametrize("fmt", ["csv", "markdown"])
def test_head_takes_the_first_line(fmt: str) -> None:
    done = shell(f"{VJP} --format {fmt} --full | head -1; echo ${{PIPESTATUS[0]}}")
    first, code = done.stdout.splitlines()
    assert first.startswith(STARTS[Format(fmt)])
    # it may have written all before head is done
    assert code in ("0", "141")
    assert done.stderr == ""


@pytest.mark.parametrize("fmt", ["csv", "latex"])
def test_a_full_disk(fmt: str) -> None:
    done = shell(f"{VJP} --format {fmt} > /dev/full")
    assert done.stderr == "vjp: error: cannot write the output: No space left on device\n"
    assert done.returncode == 5


def test_awk_finds_the_fields_of_plain() -> None:
    found = shell(f"{VJP} --format plain | awk '$1 == \"vjp\" {{print $3, $4, $7}}'").stdout
    # vᵀJ = 2x·v = 2, 4, 3
    assert found.splitlines() == ["x[0] 2 ok", "x[1] 4 ok", "x[2] 3 ok"]
