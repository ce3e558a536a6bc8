"""Requests and errors: the schema takes what the program takes, key by key and type by type."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import run
from tests.schema.validation import printed, problems, validator
from tests.surprises import CASES, requests
from vjp_cli.requests import RequestLine

ROOT = Path(__file__).parents[2]
X = {"expression": "x*x", "inputs": {"x": [1, 2]}}


def answered(request: Any) -> dict[str, Any]:
    result = run("batch", "-", stdin=json.dumps(request) + "\n")
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    "request_line",
    [
        X,
        X | {"v": "ones", "id": 3, "wrt": "x", "layout": "denominator", "checks": ["determinism"]},
        X | {"v": [1, "nan"], "id": None, "wrt": ["x"], "dtype": "torch.float32", "order": 2},
        X | {"function": None, "inputs": {"x": [[1, 2.5], ["inf", 4]]}, "v": None},
        {"expression": "x*k", "inputs": {"x": 2, "k": "randn(3)"}, "v": "1,2,3", "id": "a"},
    ],
)
def test_a_good_request_is_valid(request_line: dict[str, Any]) -> None:
    assert problems(request_line, "request") == []
    answer = answered(request_line)
    assert problems(answer, "report") == []
    assert answer["line"] == 1


@pytest.mark.parametrize(
    "request_line",
    [
        {},
        {"inputs": {"x": 1}},
        X | {"function": "f.py:f"},
        X | {"expr": "x"},
        X | {"expression": 3},
        X | {"inputs": [1, 2]},
        X | {"inputs": {"x": {"real": 1}}},
        X | {"v": {}},
        X | {"v": [None, 1]},
        X | {"id": [1]},
        X | {"wrt": 1},
        X | {"dtype": 32},
        X | {"layout": "rows"},
        X | {"checks": "all"},
        X | {"order": 3},
        X | {"order": "2"},
        X | {"output_index": -1},
        [],
        "x*x",
    ],
)
def test_a_bad_request_is_invalid(request_line: Any) -> None:
    assert not validator("request").is_valid(request_line)
    answer = answered(request_line)
    assert (answer["error"]["exit_code"], problems(answer, "error")) == (2, [])


@pytest.mark.parametrize(
    "text",
    [requests(CASES), (ROOT / "samples/problems.jsonl").read_text(encoding="utf-8")],
    ids=["cases", "sample"],
)
def test_the_cases_and_the_sample_are_valid(text: str) -> None:
    lines = [json.loads(line) for line in text.splitlines()]
    assert len(lines) > 2
    assert [line for line in lines if problems(line, "request")] == []


def test_the_keys_are_those_that_the_program_reads() -> None:
    declared = printed("request")["$defs"]["RequestLine"]["properties"]
    assert tuple(declared) == RequestLine.__struct_fields__


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["inspect", "2x", "--x", "1"], "expression"),
        (["inspect", "x", "--x", "a"], "input"),
        (["inspect", "x", "--x", "ones(10000001)"], "limit"),
        (["inspect", "x @ x", "--x", "1,2;3,4;5,6"], "evaluation"),
        (["inspect", "x", "--x", "1", "-o", "/nowhere/at/all"], "output"),
        (["inspect", "--nothing"], "input"),
    ],
)
def test_an_error(arguments: list[str], kind: str) -> None:
    result = run(*arguments, "--json")
    assert result.stdout == ""
    error = json.loads(result.stderr)
    assert error["error"]["kind"] == kind
    assert problems(error, "error") == []
    assert problems({"id": "a", "line": 2} | error, "error") == []
    assert not validator("report").is_valid(error)
    assert validator_of_all().is_valid(error)


def validator_of_all() -> Any:
    return type(validator("error"))(printed())


@pytest.mark.parametrize(
    "change",
    [{"kind": "accident"}, {"exit_code": 6}, {"hint": None}, {"message": 3}],
)
def test_what_an_error_may_not_be(change: dict[str, Any]) -> None:
    error = json.loads(run("inspect", "2x", "--x", "1", "--json").stderr)
    error["error"] |= change
    assert len(problems(error, "error")) == 1
    assert not validator_of_all().is_valid(error)
