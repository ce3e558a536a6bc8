"""What one line of a batch may say, and how each mistake in it is answered."""

from pathlib import Path
from typing import Any

import pytest

from tests.batches import GOOD, batched, error_of, lines
from tests.helpers import Asked, ask, run_process
from vjp_cli.settings import Check, Layout, Settings
from vjp_cli.values import Generated, Value


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the inspection was asked; it answers REPORT."""
    return ask(monkeypatch)


def test_every_key_reaches_the_request(asked: Asked) -> None:
    request = {
        "expression": "a*b",
        "inputs": {"a": "1,2", "b": ["inf", 4]},
        "v": "ones",
        "wrt": ["b"],
        "dtype": "torch.float32",
        "layout": "denominator",
        "checks": ["forward-mode"],
        "function": None,
    }
    assert batched(lines(request))[1] == 0
    [(found, settings)] = asked
    assert (found.subject.source, found.v) == ("a*b", Generated("ones", None))
    assert found.inputs == {
        "a": Value((2,), (1.0, 2.0)),
        "b": Value((2,), (float("inf"), 4.0)),
    }
    assert settings == Settings(
        wrt=("b",), dtype="float32", layout=Layout.DENOMINATOR, checks=(Check.FORWARD_MODE,)
    )


def test_wrt_may_be_a_comma_list_and_names_are_folded(asked: Asked) -> None:
    batched(lines({"expression": "µ*x", "inputs": {"µ": 2, "x": 3}, "wrt": "x,µ"}))
    assert list(asked[0][0].inputs) == ["μ", "x"]
    assert asked[0][1].wrt == ("x", "μ")


@pytest.mark.parametrize(
    ("change", "message", "hint"),
    [
        ({"expresion": "x"}, "no such key: 'expresion'", "did you mean 'expression'?"),
        ({"expression": None}, "there is no expression", None),
        ({"expression": 3}, "expression: expected str | null, got int", ""),
        ({"inputs": [1]}, "inputs: expected an object | null, got array", ""),
        ({"inputs": {}}, "no value for x", "add it to inputs"),
        ({"inputs": {"x": None}}, "no value for x", "add it to inputs"),
        (
            {"inputs": {"x": 1, "y": 2}},
            "inputs: the expression has no variable 'y'",
            "its variables: x",
        ),
        ({"inputs": {"x": [1, [2]]}}, None, None),
        ({"inputs": {"x": "1,,2"}}, None, None),
        ({"inputs": {"x": "int64:1"}}, "nothing to differentiate: x can only be constant", None),
        ({"expression": "3", "inputs": {}}, None, "name what may change, for example 3*x"),
        ({"wrt": ["z"]}, "wrt: the expression has no variable 'z'", "its variables: x"),
        (
            {"expression": "x*m", "inputs": {"x": 1, "m": "bool:1"}, "wrt": ["m"]},
            "wrt: m is a constant of dtype bool",
            None,
        ),
        ({"dtype": "float65"}, "unknown dtype 'float65'", "did you mean 'float64'?"),
        ({"layout": "rows"}, "layout: invalid enum value 'rows'", ""),
        (
            {"checks": ["finite"]},
            "checks: there is no check 'finite'",
            f"all, none, or some of {', '.join(Check)}",
        ),
        ({"function": "f.py:g"}, "a function runs the code of a file", None),
        ({"against": "f.py:g"}, "a function runs the code of a file", None),
        (
            {"loss": "sum(q)"},
            "loss: 'q' is not the output y: a loss may use that and numbers",
            "for example loss 'sum((y - 1)**2)'",
        ),
        ({"id": [1]}, None, ""),
    ],
)
def test_a_bad_request_says_what_is_wrong(
    change: dict[str, Any], message: str | None, hint: str | None, asked: Asked
) -> None:
    error = error_of(GOOD | change)
    assert error["exit_code"] == 2
    assert message is None or error["message"] == message
    assert hint is None or error["hint"] == hint
    assert asked == []


@pytest.mark.parametrize("line", ["{", "[1]", "3", '"x"', "null", "{} {}", b'{"id": "\xff"}'])
def test_what_is_no_json_object_is_refused(line: str | bytes) -> None:
    assert error_of(line)["exit_code"] == 2


def test_bare_nan_is_not_json() -> None:
    error = error_of('{"expression": "x", "inputs": {"x": NaN}}')
    assert error["message"].startswith("the line is not JSON: ")
    assert error["hint"] == 'numbers that are not finite are the strings "nan", "inf" and "-inf"'


def test_depth_is_limited() -> None:
    assert error_of('{"v": ' + "[" * 50_000 + "]" * 50_000 + "}")["exit_code"] == 4


@pytest.mark.parametrize("value", ["@secret.csv", "int64:@secret.csv", " @secret.csv", "-", "@-"])
@pytest.mark.parametrize("key", ["inputs", "v"])
def test_a_line_reads_no_file(
    key: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("secret.csv").write_text("1\n")
    error = error_of(GOOD | {key: {"x": value} if key == "inputs" else value})
    name = "x" if key == "inputs" else "v"
    assert error["message"] == f"{name}: a value in a batch is not read from elsewhere"


def test_nested_texts_read_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("secret.csv").write_text("1\n")
    assert error_of(GOOD | {"inputs": {"x": ["@secret.csv"]}})["exit_code"] == 2


def test_bad_lines_import_nothing_heavy() -> None:
    code = """
import io, sys
from vjp_cli.cli import run
sys.stdin = io.TextIOWrapper(io.BytesIO(b'{"expression": "x +"}\\n{}\\n{\\n'))
run(["batch", "-"])
heavy = {"torch", "sympy", "numpy", "flint", "rich", "pydantic"} & set(sys.modules)
sys.stderr.write(" ".join(sorted(heavy)))
"""
    result = run_process(code=code)
    assert (len(result.stdout.splitlines()), result.stderr) == (3, "vjp: 3 lines: 3 errors\n")
