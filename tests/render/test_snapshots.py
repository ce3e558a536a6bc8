"""Every format of one fixed report, as files that a reader of a change can look at.

``python -m tests.render.test_snapshots`` writes them.
"""

from pathlib import Path

import pytest

from tests.render.snapshot_report import snapshot
from vjp_cli.render import View, render
from vjp_cli.settings import Format

FOLDER = Path(__file__).parent / "snapshots"
# JSON and JSON Lines are the same text
NAMES = {fmt: f"report.{fmt}" for fmt in Format if fmt is not Format.JSONL}


def rendered(fmt):
    return render(snapshot(), fmt, View(width=100))


@pytest.mark.parametrize("fmt", NAMES)
def test_a_format_writes_what_is_pinned(fmt):
    # as bytes: line ends are part of a format
    assert rendered(fmt).encode() == (FOLDER / NAMES[fmt]).read_bytes()


def test_there_is_no_other_file():
    assert {each.name for each in FOLDER.iterdir()} == set(NAMES.values())


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for fmt, name in NAMES.items():
        (FOLDER / name).write_bytes(rendered(fmt).encode())
