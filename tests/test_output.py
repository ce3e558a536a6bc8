"""Where the answer goes, and how it will be looked at there."""

import json
import os
import stat
from pathlib import Path

import pytest

from tests.helpers import Asked, Result, ask, refused, run
from vjp_cli import cli
from vjp_cli.errors import shorten
from vjp_cli.report import Report
from vjp_cli.settings import Format


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the inspection was asked; it answers REPORT."""
    return ask(monkeypatch)


def test_json_is_the_only_thing_on_stdout(asked: Asked) -> None:
    for flags in (["--json"], ["--format", "json"], ["--json", "--format=json"]):
        result = run("inspect", "x", "--x", "1,2", *flags)
        assert json.loads(result.stdout)["vjp"]["x"] == [3, 1.5]
        assert result.stderr == ""


def test_quiet_says_nothing_and_still_writes_the_file(asked: Asked, tmp_path: Path) -> None:
    assert run("inspect", "x", "--x", "1", "-q") == Result(0, "", "")
    file = tmp_path / "report.json"
    assert run("inspect", "x", "--x", "1", "-q", "--json", "-o", str(file)) == Result(0, "", "")
    assert json.loads(file.read_text())["ok"] is True


def test_the_file_is_replaced_whole(asked: Asked, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text("old " * 10_000)
    file.chmod(0o640)
    assert run("inspect", "x", "--x", "1", "--json", "--output", str(file)) == Result(0, "", "")
    assert json.loads(file.read_text())["schema"] == "vjp.report/1"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["report.json"]


def test_a_link_stays_a_link(asked: Asked, tmp_path: Path) -> None:
    file, link = tmp_path / "real.json", tmp_path / "link.json"
    file.write_text("old")
    link.symlink_to(file)
    assert run("inspect", "x", "--x", "1", "--json", "-o", str(link)).exit_code == 0
    assert link.is_symlink()
    assert json.loads(file.read_text())["ok"] is True


def test_a_pipe_is_written_straight(asked: Asked, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run("inspect", "x", "--x", "1", "--json", "-o", str(pipe)).exit_code == 0
        assert json.loads(os.read(reader, 65536))["ok"] is True
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_dev_null_stays_a_device(asked: Asked) -> None:
    assert run("inspect", "x", "--x", "1", "-o", os.devnull) == Result(0, "", "")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_the_standard_output_has_a_file_name_too(asked: Asked) -> None:
    # a link to a pipe that no folder holds
    reader, writer = os.pipe()
    try:
        result = run("inspect", "x", "--x", "1", "--json", "-o", f"/dev/fd/{writer}")
        assert (result.exit_code, result.stderr) == (0, "")
        assert json.loads(os.read(reader, 65536))["ok"] is True
    finally:
        os.close(reader)
        os.close(writer)


def test_a_dash_is_standard_output(asked: Asked) -> None:
    assert json.loads(run("inspect", "x", "--x", "1", "--json", "-o", "-").stdout)["ok"] is True


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (".", "Is a directory"),
        ("/dev/full", "No space left on device"),
        ("no/such/folder.json", "No such file or directory"),
    ],
)
def test_a_file_that_cannot_be_written(asked: Asked, file: str, reason: str) -> None:
    result = run("inspect", "x", "--x", "1", "-o", file)
    refused(result, f"cannot write '{file}': {reason}", exit_code=5)


def test_a_failed_write_leaves_the_old_file(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "report.json"
    file.write_text("old")

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    result = run("inspect", "x", "--x", "1", "-o", str(file))
    refused(result, f"cannot write '{shorten(str(file))}': No space left on device", exit_code=5)
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.json"]


@pytest.fixture
def views(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> list[cli.View]:
    """The views that were rendered."""
    seen: list[cli.View] = []

    def render(report: Report, fmt: Format, view: cli.View) -> str:
        seen.append(view)
        return "θ\n"

    monkeypatch.setattr(cli, "render", render)
    return seen


@pytest.mark.parametrize(
    ("options", "environment", "tty", "color"),
    [
        ([], {}, False, False),
        ([], {}, True, True),
        ([], {"TERM": "dumb"}, True, False),
        ([], {"NO_COLOR": "1"}, True, False),
        ([], {"FORCE_COLOR": "1"}, False, True),
        ([], {"FORCE_COLOR": "0"}, False, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        (["--color", "always"], {"NO_COLOR": "1"}, False, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, True, False),
        (["-o", os.devnull], {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_colour_by_option_then_environment_then_terminal(
    options: list[str],
    environment: dict[str, str],
    tty: bool,
    color: bool,
    views: list[cli.View],
) -> None:
    environment = {"TERM": "xterm", **environment}
    result = run("inspect", "x", "--x", "1", *options, environment=environment, tty=tty)
    assert result.exit_code == 0
    assert [view.color for view in views] == [color]


@pytest.mark.parametrize(
    ("columns", "width"), [("100", 100), ("20", 40), ("1", 40), ("100000", 200)]
)
def test_a_terminal_sets_the_width_within_reason(
    columns: str, width: int, views: list[cli.View]
) -> None:
    run("inspect", "x", "--x", "1", environment={"COLUMNS": columns}, tty=True)
    assert views[0].width == width


@pytest.mark.parametrize("columns", ["0", "-3", "abc", ""])
def test_an_odd_width_is_still_one(columns: str, views: list[cli.View]) -> None:
    run("inspect", "x", "--x", "1", environment={"COLUMNS": columns}, tty=True)
    assert 40 <= views[0].width <= 200


def test_nothing_bounds_a_pipe(views: list[cli.View]) -> None:
    run("inspect", "x", "--x", "1", environment={"COLUMNS": "20"})
    assert views[0].width >= 100_000


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "cp1252"])
def test_a_narrow_encoding_is_told_to_the_renderer(encoding: str, views: list[cli.View]) -> None:
    result = run("inspect", "x", "--x", "1", encoding=encoding)
    assert views[0].unicode is False
    assert result.exit_code == 0


def test_what_the_encoding_lacks_is_escaped(views: list[cli.View]) -> None:
    assert run("inspect", "x", "--x", "1", encoding="ascii").stdout == "\\u03b8\n"
    assert run("inspect", "x", "--x", "1").stdout == "θ\n"
    assert views[1].unicode is True


def test_full_and_max_entries_reach_the_renderer(views: list[cli.View]) -> None:
    run("inspect", "x", "--x", "1", "--full", "--max-entries", "5")
    assert (views[0].full, views[0].max_entries) == (True, 5)
