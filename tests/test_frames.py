"""The line of the user's file is found behind torch's frames and our own."""

import sys
from pathlib import Path

import pytest
import torch

from vjp_cli.frames import is_users, line_here, line_of, said

FILE = Path(__file__)


def raised() -> ValueError:
    with pytest.raises(ValueError, match="no luck") as caught:
        raise ValueError("no luck\nat all")
    return caught.value


def test_what_runs_now_is_found_below_a_frame() -> None:
    assert line_here(None) == "test_frames.py line 21"
    assert line_here(sys._getframe()) == ""


def test_frames_of_torch_and_of_python_are_not_the_users() -> None:
    assert is_users(__file__)
    assert is_users("/home/someone/site-packages/model.py")
    assert not is_users(torch.nn.functional.__file__)
    assert not is_users(sys.modules["pathlib"].__file__)


def test_an_exception_is_said_with_the_last_line_of_the_file() -> None:
    error = raised()
    assert said(error, FILE) == "ValueError: no luck (line 16)"
    assert said(error, FILE.with_name("other.py")) == "ValueError: no luck"
    assert line_of(error) == "test_frames.py line 16"


def inner(depth: int) -> None:
    if depth:
        inner(depth - 1)
    raise ValueError("deep")


def test_the_way_to_an_exception_is_said_once() -> None:
    with pytest.raises(ValueError, match="deep") as caught:
        inner(5)
    start = inner.__code__.co_firstlineno
    way = f"line {start + 3}, from line {start + 2}, from line {start + 8}"
    # recursion repeats its lines
    assert said(caught.value, FILE) == f"ValueError: deep ({way})"
