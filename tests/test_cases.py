"""Gradients that surprised somebody, all in one batch: verdicts and truths as they are known."""

import contextlib
import json
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import run
from tests.surprises import CASES, Answer, Case, differences, requests, same_truth
from vjp_cli.settings import LIMITS


@cache
def answers() -> dict[str, Answer]:
    """The answer to each case, by its id."""
    return _answered()


@cache
def waiting_answers() -> dict[str, Answer]:
    """The answers where no exact number is computed before someone asks for it."""
    before = LIMITS.waiting_elements
    object.__setattr__(LIMITS, "waiting_elements", 0)
    try:
        return _answered()
    finally:
        object.__setattr__(LIMITS, "waiting_elements", before)


def _answered() -> dict[str, Answer]:
    with warnings.catch_warnings():
        # torch warns of no degrees of freedom, and of an imaginary part that it discards
        warnings.simplefilter("ignore")
        # the paths of functions are relative to the folder of the cases
        with contextlib.chdir(Path(__file__).parent / "cases"):
            result = run("batch", "-", "--allow-functions", stdin=requests(CASES))
    return {answer["id"]: answer for answer in map(json.loads, result.stdout.splitlines())}


def test_every_case_is_answered_in_order() -> None:
    assert list(answers()) == [case["id"] for case in CASES]
    assert len(CASES) == 136


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_verdicts_and_the_truth(case: Case) -> None:
    assert differences(case, answers()[case["id"]]) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_same_where_numbers_wait(case: Case) -> None:
    """As in large problems: exact numbers only where near ones cannot tell."""
    assert differences(case, waiting_answers()[case["id"]]) == []


def test_no_entry_is_left_unchecked() -> None:
    judged = {name: json.dumps(answer.get("verdicts")) for name, answer in answers().items()}
    assert [name for name, verdicts in judged.items() if "unchecked" in verdicts] == []


@pytest.mark.parametrize(
    ("wanted", "got", "same"),
    [
        ("0.333333333333333333333333333333", "0.333333333333333333333333333999", True),
        ("0.333333333333333333333333333333", "0.3333333333333333333333333332", True),
        ("0.333333333333333333333333333333", "0.333333333333333333333333", False),
        ("2.0", "2", True),
        ("0", "1e-30", False),
        ("inf", "inf", True),
        ("inf", "-inf", False),
        ("inf", "1e300", False),
        ("1.0", "inf", False),
        ("undefined", "undefined", True),
        ("undefined", "0", False),
        ("0", "undefined", False),
        ("1.0", None, False),
        ({"left": "0", "right": "1.0"}, {"left": "0", "right": "1"}, True),
        ({"left": "0", "right": "1.0"}, {"left": "1", "right": "0"}, False),
        ({"left": "undefined", "right": "-inf"}, {"left": "undefined", "right": "-inf"}, True),
        ({"removable": "0"}, {"removable": "0"}, True),
        ({"removable": "0"}, "0", False),
        ("0", {"removable": "0"}, False),
        ("(2.0 + 2.0j)", "2.0+2.0j", True),
        ("(0 + 4.0j)", "4.0j", True),
        ("(2.0 - 1e-3j)", "2.0-0.001j", True),
        ("(2.0 + 2.0j)", "2.0-2.0j", False),
        ("(2.0 + 2.0j)", "2.0", False),
    ],
)
def test_truths_are_compared_as_numbers(wanted: Any, got: Any, same: bool) -> None:
    assert same_truth(wanted, got) is same


RIGHT = {"truth": {"vjp": {"x": ["2.0", "0"]}}, "verdicts": {"vjp": {"x": ["wrong", "ok"]}}}


@pytest.mark.parametrize(
    ("expect", "right"),
    [
        ({"truth": {"x": ["2", "0"]}, "verdicts": {"x": ["nan|wrong", "ok"]}}, True),
        ({"truth": {"x": ["3", "0"]}, "verdicts": {"x": ["wrong", "ok"]}}, False),
        ({"truth": {"x": ["2", "0"]}, "verdicts": {"x": ["nan", "ok"]}}, False),
        ({"truth": {"x": ["2", "0"]}, "torch_raises": True}, False),
    ],
)
def test_a_difference_is_seen(expect: dict[str, Any], right: bool) -> None:
    assert (differences({"expect": expect}, RIGHT) == []) is right


def error(code: int) -> Answer:
    return {"error": {"kind": "evaluation", "message": "torch raised", "exit_code": code}}


@pytest.mark.parametrize(
    ("truth", "code", "right"),
    [("undefined", 3, True), ("undefined", 70, False), ("0", 3, False)],
)
def test_an_error_will_do_only_where_there_is_no_truth(truth: str, code: int, right: bool) -> None:
    case = {"expect": {"truth": {"x": truth}, "torch_raises": True}}
    assert (differences(case, error(code)) == []) is right
