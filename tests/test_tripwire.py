"""Hostile text opens, imports, compiles and runs nothing, from the parser to the last verdict."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import attacks
from vjp_cli.ops import catalog
from vjp_cli.settings import Format

# what an honest call loads late: every format, the exact side, slopes, dtypes, a batch
WARM = [
    *(["inspect", "x**2/3 + relu(y)", "--x", "1,2", "--y", "0", "--format", f] for f in Format),
    ["inspect", "sum(sin(x)*exp(x), 0)", "--x", "1,2", "--v", "1", "--chain", "--explain"],
    ["inspect", "einsum('i,i->i', x, x)", "--x", "1,2", "--dtype", "bfloat16", "--v", "ones"],
    ["inspect", "abs(x) @ x + norm(x)", "--x", "0,0", "--v", "1", "--contributions"],
    ["inspect", "x", "--x", "1", "--loss", "y**2", "--u", "1", "--order", "2"],
    ["inspect", "x[0", "--x", "1"],
    ["inspect", "sinn(x)", "--x", "1"],
    ["inspect", "softmax(x, 7)", "--x", "1"],
    ["inspect", "x", "--x", "[1,"],
    ["inspect", "x", "--x", "randn(3)"],
    ["inspect", "x", "--x", "1_0"],
    ["batch", "-"],
    ["ops"],
]


def tripped(
    lines: list[dict[str, Any]], folder: Path, more: list[list[str]] | None = None
) -> list[tuple[int, str, list[str]]]:
    """For each line the exit code, the words of the error and the forbidden events.

    ``more`` lines are run before without the tripwire, and load what these need.
    """
    root = str(Path(__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.tripwire"],
        input=json.dumps({"warm": [*WARM, *(more or [])], "armed": lines}),
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([root, *filter(None, sys.path)])},
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert os.listdir(folder) == []
    return [(code, words, events) for code, words, events in json.loads(done.stdout)]


def inspect(expression: str, *more: str) -> dict[str, Any]:
    return {"argv": ["inspect", expression, "--x", "1,2", *more]}


def test_the_tripwire_is_one(tmp_path: Path) -> None:
    # a file, and through it what is read from it, is the one thing that a user may open
    [(code, _, events)] = tripped([{"argv": ["inspect", "x", "--x", "@no.npy"]}], tmp_path)
    assert code == -1
    assert [event.split()[0] for event in events] == ["open"]


@pytest.mark.parametrize("fmt", ["table", "json"])
def test_attacks_of_every_class_are_refused(fmt: str, tmp_path: Path) -> None:
    found = tripped([inspect(line, "--format", fmt) for line in attacks.ALL], tmp_path)
    assert len(found) > 180
    for line, (code, words, events) in zip(attacks.ALL, found, strict=True):
        assert events == [], line
        assert code in (2, 3), (line, code, words)
        assert "Traceback" not in words
        assert "bug" not in words, (line, words)


def test_what_means_something_elsewhere_is_a_name_like_any_other(tmp_path: Path) -> None:
    lines = [
        {"argv": ["inspect", f"{name}**2 + 1/{name}", f"--let={name}=2", "--format", fmt]}
        for name in attacks.NAMES
        for fmt in ("json", "html", "latex")
    ]
    for line, (code, words, events) in zip(lines, tripped(lines, tmp_path), strict=True):
        assert events == [], line
        assert code == (2 if "__x" in line["argv"][1] else 0), (line, words)


def test_values_are_numbers_or_refused(tmp_path: Path) -> None:
    lines = [
        {"argv": ["inspect", "2*x", option, value]}
        for value in attacks.VALUES
        for option in ("--x", "--let=x=")
    ]
    for line in lines:
        if line["argv"][2] == "--let=x=":
            line["argv"][2:] = [f"--let=x={line['argv'][3]}"]
    more = [
        inspect("2*x", option, value)
        for value in attacks.VALUES
        for option in ("--v", "--u", "--loss", "--wrt", "--checks", "--dtype", "--fail-on")
    ]
    for line, (code, words, events) in zip(
        lines + more, tripped(lines + more, tmp_path), strict=True
    ):
        assert events == [], line
        assert code in (2, 4), (line, words)


def test_request_lines_are_data(tmp_path: Path) -> None:
    requests = [
        *({"expression": text, "inputs": {"x": [1, 2]}} for text in attacks.ALL),
        *({"expression": "2*x", "inputs": {"x": value}} for value in attacks.VALUES),
        *({"expression": "2*x", "inputs": {"x": 1}, "loss": text} for text in attacks.ALL[:40]),
        {"function": "torch.py:f", "inputs": {"x": 1}},
        {"function": "os:system", "inputs": {"x": 1}},
        {"expression": "x", "against": "os:system", "inputs": {"x": 1}},
        {"expression": "x", "inputs": {"__import__('os')": 1}},
        {"__class__": "os", "expression": "x", "inputs": {"x": 1}},
    ]
    text = "".join(json.dumps(each) + "\n" for each in requests)
    [(code, words, events)] = tripped([{"argv": ["batch", "-"], "stdin": text}], tmp_path)
    assert events == []
    # of a list of limits the highest code is that of the call
    assert code in (3, 4), words
    assert f"{len(requests)} lines" in words
    assert " 0 ok" in words or " ok" not in words


def test_every_operation_computes_and_does_nothing_else(tmp_path: Path) -> None:
    names = sorted(row.name for row in catalog.ROWS)
    lines = [inspect(f"{name}(x)", "--timeout", "5") for name in names]
    honest = [line["argv"] for line in lines]
    lines += [inspect(f"{name}('touch PWNED', x)") for name in names]
    for line, (code, words, events) in zip(lines, tripped(lines, tmp_path, honest), strict=True):
        assert events == [], line
        assert code in (0, 1, 2, 3), (line, code, words)
