"""What a batch says besides its answers: a summary, progress, a test run for CI."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.batches import GOOD, lines
from tests.helpers import refused, run, streams
from vjp_cli.batches.answering import Answer
from vjp_cli.batches.tally import Progress, Tally
from vjp_cli.output import progress_wanted

NAN = {
    "id": "a<b>&\u0000\ufffe\u202e",
    "expression": "where(x > 0, sqrt(x), 0*x)",
    "inputs": {"x": [-1.0, 4.0]},
    "v": [1, 1],
}
KINK = {"expression": "relu(x)", "inputs": {"x": 0}}
BAD = {"id": 7, "expression": "x + \u001b[31m", "inputs": {"x": 1}}


def test_a_summary_at_the_end() -> None:
    result = run("batch", "-", stdin=lines(NAN, GOOD, KINK, BAD, GOOD))
    assert result.stderr == "vjp: 5 lines: 1 error, 1 nan, 1 kink, 2 ok\n"
    assert run("batch", "-", stdin=lines(BAD, BAD)).stderr == "vjp: 2 lines: 2 errors\n"
    assert run("batch", "-", stdin=lines(GOOD)).stderr == "vjp: 1 line: 1 ok\n"
    assert run("batch", "-", "-q", stdin=lines(GOOD)).stderr == ""
    assert run("batch", "-", "--fail-fast", stdin=lines(GOOD, BAD, GOOD)).stderr == (
        "vjp: 2 lines: 1 error, 1 ok\n"
    )


def test_progress_after_two_seconds_and_no_trace_of_it() -> None:
    shown: list[str] = []
    now = [10.0]
    tally, progress = Tally(), Progress(shown.append, lambda: now[0])
    for at, expected in ((11.9, 0), (12.0, 1), (12.1, 1), (12.3, 2)):
        now[0] = at
        tally.add(Answer(1, "", 0, "ok"))
        progress.show(tally)
        assert len(shown) == expected
    assert shown == [
        "\r\x1b[K2 lines: 2 ok (1 a second)",
        "\r\x1b[K4 lines: 4 ok (1.74 a second)",
    ]
    progress.erase()
    assert shown[-1] == "\r\x1b[K"


@pytest.mark.parametrize(
    ("terminals", "path", "quiet", "wanted"),
    [
        ({"stderr"}, None, False, True),
        ({"stderr", "stdout"}, None, False, False),
        ({"stderr", "stdout"}, "-", False, False),
        ({"stderr", "stdout"}, "out", False, True),
        ({"stderr"}, "out", True, False),
        ({"stdout"}, "out", False, False),
    ],
)
def test_progress_disturbs_no_output(
    terminals: set[str], path: str | None, quiet: bool, wanted: bool
) -> None:
    with streams(None, "utf-8", False):
        for name in terminals:
            getattr(sys, name).isatty = lambda: True
        assert progress_wanted(path, quiet) is wanted


def test_a_fast_batch_erases_nothing() -> None:
    shown: list[str] = []
    Progress(shown.append, lambda: 0.0).erase()
    assert shown == []


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ElementTree.Element:
    monkeypatch.chdir(tmp_path)
    Path("in").write_text(lines(GOOD, NAN) + "\n" + lines(BAD, KINK))
    assert run("batch", "in", "-q", "--junit", "out.xml").exit_code == 2
    text = Path("out.xml").read_bytes()
    assert text.startswith(
        b'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n<testsuite name="in"'
    )
    return next(iter(ElementTree.fromstring(text)))


def test_one_case_a_line(suite: ElementTree.Element) -> None:
    assert suite.attrib == {
        "name": "in",
        "tests": "4",
        "failures": "1",
        "errors": "1",
        "skipped": "0",
    }
    assert [(case.tag, case.get("classname"), case.get("line")) for case in suite] == [
        ("testcase", "in", "1"),
        ("testcase", "in", "2"),
        ("testcase", "in", "4"),
        ("testcase", "in", "5"),
    ]
    # what XML cannot hold, or a terminal would act on, is escaped
    assert [case.get("name") for case in suite] == [
        "line 1",
        "a<b>&\\x00\\u{fffe}\\u{202e}",
        "7",
        "line 5",
    ]
    assert [[child.tag for child in case] for case in suite] == [[], ["failure"], ["error"], []]


def test_a_failure_has_its_findings(suite: ElementTree.Element) -> None:
    failure = suite[1][0]
    assert failure.get("type") == "nan"
    assert (failure.get("message") or "").startswith("nan: ")
    # at -1 the function is 0 to both sides
    assert any(
        line.startswith("vjp.x[0] nan: torch NaN, truth 0: ")
        for line in (failure.text or "").splitlines()
    )


def test_an_error_has_its_message(suite: ElementTree.Element) -> None:
    error = suite[2][0]
    assert error.get("type") == "expression"
    assert "\x1b" not in (error.get("message") or "")


def test_a_report_that_is_resumed_has_all_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in").write_text(lines(GOOD, BAD))
    (tmp_path / "missing").mkdir()
    options = ("in", "-o", "out", "--resume", "--junit")
    refused(
        run("batch", *options, "none/x"),
        "cannot write 'none/x': No such file or directory",
        exit_code=5,
    )
    assert run("batch", *options, "out.xml").exit_code == 2
    first = Path("out.xml").read_text()
    assert first.count("<testcase") == 2
    assert run("batch", "in", "-q", "--junit", "whole.xml").exit_code == 2
    assert Path("whole.xml").read_text() == first
