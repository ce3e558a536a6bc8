"""JSON out and in again: every number keeps its bits, and every reader can read every output."""

import json
import shutil
import struct
import subprocess
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import run
from tests.render.reports import REPORTS
from vjp_cli.render import View
from vjp_cli.render.json import document, render_json

HEX = (
    *("0x0.0p+0", "-0x0.0p+0", "0x1.0p-1074", "-0x0.fffffffffffffp-1022", "0x1.0p-1022"),
    *("0x1.999999999999ap-4", "0x1.fffffffffffffp+1023", "0x1.5555555555555p-2", "-0x1.8p+52"),
)
READERS = {
    "jq": ("jq", "-e", "-c", "."),
    "node": (
        *("node", "-e"),
        "process.stdout.write(JSON.stringify(JSON.parse(require('fs').readFileSync(0,'utf8'))))",
    ),
}


def bits(number: float) -> bytes:
    return struct.pack(">d", number)


def request(numbers: list[Any]) -> str:
    return json.dumps({"expression": "1*x", "inputs": {"x": numbers}, "v": numbers})


def answered(numbers: list[Any]) -> dict[str, Any]:
    """The report of 1·x by a batch, where x and v are these: x, y, v and vᵀJ all are."""
    result = run("batch", "-", stdin=request(numbers) + "\n")
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def check_bits(numbers: list[float]) -> None:
    report = answered(numbers)
    for found in (report["inputs"]["x"], report["output"]["value"], report["v"]):
        assert [bits(number) for number in found] == [bits(number) for number in numbers]
    # and what was read goes in once more: the report is the same
    again = answered(report["inputs"]["x"])
    for key in ("inputs", "output", "v", "jacobian", "vjp", "truth", "verdicts"):
        assert json.dumps(again[key]) == json.dumps(report[key])


def test_numbers_keep_their_bits() -> None:
    check_bits([float.fromhex(text) for text in HEX])


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=6))
@settings(max_examples=15, deadline=None, database=None)
def test_any_numbers_keep_their_bits(numbers: list[float]) -> None:
    check_bits(numbers)


def test_what_json_has_no_number_for_comes_back_as_it_went_in() -> None:
    report = answered(["inf", "-inf", 1.0])
    assert report["inputs"]["x"] == ["Infinity", "-Infinity", 1.0]
    assert answered(report["inputs"]["x"])["inputs"] == report["inputs"]
    text = json.dumps({"expression": "1*x", "inputs": {"x": ["nan", 1]}})
    assert json.loads(run("batch", "-", stdin=text).stdout)["inputs"]["x"] == ["NaN", 1.0]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", REPORTS)
def test_other_readers_read_every_report(name: str, reader: str) -> None:
    command = READERS[reader]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{reader} is not on this machine")
    text = render_json(REPORTS[name](), View())
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    assert flattened(json.loads(done.stdout)) == flattened(document(REPORTS[name](), View()))


def flattened(value: Any) -> list[Any]:
    """All leaves with their keys; numbers as their doubles, since readers write them otherwise."""
    if isinstance(value, dict):
        return [(key, flattened(part)) for key, part in sorted(value.items())]
    if isinstance(value, list | tuple):
        return [flattened(part) for part in value]
    # jq writes 1.0 as 1, and node loses the sign of 0: -0 == 0
    return [float(value) if isinstance(value, int | float) and value is not True else value]


@pytest.mark.parametrize("reader", READERS)
def test_other_readers_read_an_error(reader: str) -> None:
    command = READERS[reader]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{reader} is not on this machine")
    result = run("inspect", "2x²\x1b", "--json")
    assert result.stdout == ""
    done = subprocess.run(command, input=result.stderr.encode(), capture_output=True, check=True)
    assert json.loads(done.stdout) == json.loads(result.stderr)
