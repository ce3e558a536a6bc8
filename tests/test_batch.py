"""JSON Lines in, JSON Lines out: order, echoes, errors of a line, the worst exit code."""

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from tests.batches import GOOD, batched, error_of, lines
from tests.helpers import REPORT, Asked, Result, ask, refused, run, run_process
from vjp_cli import cli
from vjp_cli.batches import answering
from vjp_cli.batches import lines as batch_lines
from vjp_cli.report import Report, Verdict
from vjp_cli.request import Request
from vjp_cli.settings import Limits, Settings


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the inspection was asked; it answers REPORT."""
    return ask(monkeypatch)


def test_a_report_a_line_in_order() -> None:
    answers, code = batched(
        lines(
            {"id": "a", "expression": "x**2", "inputs": {"x": [1, 2, 3]}, "v": [1, 0.5, -1]},
            {"id": 7, "expression": "k @ x", "inputs": {"k": [[1, 2]], "x": [3, 4]}},
            {"expression": "x*m", "inputs": {"x": 3, "m": "bool:1"}},
        )
    )
    assert code == 0
    assert [(answer["id"], answer["line"]) for answer in answers] == [("a", 1), (7, 2), (None, 3)]
    assert [answer["schema"] for answer in answers] == ["vjp.report/1"] * 3
    # 2·x·v; the row and the vector; the mask is a constant
    assert [answer["vjp"] for answer in answers] == [
        {"x": [2, 2, -6]},
        {"k": [[3, 4]], "x": [1, 2]},
        {"x": 1},
    ]


def test_the_report_is_the_one_of_inspect(asked: Asked) -> None:
    [answer], _ = batched(lines({"id": "a", "expression": "3*x", "inputs": {"x": [1, 2]}}))
    alone = json.loads(run("inspect", "3*x", "--x", "1,2", "--json").stdout)
    assert answer == {"id": "a", "line": 1} | alone


def test_every_option_reaches_every_line(asked: Asked) -> None:
    request = {"expression": "x", "inputs": {"x": 1}}
    options = ("--timeout", "1.5", "--seed", "3", "--strict", "--fail-on", "kink", "--digits", "9")
    assert batched(lines(request, request | {"dtype": "float16"}), *options)[1] == 0
    expected = Settings(
        timeout=1.5, seed=3, strict=True, fail_on=frozenset({Verdict.KINK}), digits=9
    )
    assert [settings for _, settings in asked] == [expected, replace(expected, dtype="float16")]


def test_blank_lines_are_counted_and_skipped(asked: Asked) -> None:
    request = b'{"expression": "x", "inputs": {"x": 1}}'
    answers, code = batched(b"\xef\xbb\xbf" + request + b"\r\n\r\n  \n" + request)
    assert [answer["line"] for answer in answers] == [1, 4]
    assert code == 0


@pytest.mark.parametrize("stdin", ["", "\n\r\n", "\ufeff"])
def test_no_request_is_no_output(stdin: str) -> None:
    assert run("batch", "-", stdin=stdin) == Result(0, "", "")


def test_a_bad_line_does_not_stop_the_rest(asked: Asked) -> None:
    bad = {"id": "b", "expression": "x +", "inputs": {"x": 1}}
    answers, code = batched("{\n" + lines(bad, GOOD))
    assert [(answer["id"], answer["line"], answer["ok"]) for answer in answers] == [
        (None, 1, False),
        ("b", 2, False),
        (None, 3, True),
    ]
    assert answers[1]["error"]["kind"] == "expression"
    assert code == 2


@pytest.mark.parametrize(
    ("codes", "worst"), [((0, 0), 0), ((1, 0), 1), ((3, 2, 1), 3), ((2, 4, 3), 4), ((70, 4), 70)]
)
def test_the_worst_line_decides(
    codes: tuple[int, ...], worst: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = list(codes)

    def inspect(request: Request, settings: Settings) -> Report:
        return replace(REPORT, exit_code=left.pop(0))

    monkeypatch.setattr(cli.inspection, "inspect", inspect)
    answers, code = batched(lines(*[GOOD | {"inputs": {"x": k}} for k in range(len(codes))]))
    assert [answer["exit_code"] for answer in answers] == list(codes)
    assert code == worst


def test_an_evaluation_that_fails_is_3() -> None:
    request = {"expression": "x @ y", "inputs": {"x": [1, 2], "y": [1, 2, 3]}}
    assert error_of(request)["exit_code"] == 3


@pytest.mark.parametrize("extra", [0, 1, 1 << 21])
def test_a_long_line_is_refused_whole(
    extra: int, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "LIMITS", Limits(line_characters=60))
    monkeypatch.setattr(batch_lines, "_MOST_BYTES", 4 * 60 + 3)
    good = json.dumps(GOOD)
    padded = good[:-1].ljust(59 + extra) + "}"
    answers, code = batched(f"{padded}\n{good}\n{padded}")
    assert [answer["line"] for answer in answers] == [1, 2, 3]
    assert [answer["ok"] for answer in answers] == [not extra, True, not extra]
    assert code == (4 if extra else 0)
    if extra:
        assert answers[0]["error"]["message"] == "the line has more than 60 characters"


def test_the_limit_counts_characters(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "LIMITS", Limits(line_characters=60))
    line = json.dumps(GOOD | {"id": "µ" * 8}, ensure_ascii=False)
    assert len(line) < 60 < len((line + "µ").encode())
    [answer], code = batched(line)
    assert (answer["id"], code) == ("µ" * 8, 0)


def test_a_bug_is_the_answer_of_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def inspect(request: Request, settings: Settings) -> Report:
        if settings.dtype == "float32":
            raise ValueError("odd")
        return REPORT

    monkeypatch.setattr(cli.inspection, "inspect", inspect)
    answers, code = batched(lines(GOOD | {"dtype": "float32"}, GOOD))
    assert (answers[0]["error"]["kind"], answers[1]["ok"], code) == ("bug", True, 70)


def test_answers_are_made_when_they_are_asked_for(asked: Asked) -> None:
    source = batch_lines.lines_of(BytesIO(lines(GOOD, GOOD).encode()))
    found = map(answering.Answerer(Settings()), source)
    assert next(found).line == 1
    assert len(asked) == 1


@pytest.mark.parametrize(("code", "count"), [(0, 2), (1, 1), (3, 1)])
def test_fail_fast_stops_after_the_first_bad_line(
    code: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = replace(REPORT, exit_code=code)
    monkeypatch.setattr(cli.inspection, "inspect", lambda request, settings: report)
    answers, found = batched(lines(GOOD, GOOD), "--fail-fast")
    assert (len(answers), found) == (count, code)


def test_quiet_answers_by_the_exit_code_alone(asked: Asked) -> None:
    assert run("batch", "-", "-q", stdin=lines(GOOD, {})) == Result(2, "", "")


def test_the_file_has_what_stdout_would_have(asked: Asked, tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(lines(GOOD, GOOD))
    target.write_text("old")
    expected = run("batch", str(source)).stdout
    for quiet in ([], ["-q"]):
        said = "" if quiet else "vjp: 2 lines: 2 ok\n"
        assert run("batch", str(source), "-o", str(target), *quiet) == Result(0, "", said)
        assert target.read_text() == expected
    assert sorted(os.listdir(tmp_path)) == ["in.jsonl", "out.jsonl"]


def test_an_unfinished_batch_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("old")

    def interrupted(request: Request, settings: Settings) -> Report:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.inspection, "inspect", interrupted)
    assert run("batch", "-", "-o", str(target), stdin=lines(GOOD)).exit_code == 130
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.jsonl"]


def test_a_device_is_written_straight(asked: Asked) -> None:
    assert run("batch", "-", "-q", "-o", os.devnull, stdin=lines(GOOD)) == Result(0, "", "")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_an_output_that_cannot_be_written_is_5(asked: Asked, tmp_path: Path) -> None:
    target = tmp_path / "missing" / "out.jsonl"
    result = run("batch", "-", "-o", str(target), stdin=lines(GOOD))
    assert (result.exit_code, result.stdout) == (5, "")
    assert asked == []  # nothing was computed for a file that cannot be there


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    refused(run("batch", "none.jsonl"), "cannot read 'none.jsonl': No such file or directory")
    refused(run("batch", str(tmp_path)), f"cannot read '{tmp_path}': Is a directory")
    refused(run("batch"), "missing argument 'FILE'")


def test_a_wrong_option_gets_a_suggestion() -> None:
    refused(
        run("batch", "-", "--fail-fst"),
        "no such option: --fail-fst",
        "did you mean '--fail-fast'?",
    )


def test_one_flushed_line_a_line() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "vjp_cli", "batch", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        for at in (2, 3):
            process.stdin.write(
                lines({"id": at, "expression": "x**2", "inputs": {"x": at}}).encode()
            )
            process.stdin.flush()
            # were the line held back, both sides would wait for ever
            answer = json.loads(process.stdout.readline())
            assert (answer["id"], answer["vjp"]["x"]) == (at, 2 * at)
        process.stdin.close()
        assert process.wait(60) == 0


def test_help_needs_no_msgspec() -> None:
    code = """
import sys
from vjp_cli.cli import run
try:
    run(["batch", "--help"])
except SystemExit:
    pass
sys.stderr.write(str("msgspec" in sys.modules))
"""
    result = run_process(code=code)
    assert "FILE" in result.stdout
    assert result.stderr == "False"
