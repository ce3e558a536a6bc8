"""Command lines that people get wrong, each with the exit code and the gist of the answer.

``cases/*bad_inputs.jsonl`` say what is expected; those with exit code 0 are accepted in full.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import Result, run, run_process

CASES = [
    json.loads(line)
    for file in sorted((Path(__file__).parent / "cases").glob("*bad_inputs.jsonl"))
    for line in file.read_text().splitlines()
]
# through a real process: raw bytes, standard input, no argument at all, control characters
PROCESSES = {"chr-surrogate", "chr-stdin-nul", "opt-none", "chr-esc", "val-underscore", "size-9999"}
MOST_LINES = 4  # the error, the expression with its carets, the hint


def arguments(case: dict[str, Any]) -> list[str]:
    """The case's ``argv``, with raw bytes as Python hands them to a program."""
    return [
        os.fsdecode(bytes.fromhex(word["bytes_hex"])) if isinstance(word, dict) else word
        for word in case["argv"]
    ]


def stdin(case: dict[str, Any]) -> str | bytes | None:
    given = case["stdin"]
    return bytes.fromhex(given["bytes_hex"]) if isinstance(given, dict) else given


def check(case: dict[str, Any], result: Result) -> None:
    assert result.exit_code == case["rc"], result.stderr
    assert "Traceback" not in result.stdout + result.stderr
    assert "\x1b" not in result.stdout + result.stderr
    if case["rc"] == 0:
        assert result.stderr == ""
        assert result.stdout
        return
    assert result.stdout == ""
    assert re.search(case.get("err") or "", result.stderr), result.stderr
    if case["id"] == "opt-none":
        return
    lines = result.stderr.splitlines()
    assert lines[0].startswith("vjp: error: ")
    assert len(lines[0]) > len("vjp: error: ") + 10
    assert [line for line in lines if line.startswith("vjp: error: ")] == lines[:1]
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= 200


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_bad_input_is_answered_in_a_few_clear_lines(case: dict[str, Any]) -> None:
    check(case, run(*arguments(case), stdin=stdin(case)))


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["id"] in PROCESSES], ids=lambda case: case["id"]
)
def test_a_process_answers_the_same(case: dict[str, Any]) -> None:
    check(case, run_process(*arguments(case), stdin=stdin(case)))


def test_the_process_cases_are_all_there() -> None:
    names = [case["id"] for case in CASES]
    assert set(names) >= PROCESSES
    assert len(names) == len(set(names)) >= 130


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["rc"]], ids=lambda case: case["id"]
)
def test_with_json_an_error_is_one_object_on_stderr(case: dict[str, Any]) -> None:
    words = arguments(case)
    # not at the end, where it may stand behind a `--`
    result = run(*words[:1], "--json", *words[1:], stdin=stdin(case))
    if case["id"] == "opt-none":
        # without a command there is nothing that --json could belong to
        assert result.exit_code == 2
        return
    answer = json.loads(result.stderr)
    assert result.stdout == ""
    assert answer["schema"] == "vjp.error/1"
    assert answer["ok"] is False
    assert answer["error"]["exit_code"] == result.exit_code == case["rc"]
    assert re.search(case.get("err") or "", answer["error"]["message"] + answer["error"]["hint"])


def test_nothing_heavy_is_imported_for_bad_inputs() -> None:
    lines = [arguments(case) for case in CASES if case["rc"]]
    code = f"""
import io, sys
from vjp_cli.cli import run
for words in {lines!r}:
    sys.stdin = io.TextIOWrapper(io.BytesIO(b""))
    run(words)
heavy = {{"torch", "sympy", "numpy", "flint", "rich", "pydantic"}} & set(sys.modules)
sys.stdout.write(" ".join(sorted(heavy)))
"""
    result = run_process(code=code)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
