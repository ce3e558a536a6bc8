"""Functions in files: read without running, then loaded by path."""

from pathlib import Path

import pytest

from vjp_cli.errors import EvaluationError, InputError
from vjp_cli.functions.loading import load
from vjp_cli.functions.source import find


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "torch.py"
    path.write_text(
        "import torch as real\n"
        "def scaled(x, k=2.0, *, bias):\n"
        "    return k * x + bias\n"
        "def starred(*xs):\n"
        "    return xs[0]\n"
        "def broken(x):\n"
        "    return x.nothing_like_this\n"
    )
    return path


def test_parameters_are_read_without_running(tmp_path: Path) -> None:
    path = tmp_path / "bomb.py"
    path.write_text("raise SystemExit('this must not run')\ndef f(x, y=1): return x\n")
    source = find(f"{path}:f")
    assert (source.parameters, source.optional) == (("x", "y"), frozenset({"y"}))
    with pytest.raises(EvaluationError, match=r"SystemExit: this must not run \(line 1\)"):
        load(source)


def test_keyword_only_parameters_count(file: Path) -> None:
    source = find(f"{file}:scaled")
    assert source.parameters == ("x", "k", "bias")
    assert source.optional == {"k"}
    assert source.text == f"{file}:scaled"


def test_a_file_called_torch_shadows_nothing(file: Path) -> None:
    # loaded by its path, it imports the real torch
    assert load(find(f"{file}:scaled")).function(3.0, bias=1.0) == 7.0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("scalde", "has no function 'scalde'"),
        ("starred", "takes \\* or \\*\\* arguments"),
        ("not a name", "is not FILE.py:NAME"),
    ],
)
def test_what_cannot_be_found_is_said(file: Path, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find(f"{file}:{name}")


def test_a_missing_file_and_bad_python(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        find(f"{tmp_path}/none.py:f")
    (tmp_path / "bad.py").write_text("def f(:\n")
    with pytest.raises((InputError, EvaluationError)):
        find(f"{tmp_path}/bad.py:f")


def test_a_close_name_is_suggested(file: Path) -> None:
    with pytest.raises(InputError) as caught:
        find(f"{file}:scalde")
    assert caught.value.hint == "did you mean 'scaled'?"
